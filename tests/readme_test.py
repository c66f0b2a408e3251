#!/usr/bin/env python3
"""Runs the commands of README.md and app/cli/README.md as they are written: readme_test.py SOURCE_FOLDER PROGRAM

Each runs in a folder of its own that has the source folder's assets and an app/run that starts PROGRAM without building.
Commands that open the window, build, or run the tests are not run: the GUI tests and CI do that. So is `selftest`,
which is a test of its own.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def commands(page):
    for block in re.findall(r"^```\n(.*?)^```", page.read_text(), re.M | re.S):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["app/run"] and len(words) > 1 and words[1] in ("convolve", "bench", "lesson", "list"):
                yield line, words


def prepare(folder, source, program):
    (folder / "assets").symlink_to(source / "assets")
    (folder / "app").mkdir()
    run = folder / "app" / "run"
    run.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n')
    run.chmod(0o755)


def main(source, program):
    failed = 0
    for page in ("README.md", "app/cli/README.md"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            prepare(folder, source, program)
            environment = {**os.environ, "HOME": name, "XDG_DATA_HOME": name, "XDG_CACHE_HOME": name}
            found = list(commands(source / page))
            if not found:
                sys.exit(f"{page}: no command found")
            for line, words in found:
                ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
                if ran.returncode != 0:
                    failed += 1
                    print(f"{page}: {line}\nexit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
                # What a command names as its output is there.
                outputs = [words[i + 1] for i, word in enumerate(words) if word in ("--csv", "--plot")]
                if words[1] == "convolve":
                    outputs.append(words[2] if words[3].startswith("--") else words[3])
                for output in outputs:
                    if not (folder / output).exists():
                        failed += 1
                        print(f"{page}: {line}\nleft no {output}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
