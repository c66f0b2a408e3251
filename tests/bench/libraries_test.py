#!/usr/bin/env python3
"""What tests/bench/libraries.py does without a GPU: which places it measures, and how its rows join the others.

    tests/bench/libraries_test.py SOURCE_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import libraries


def main():
    results = pathlib.Path(sys.argv[1]) / "assets/results/h200-peers.json"
    rows = json.loads(results.read_text())["rows"]
    found = libraries.places(rows, [])
    assert len(found) == 7 * 3 + 8, len(found)
    assert all(place["cold"] and place["lane"]["format"] == "f32" for place in found)
    assert {place["preset"] for place in libraries.places(rows, ["peers-hd"])} == {"peers-hd"}

    place = found[0]
    row = libraries.row_of({**place, "rounds_thrown_away": 7}, "torch_conv2d", "a GPU", [0.2] * 32, 3, 1e-7)
    assert row["rounds_thrown_away"] == 0  # that was the copy's
    assert row["state"] == "measured" and row["lane"]["block"] == place["lane"]["block"]
    wrong = libraries.row_of(place, "torch_conv2d", "a GPU", [0.1] * 32, 3, 2e-5)
    assert wrong["state"] == "wrong" and not wrong["ms"], wrong  # a wrong result has no time
    assert libraries.row_of(place, "opencv_blur", "CPU", [0.1], 1, 2e-5, 1e-4)["state"] == "measured"
    nothing = libraries.row_of(place, "torch_conv2d", "a GPU", [0.1], 3, float("nan"))
    assert nothing["state"] == "wrong" and "nan" in nothing["text"]
    json.dumps(nothing, allow_nan=False)

    joined = [r for r in rows if r["lane"]["variant"] != "torch_conv2d"]
    before = len(joined)
    libraries.put(joined, row)
    libraries.put(joined, wrong)
    assert len(joined) == before + 1 and wrong in joined and row not in joined
    at = joined.index(wrong)
    assert joined[at - 1]["preset"] == place["preset"]

    against = libraries.ratio_to([2.0, 2.1, 1.9] * 10, [1.0, 1.01, 0.99] * 10)
    assert against["outcome"] == "slower" and against["low"] <= against["ratio"] <= against["high"], against
    assert libraries.ratio_to([1.0, 1.2, 0.8] * 10, [1.0, 1.2, 0.8] * 10)["outcome"] == "tie"

    script = pathlib.Path(__file__).with_name("libraries.py")
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "whole.json"
        libraries.write(str(whole), {"environment": {"processor": "a GPU"}, "rows": joined})
        assert json.loads(whole.read_text())["rows"] == joined
        broken = pathlib.Path(folder) / "broken.json"
        broken.write_text('{"rows": 3}')
        ran = subprocess.run([sys.executable, script, broken], capture_output=True, text=True)
        assert ran.returncode == 2 and "not a results file of convoscope bench" in ran.stderr, ran
        of_cpu = script.with_name("cpu_libraries.py")
        ran = subprocess.run([sys.executable, of_cpu, "convoscope", whole], capture_output=True, text=True)
        assert ran.returncode == 2 and "is no folder. Create it first" in ran.stderr, ran
    return 0


if __name__ == "__main__":
    sys.exit(main())
