#!/usr/bin/env python3
"""Sizes of the code: functions by room, the largest classes, and what the house wants few of.

Needs `pip install lizard==1.24.3` and universal-ctags. Run from the source folder: tests/code_numbers.py
"""
import collections
import json
import pathlib
import statistics
import subprocess

import lizard


def files():
    for room in ("app", "kernels"):
        for path in sorted(pathlib.Path(room).rglob("*")):
            if path.suffix in (".cpp", ".h", ".cu"):
                yield path


def functions(path):
    return lizard.analyze_file.analyze_source_code(path.with_suffix(".cpp").name, path.read_text()).function_list


def room_of(path):
    return "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def print_functions():
    by_room = collections.defaultdict(list)
    for path in files():
        for function in functions(path):
            by_room[room_of(path)].append((function.length, function.cyclomatic_complexity, function.name, str(path)))
    everything = [f for found in by_room.values() for f in found]
    print(f"{'room':18} functions  lines: median  p90  max  complexity > 10")
    for room, found in sorted(by_room.items()) + [("all", everything)]:
        lines = [f[0] for f in found]
        complex_ones = sum(f[1] > 10 for f in found) / len(found)
        print(f"{room:18} {len(found):9}  {statistics.median(lines):13.0f} {percentile(lines, 0.9):4} {max(lines):4}  "
              f"{complex_ones:15.1%}")
    print("\nlongest functions")
    for lines, complexity, name, path in sorted(everything, reverse=True)[:10]:
        print(f"{lines:5} lines, complexity {complexity:3}  {name}  {path}")


def print_classes():
    """Members and methods of each class and struct, with those of the types declared inside it."""
    tags = subprocess.run(["ctags", "--languages=c++", "--langmap=c++:+.cu", "--kinds-c++=mpcsn", "--output-format=json",
                           "-f", "-", *map(str, files())], capture_output=True, text=True, check=True).stdout
    members, methods = collections.Counter(), collections.Counter()
    tags = [json.loads(line) for line in tags.splitlines()]
    namespaces = {tag["name"] for tag in tags if tag["kind"] == "namespace"}
    for tag in tags:
        scopes = [part for part in tag.get("scope", "").split("::")
                  if part not in namespaces and not part.startswith("__anon")]
        outermost = scopes[0] if scopes else ""
        if tag["kind"] == "member":
            members[outermost] += 1
        elif tag["kind"] == "prototype" and tag["path"].endswith(".h"):
            methods[outermost] += 1
    print("\nlargest classes: members, methods")
    for name, count in sorted(members.items(), key=lambda item: -item[1] - methods[item[0]])[:12]:
        print(f"{count:4} {methods[name]:4}  {name}")


def main():
    print_functions()
    print_classes()
    texts = {path: path.read_text() for path in files()}
    in_app = sum(text.count("#if defined(CONV_WITH_CUDA)") for path, text in texts.items() if path.parts[0] == "app")
    loose = [path for path in pathlib.Path("app").iterdir() if path.is_file()]
    print(f"\n#if CONV_WITH_CUDA in app: {in_app}")
    print(f"loose files in app: {len(loose)}")
    print(f"words of README.md: {len(pathlib.Path('README.md').read_text().split())}")


if __name__ == "__main__":
    main()
