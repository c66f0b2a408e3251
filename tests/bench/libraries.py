#!/usr/bin/env python3
"""Times PyTorch, CuPy, cuCIM, CV-CUDA, DALI and OpenCV, as far as they are installed, and a copy by CUB, if there is nvcc, on
the images and taps of `convoscope bench --peers`, and joins their rows to its results.

    tests/bench/libraries.py RESULTS.json [--preset peers-4k,..] [--rounds 32]
    tests/bench/libraries.py RESULTS.json --list

Times are of launches between two events, in turns with a copy of the image by PyTorch, the buffers taking turns so that
no launch finds its pixels in the cache. Launches that are not timed go before each sample: the GPU is at work when its
clock begins. OpenCV runs on the host, by its clock: nine calls after one, results into memory that is there. Each result
is compared with one summed in double precision before its time counts. DALI has no replicate padding for Gaussians: it
mirrors the image at its edges, and so does the sum that it is compared with. The file must be of this GPU.
"""
import argparse
import ctypes
import datetime
import functools
import importlib
import json
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import types

COPY = "torch_copy"
COPIES = (COPY, "cub_copy")
LARGEST_ERROR = 1e-5  # of floats from 0 to 1, as for the program's own variants


def imported(*names):
    """The first of the modules, if all are installed with what they need."""
    try:
        return [importlib.import_module(name) for name in names][0]
    except (ImportError, OSError, RuntimeError):
        return None


def installed():
    """The libraries that are there, by name; all but OpenCV only with a GPU that PyTorch can use."""
    found = {"torch": imported("torch"), "opencv": imported("cv2")}
    if found["torch"] and found["torch"].cuda.is_available():
        found["cupy"] = imported("cupy", "cupyx.scipy.ndimage")
        found["cucim"] = imported("cucim", "cucim.skimage.filters")
        found["cvcuda"] = imported("cvcuda")
        found["dali"] = imported("nvidia.dali", "nvidia.dali.experimental.dynamic")
        found["cub"] = compiled_copy()
    else:
        found["torch"] = None
    return {name: library for name, library in found.items() if library}


def compiled_copy():
    """cub_copy.cu as a library, compiled for this GPU; None without nvcc."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "libcub_copy.so"
        source = pathlib.Path(__file__).with_name("cub_copy.cu")
        made = [nvcc, "-arch=native", "-O3", "-shared", "-Xcompiler", "-fPIC", "-o", library, source]
        if subprocess.run(made).returncode != 0:
            return None
        return ctypes.CDLL(str(library))


def places(rows, presets):
    """A copy's row for each image and filter to measure: of what is the same in all rows there."""
    return [
        row
        for row in rows
        if row["lane"]["variant"] == "copy"
        and row["preset"].startswith("peers")
        and (not presets or row["preset"] in presets)
        and row["cold"]
        and row["lane"]["format"] == "f32"
        and row["padding"] == "replicate"
        and row["filter"]["kind"] in ("gaussian", "box")
    ]


def text_of(place):
    width, height = place["image"]
    return f'{place["preset"]} {place["filter"]["kind"]} radius {place["filter"]["radius"]} {width}x{height}'


@functools.lru_cache(maxsize=1)
def noise(width, height):
    """The program's image of noise (app/check/check_cases.cpp): the upper 24 bits of a congruential sequence."""
    import numpy

    factor, step = 6364136223846793005, 1442695040888963407
    mask = (1 << 64) - 1
    first = width * 31 + height
    for _ in range(3):
        first = (first * factor + step) & mask
    values = numpy.array([first], dtype=numpy.uint64)
    while len(values) < width * height:  # what is known, and as many steps further on
        further = values * numpy.uint64(factor) + numpy.uint64(step)
        values = numpy.concatenate([values, further])
        factor, step = factor * factor & mask, (factor * step + step) & mask
    values = values[: width * height] >> numpy.uint64(40)
    return (values.astype(numpy.float32) / numpy.float32(1 << 24)).reshape(height, width)


def taps_of(spec):
    import numpy

    radius = spec["radius"]
    at = numpy.arange(-radius, radius + 1, dtype=numpy.float64)
    taps = numpy.exp(-(at**2) / (2 * spec["sigma"] ** 2)) if spec["kind"] == "gaussian" else numpy.ones_like(at)
    return (taps / taps.sum()).astype(numpy.float32)


def reference(torch, image, taps, mirrored=False):
    """In double precision, each sum tap by tap. mirrored: at the middle of the outermost pixels, not replicated."""
    radius, result = len(taps) // 2, image.double()
    for axis in (1, 0):
        last = result.shape[axis] - 1
        index = torch.arange(-radius, result.shape[axis] + radius, device=result.device)
        index = last - (last - index.abs()).abs() if mirrored else index.clamp(0, last)
        padded, size = result.index_select(axis, index), result.shape[axis]
        result = torch.zeros_like(result)
        for i, tap in enumerate(taps):
            result += float(tap) * padded.narrow(axis, i, size)
    return result


def torch_filter(torch, taps):
    """Padded once, then a row and a column as cuDNN convolves, in 32-bit floats."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    row = torch.from_numpy(taps).cuda()[None, None, None, :]
    column, radius = row.transpose(2, 3).contiguous(), len(taps) // 2

    def run(image):
        padded = torch.nn.functional.pad(image[None, None], [radius] * 4, mode="replicate")
        return torch.nn.functional.conv2d(torch.nn.functional.conv2d(padded, row), column)[0, 0]

    return run


def cupy_filter(torch, cupy, taps):
    from cupyx.scipy.ndimage import convolve1d

    row = cupy.asarray(taps)

    def run(image):
        rows = convolve1d(cupy.from_dlpack(image), row, axis=1, mode="nearest")  # on the stream that PyTorch's is
        return torch.from_dlpack(convolve1d(rows, row, axis=0, mode="nearest"))

    return run


def cub_copy(torch, cub):
    def run(image):
        copy = torch.empty_like(image)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        source, target = ctypes.c_void_p(image.data_ptr()), ctypes.c_void_p(copy.data_ptr())
        if cub.cub_copy(source, target, image.numel(), stream) != 0:
            raise RuntimeError("CUB cannot copy")
        return copy

    return run


def cucim_filter(torch, cupy, spec):
    from cucim.skimage.filters import gaussian

    def run(image):
        source = cupy.from_dlpack(image)
        filtered = gaussian(source, spec["sigma"], mode="nearest", truncate=spec["radius"] / spec["sigma"])
        return torch.from_dlpack(filtered)

    return run


def cvcuda_filter(torch, cvcuda, spec):
    size, sigma, edge = (2 * spec["radius"] + 1,) * 2, (spec["sigma"],) * 2, cvcuda.Border.REPLICATE
    stream = cvcuda.as_stream(torch.cuda.current_stream())

    def run(image):
        source = cvcuda.as_tensor(image[..., None], "HWC")
        if spec["kind"] == "box":
            filtered = cvcuda.averageblur(source, size, border=edge, stream=stream)
        else:
            filtered = cvcuda.gaussian(source, size, sigma, edge, stream=stream)
        return torch.as_tensor(filtered.cuda(), device="cuda")[..., 0]

    return run


def dali_filter(torch, spec):
    import nvidia.dali.experimental.dynamic as dali

    # The default stream by its other name: 0, which PyTorch uses, is no stream in the DLPack protocol.
    stream = types.SimpleNamespace(__cuda_stream__=lambda: (0, 1), device_id=torch.cuda.current_device())
    context = dali.EvalContext(cuda_stream=stream)

    def run(image):
        with context, dali.EvalMode.sync_cpu:  # the kernels are in the stream when the call returns
            source = dali.as_tensor(image[..., None], layout="HWC")
            filtered = dali.gaussian_blur(source, window_size=2 * spec["radius"] + 1, sigma=spec["sigma"])
            return filtered.torch()[..., 0]

    return run


def on_gpu(torch, filters, image, cache_bytes, rounds):
    """Samples in ms of each filter, and its result, in turns. Sources and results take turns, too."""
    buffers = max(2, -(-4 * cache_bytes // (2 * image.nbytes)))
    sources = [torch.from_numpy(image).cuda() for _ in range(buffers)]
    results = {name: [None] * buffers for name in filters}
    samples = {name: [] for name in filters}
    launches, late = {}, dict.fromkeys(filters, 0)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def sample(name, count, first):
        for i in range(first - 4, first):
            filters[name](sources[i % buffers])
        begin.record()
        for i in range(first, first + count):
            results[name][i % buffers] = filters[name](sources[i % buffers])
        end.record()
        end.synchronize()
        clock = time.perf_counter()
        torch.cuda.synchronize()
        late[name] += (time.perf_counter() - clock) * 1e3 > 0.1 + 0.1 * begin.elapsed_time(end)
        return begin.elapsed_time(end) / count

    for name in filters:
        sample(name, 2 * buffers, 0)  # libraries choose and compile, allocations settle
        turns = max(1, min(50 // buffers, round(0.5 / sample(name, buffers, 0) / buffers)))
        launches[name] = turns * buffers  # all buffers as often as the others
    for turn in range(rounds):
        for name in list(filters)[:: 1 if turn % 2 == 0 else -1]:
            samples[name].append(sample(name, launches[name], turn * launches[name]))
    for name in filters:
        if late[name] > rounds / 2:
            raise RuntimeError(f"{name} works in a stream of its own, where these events do not measure")
    return samples, {name: made[(rounds * launches[name] - 1) % buffers] for name, made in results.items()}, launches


def ratio_to(samples, base):
    """Of the medians, with its 95 % interval when rounds are drawn again."""
    again = random.Random(42)
    ratios = []
    for _ in range(1000):
        drawn = [again.randrange(len(base)) for _ in base]
        ratios.append(statistics.median(samples[i] for i in drawn) / statistics.median(base[i] for i in drawn))
    ratios.sort()
    low, high = ratios[24], ratios[974]
    outcome = "faster" if high < 1 else "slower" if low > 1 else "tie"
    return {"outcome": outcome, "ratio": statistics.median(samples) / statistics.median(base), "low": low, "high": high}


def row_of(place, variant, processor, samples, launches, error, largest=LARGEST_ERROR):
    """What the program would have written. error: of all pixels; beyond `largest` the result is wrong."""
    row = dict(place)
    row.update(
        lane={**place["lane"], "variant": variant},
        processor=processor,
        date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"),
        ms=samples,
        launches=launches,
        max_error=error if math.isfinite(error) else 0.0,  # JSON has no other numbers; the text says it
        checked_share=1.0,
        baseline="",
        against={"outcome": "measuring", "ratio": 1.0, "low": 1.0, "high": 1.0},
        sm_mhz=[0, 0],
        rounds_thrown_away=0,
        throttled="",
        less_exact=False,
        state="measured",
        text="",
        first_ms=0.0,
        single_ms=0.0,
        mean_of_10_ms=0.0,
        host_ms=0.0,
    )
    if not error <= largest:
        row.update(state="wrong", text=f"largest error {error:.2g}", ms=[])
    return row


def measured(libraries, place, environment, rounds):
    """Rows of all libraries that are there."""
    import numpy

    image, taps = noise(*place["image"]), taps_of(place["filter"])
    torch, rows, spec = libraries["torch"], [], place["filter"]
    truth = reference(torch, torch.from_numpy(image).cuda(), taps)
    filters = {COPY: lambda source: source.clone(), "torch_conv2d": torch_filter(torch, taps)}
    if "cub" in libraries:
        filters["cub_copy"] = cub_copy(torch, libraries["cub"])
    if "cupy" in libraries:
        filters["cupy_convolve1d"] = cupy_filter(torch, libraries["cupy"], taps)
    if "cvcuda" in libraries:
        filters["cvcuda_" + spec["kind"]] = cvcuda_filter(torch, libraries["cvcuda"], spec)
    if "cucim" in libraries and spec["kind"] == "gaussian":
        filters["cucim_gaussian"] = cucim_filter(torch, libraries["cupy"], spec)
    if "dali" in libraries and spec["kind"] == "gaussian":
        filters["dali_gaussian"] = dali_filter(torch, spec)
    refused = {}
    for name in list(filters):
        try:
            filters[name](torch.from_numpy(image).cuda())
        except RuntimeError as error:  # for example, CV-CUDA's filters have a largest size
            refused[name] = str(error).splitlines()[0]
            del filters[name]
    samples, results, launches = on_gpu(torch, filters, image, environment["cache_bytes"], rounds)
    for name, why in refused.items():
        rows.append(row_of(place, name, environment["processor"], [], 0, 0) | {"state": "refused", "text": why})
    for name in filters:
        wanted = truth
        if name in COPIES:
            wanted = torch.from_numpy(image).cuda()
        elif name == "dali_gaussian":
            wanted = reference(torch, torch.from_numpy(image).cuda(), taps, mirrored=True)
        error = float((results[name] - wanted).abs().max())
        row = row_of(place, name, environment["processor"], samples[name], launches[name], error)
        if name not in COPIES:
            row["multiply_adds"] = 2 * len(taps) * image.size
        if name != COPY:
            if row["state"] == "measured":
                row.update(baseline=COPY, against=ratio_to(samples[name], samples[COPY]))
        rows.append(row)
    if "opencv" in libraries:
        cv2, samples = libraries["opencv"], []
        buffers = [(image.copy(), numpy.zeros_like(image)) for _ in range(4)]
        for turn in range(10):
            source, result = buffers[turn % len(buffers)]
            begin = time.perf_counter()
            cv2.sepFilter2D(source, -1, taps, taps, dst=result, borderType=cv2.BORDER_REPLICATE)
            if turn > 0:
                samples.append((time.perf_counter() - begin) * 1e3)
        error = float((torch.from_numpy(result).cuda() - truth).abs().max())
        row = row_of(place, "opencv_sepfilter2d", f"CPU, {cv2.getNumThreads()} threads", samples, 1, error)
        row.update(multiply_adds=2 * len(taps) * image.size)
        rows.append(row)
    return rows


def put(rows, row):
    """Takes the place of the row of the same configuration, or comes behind the last one of its preset."""
    same = [i for i, r in enumerate(rows) if all(r[k] == row[k] for k in ("preset", "image", "filter", "padding", "lane"))]
    if same:
        rows[same[0]] = row
    else:
        rows.insert(1 + max(i for i, r in enumerate(rows) if r["preset"] == row["preset"]), row)


def write(path, results):
    """As the program writes it, a row a line; what is there stays until all of it is in the new file."""
    head = {key: value for key, value in results.items() if key != "rows"}
    rows = ",\n".join(json.dumps(row, allow_nan=False) for row in results["rows"])
    with open(path + ".new", "w") as file:
        file.write(json.dumps(head)[:-1] + f', "rows": [\n{rows}\n]}}\n')
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="the --json file of `convoscope bench --peers`")
    parser.add_argument("--preset", default="", help="these alone, parted by commas")
    parser.add_argument("--rounds", type=int, default=32)
    parser.add_argument("--list", action="store_true", help="what would be measured")
    options = parser.parse_args()
    try:
        with open(options.results) as file:
            results = json.load(file)
        wanted = places(results["rows"], [p for p in options.preset.split(",") if p])
        processor, _ = (results["environment"][key] for key in ("processor", "cache_bytes"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{options.results}: not a results file of convoscope bench ({error})", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(text_of(place) for place in wanted))
        return 0
    libraries = installed()
    if "torch" not in libraries:
        print("PyTorch with a GPU is needed, whose copies the others stand beside; the file is as it was", file=sys.stderr)
        return 2
    name = libraries["torch"].cuda.get_device_name()
    if name != processor:
        print(f"{options.results} is of an {processor}, this is an {name}", file=sys.stderr)
        return 2
    names = {"torch": "PyTorch", "cupy": "CuPy", "cucim": "cuCIM", "cvcuda": "CV-CUDA", "dali": "DALI", "opencv": "OpenCV"}
    print(", ".join(f"{names[key]} {library.__version__}" for key, library in libraries.items() if key in names))
    for place in wanted:
        for row in measured(libraries, place, results["environment"], options.rounds):
            put(results["rows"], row)
            took = f'{statistics.median(row["ms"]) * 1e3:.1f} us' if row["ms"] else row["text"]
            copies = f', {row["against"]["ratio"]:.2f} copies' if row["baseline"] else ""
            print(f'{text_of(place)}: {row["lane"]["variant"]} {took}{copies}, error {row["max_error"]:.1e}')
        write(options.results, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
