#!/usr/bin/env python3
"""Times OpenCV, SciPy, scikit-image and Pillow on the CPU, as far as they are installed, in turns with the host variants.

    tests/bench/cpu_libraries.py CONVOSCOPE FOLDER [--rounds 15]

Writes FOLDER/cpu-gaussian-f32.json and five more, in the form of `convoscope bench --json`; `convoscope bench --from`
makes tables and plots of them. Files that exist are not measured again. Each round measures a case by every library
and by `convoscope bench --quick`, in alternating order; a library is called six times, and the first call does not count. A sample is the median of a round. Each library's result is compared
with one summed in double precision before its time counts: floats within 1e-5. Levels that differ by more than half from
the exact sum are less exact, and wrong from 2.5 on. OpenCV has as many threads as the variants, the others have one.
"""
import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import libraries

SIZE = (1920, 1080)
RADII = (1, 5, 16, 32)
FORMATS = ("f32", "rgba8", "gray8")
KINDS = {"gaussian": "cpu_separable", "box": "cpu_box"}


def installed():
    """Functions (image, taps, sigma, memory for the result) by name, for each kind of filter; the names with versions.
    They return the result, or None for a format that the library does not have."""
    functions, versions = {"gaussian": {}, "box": {}}, []
    try:
        import cv2

        cv2.setNumThreads(len(os.sched_getaffinity(0)))
        edge = cv2.BORDER_REPLICATE
        functions["gaussian"]["opencv_gaussianblur"] = lambda image, taps, sigma, to: cv2.GaussianBlur(
            image, (len(taps), len(taps)), sigma, dst=to, borderType=edge
        )
        functions["gaussian"]["opencv_sepfilter2d"] = lambda image, taps, sigma, to: cv2.sepFilter2D(
            image, -1, taps, taps, dst=to, borderType=edge
        )
        functions["box"]["opencv_blur"] = lambda image, taps, sigma, to: cv2.blur(
            image, (len(taps), len(taps)), dst=to, borderType=edge
        )
        versions.append(f"OpenCV {cv2.__version__}, {cv2.getNumThreads()} threads")
    except (ImportError, OSError):
        pass
    try:
        import scipy
        from scipy import ndimage

        functions["gaussian"]["scipy_gaussian_filter"] = lambda image, taps, sigma, to: ndimage.gaussian_filter(
            image, sigma, radius=len(taps) // 2, mode="nearest", axes=(0, 1), output=to
        )
        functions["box"]["scipy_uniform_filter"] = lambda image, taps, sigma, to: ndimage.uniform_filter(
            image, len(taps), mode="nearest", axes=(0, 1), output=to
        )
        versions.append(f"SciPy {scipy.__version__}, 1 thread")
    except (ImportError, OSError):
        pass
    try:
        import skimage
        from skimage import filters

        functions["gaussian"]["skimage_gaussian"] = lambda image, taps, sigma, to: filters.gaussian(
            image,
            sigma,
            mode="nearest",
            truncate=(len(taps) // 2 + 0.25) / sigma,
            preserve_range=True,
            channel_axis=2 if image.ndim == 3 else None,
        )
        versions.append(f"scikit-image {skimage.__version__}, 1 thread")
    except (ImportError, OSError):
        pass
    try:
        import PIL
        from PIL import Image, ImageFilter

        def filtered(image, kind):
            return Image.fromarray(image).filter(kind) if image.itemsize == 1 else None

        functions["gaussian"]["pillow_gaussianblur"] = lambda image, taps, sigma, to: filtered(
            image, ImageFilter.GaussianBlur(sigma)
        )
        functions["box"]["pillow_boxblur"] = lambda image, taps, sigma, to: filtered(
            image, ImageFilter.BoxBlur(len(taps) // 2)
        )
        versions.append(f"Pillow {PIL.__version__}, 1 thread")
    except (ImportError, OSError):
        pass
    return functions, versions


def image_of(form):
    import numpy

    random = numpy.random.default_rng(1)
    width, height = SIZE
    if form == "f32":
        return random.random((height, width), dtype=numpy.float32)
    return random.integers(0, 256, (height, width, 4) if form == "rgba8" else (height, width), dtype=numpy.uint8)


def exact(image, taps):
    """In double precision, each sum tap by tap."""
    import numpy

    radius, result = len(taps) // 2, image.astype(numpy.float64)
    for axis in (1, 0):
        margin = [(radius, radius) if a == axis else (0, 0) for a in range(image.ndim)]
        padded, size = numpy.pad(result, margin, mode="edge"), result.shape[axis]
        parts = (float(tap) * padded.take(range(i, i + size), axis) for i, tap in enumerate(taps))
        result = sum(parts, numpy.zeros_like(result))
    return result


def ours(program, variant, form, spec):
    """The program's own row of this case."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "row.json")
        command = [program, "bench", "--device", "cpu", "--quick", "--json", path, "--size", "%dx%d" % SIZE]
        command += ["--variant", variant, "--format", form, "--filter", spec["kind"], "--radius", str(spec["radius"]), "--sigma", str(spec["sigma"])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(path) as file:
            results = json.load(file)
    if results["rows"][0]["state"] != "measured":
        raise RuntimeError(results["rows"][0]["text"])
    return results


def sample(call, times):
    call()
    samples = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        samples.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(samples)


def measured(program, variant, functions, form, spec, rounds):
    """The results file of the program's row and of the libraries' rows behind it."""
    import numpy

    image, taps = image_of(form), libraries.taps_of(spec)
    truth, to = exact(image, taps), numpy.zeros_like(image)
    calls, errors = {}, {}
    for name, function in functions.items():
        call = functools.partial(function, image, taps, spec["sigma"], to)
        result = call()
        if result is None:
            continue
        difference = numpy.abs(numpy.asarray(result).astype(numpy.float64) - truth)
        errors[name] = float(difference[..., :3].max() if image.ndim == 3 else difference.max())  # not of alpha
        calls[name] = call
    samples, launches = {name: [] for name in (variant, *calls)}, []
    for turn in range(rounds):
        for name in list(samples)[:: 1 if turn % 2 == 0 else -1]:
            if name == variant:
                results = ours(program, variant, form, spec)
                launches.append(len(results["rows"][0]["ms"]))
                took = statistics.median(results["rows"][0]["ms"])
            else:
                took = sample(calls[name], 5)
            samples[name].append(took)
    row = results["rows"][0]
    row.update(ms=samples[variant], launches=min(launches))
    levels = form != "f32"
    for name in calls:
        largest, unit = (2.5 / 255, 255) if levels else (libraries.LARGEST_ERROR, 1)
        place = libraries.row_of(row, name, name.split("_")[0], samples[name], 5, errors[name] / unit, largest)
        place["less_exact"] = levels and errors[name] > 0.501
        if place["state"] == "measured":
            place.update(baseline=variant, against=libraries.ratio_to(samples[name], samples[variant]))
        results["rows"].append(place)
    return results


def text_of(row):
    name, against = row["lane"]["variant"], row["against"]
    took = f'{statistics.median(row["ms"]):.2f} ms' if row["ms"] else "wrong"
    ratio = f', {against["ratio"]:.2f} ({against["low"]:.2f} to {against["high"]:.2f}) of ours' if row["baseline"] else ""
    return f'{name} {took}{ratio}, error {row["max_error"]:.1e}{" (less exact)" if row["less_exact"] else ""}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build/release/app/convoscope")
    parser.add_argument("folder", help="where the results are written")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if not os.path.isdir(options.folder):
        print(f"{options.folder} is no folder. Create it first", file=sys.stderr)
        return 2
    functions, versions = installed()
    if not versions:
        print("none of OpenCV, SciPy, scikit-image and Pillow is installed. Install them with pip", file=sys.stderr)
        return 2
    print("; ".join(versions))
    for kind, variant in KINDS.items():
        for form in FORMATS:
            path = os.path.join(options.folder, f"cpu-{kind}-{form}.json")
            if os.path.exists(path):
                continue
            cases = []
            for radius in RADII:
                spec = {"kind": kind, "radius": radius, "sigma": radius / 2.5}
                cases.append(measured(options.program, variant, functions[kind], form, spec, options.rounds))
                for row in cases[-1]["rows"]:
                    print(f"{form} {kind} radius {radius}: {text_of(row)}", flush=True)
            libraries.write(path, {**cases[0], "rows": [row for case in cases for row in case["rows"]]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
