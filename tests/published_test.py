#!/usr/bin/env python3
"""Holds assets/published.json against its schema; and, given the folder of the documents, each number against their text.

    tests/published_test.py SOURCE_FOLDER [DOCUMENTS_FOLDER]
"""
import json
import pathlib
import re
import sys

import jsonschema

NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")


def numbers(text):
    """Every number of the text; "1,735" is 1735."""
    return [float(word.replace(",", "")) for word in NUMBER.findall(text)]


def plain(text):
    """Without blanks, tags and formula marks, and with one sign for "times"."""
    return re.sub(r"[\s$]|</?b>", "", text.replace("\\times", "×"))


def faults_of_table(table, lines):
    """A table holds a line with all numbers of a place; a list of series, each number in the document's text."""
    places = table.get("printed", table["places"])
    for index, place in enumerate(places):
        values = [series["values"][index] for series in table["series"]]
        line_holds = lambda line: all(value in numbers(line) for value in values)
        named = [line for line in lines if line_holds(line) and (plain(place) in plain(line) or len(values) == 1)]
        if not named and not (table["table"] == "text" and all(value in numbers(" ".join(lines)) for value in values)):
            yield f'{table["source"]} {table["table"]}: no line with {place}: {values}'


def main():
    root = pathlib.Path(sys.argv[1])
    published = json.loads((root / "assets/published.json").read_text())
    schema = json.loads((root / "assets/published.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(published))
    if error:
        print(f"{list(error.absolute_path)}: {error.message[:200]}")
        return 1
    for table in published["tables"]:
        for series in table["series"]:
            assert len(series["values"]) == len(table["places"]) == len(table.get("printed", table["places"])), table["table"]
    if len(sys.argv) < 3:
        print("schema holds; no documents to look in")
        return 0
    texts = {}
    for path in sorted(pathlib.Path(sys.argv[2]).glob("S*.txt")):
        texts[path.name[:2]] = path.read_text()
    faults, found, beside = [], 0, 0
    for table in published["tables"]:
        count = sum(len(series["values"]) for series in table["series"])
        if table["ext"]:
            beside += count
            continue
        faults += faults_of_table(table, texts[table["source"]].splitlines())
        found += count
    for gpu in published["gpus"]:
        if gpu["ext"]:
            beside += 1
            continue
        for key in ("cores", "multiprocessors", "memory_gb", "bandwidth_gb_per_s", "shared_kb"):
            found += 1
            if gpu[key] not in numbers(texts[gpu["source"]]):
                faults.append(f'{gpu["name"]}: {key} {gpu[key]}')
    for claim in published["claims"]:
        found += len(claim["values"])
        if plain(claim["quote"]) not in plain(texts[claim["source"]]):
            faults.append(f'{claim["source"]} does not say: {claim["quote"]}')
    print("\n".join(faults))
    print(f"{found} numbers looked for in the documents, {len(faults)} faults; {beside} are of material beside them")
    return 1 if faults else 0


sys.exit(main())
