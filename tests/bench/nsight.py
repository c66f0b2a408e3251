#!/usr/bin/env python3
"""Compares what `convoscope trace` counts in one block with the hardware counters that Nsight Compute reads over a whole
launch: sectors of global memory, wavefronts of shared memory. Needs a GPU, `ncu` and the right to read its counters.

    tests/bench/nsight.py CONVOSCOPE [--radius 5] [--block 16x16] [--format rgba8] [VARIANT ...]

A picture of 2048x2048 pixels, so that blocks at the edge, which read fewer different pixels, are few. Prints a table and
exits with 1 if a direct or tiled variant differs by more than 2 %. The trace counts what the text of a kernel says. The
compiler may join several reads of shared memory, and leaves out reads whose value is not used: in f32 that of the pixel
in the middle, whose alpha the other formats keep. The counters of shared memory also have turns that another access
delayed.
"""
import argparse
import csv
import io
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

SIDE = 2048
PLAIN = ["global", "constant", "tile_column_threads", "tile_nine_squares", "tile_linear", "tile_nested", "tile_batched"]
OTHERS = ["tile_unrolled", "direct_shuffle", "separable_tiles", "separable_whitepaper"]
COUNTERS = {
    "global sectors read": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global sectors written": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared wavefronts read": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared wavefronts written": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


def write_picture(path):
    """A .npy of random floats."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({SIDE}, {SIDE}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    numbers = random.Random(7)
    values = [numbers.random() for _ in range(SIDE * SIDE)]
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{SIDE * SIDE}f", *values)
    path.write_bytes(data)


def traced(step):
    """What all blocks together would count, if each did what the traced one does."""
    totals, blocks = step["totals"], step["grid"][0] * step["grid"][1]
    return {
        "global sectors read": blocks * (totals["global_read"]["sectors"] + totals["tap_read"]["sectors"]),
        "global sectors written": blocks * totals["global_write"]["sectors"],
        "shared wavefronts read": blocks * totals["shared_read"]["wavefronts"],
        "shared wavefronts written": blocks * totals["shared_write"]["wavefronts"],
    }


def counted(text):
    """The counters of each kernel, in the order of the launches."""
    table = text[text.index('"ID"'):]
    kernels = {}
    for row in csv.DictReader(io.StringIO(table)):
        kernels.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return [kernels[number] for number in sorted(kernels)]


def compare(program, folder, variant, options):
    """Lines of the table, and the largest difference."""
    picture = folder / "picture.npy"
    settings = ["--variant", variant, "--padding", "replicate", *options]
    trace = json.loads(subprocess.run([program, "trace", picture, *settings, "--json"], check=True, capture_output=True).stdout)
    profiled = subprocess.run(
        ["ncu", "--csv", "--clock-control", "none", "--metrics", ",".join(COUNTERS.values()), program, "convolve", picture,
         folder / "result.npy", *settings, "--device", "gpu", "--force"], capture_output=True, text=True, check=False)
    if profiled.returncode != 0 or '"ID"' not in profiled.stdout:
        raise SystemExit(f"ncu: {profiled.stdout[-500:]}{profiled.stderr[-500:]}")
    kernels = counted(profiled.stdout)
    if len(kernels) != len(trace["steps"]):
        raise SystemExit(f"{variant}: {len(trace['steps'])} steps, but {len(kernels)} kernels ran")
    lines, largest = [], 0.0
    for step, kernel in zip(trace["steps"], kernels):
        for name, count in traced(step).items():
            hardware = kernel[COUNTERS[name]]
            if count == hardware == 0:
                continue
            apart = abs(count / hardware - 1) if hardware else 1.0
            largest = max(largest, apart)
            lines.append(f"{variant:22} {step['title']:12} {name:26} {count:12} {hardware:12.0f} {100 * apart:6.2f} %")
    return lines, largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("variants", nargs="*")
    parser.add_argument("--radius", default="5")
    parser.add_argument("--block", default="16x16")
    parser.add_argument("--format", default="rgba8")
    arguments = parser.parse_args()
    options = ["--radius", arguments.radius, "--block", arguments.block, "--format", arguments.format]
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_picture(folder / "picture.npy")
        print(f"{'variant':22} {'step':12} {'what':26} {'trace':>12} {'ncu':>12} {'apart':>8}")
        for variant in arguments.variants or PLAIN + OTHERS:
            lines, largest = compare(arguments.program, folder, variant, options)
            print("\n".join(lines), flush=True)
            if variant in PLAIN and largest > 0.02:
                failed.append(variant)
    print(f"more than 2 % apart: {', '.join(failed)}" if failed else "all direct and tiled variants are within 2 %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
