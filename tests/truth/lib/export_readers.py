#!/usr/bin/python3
"""export_readers.py FOLDER TOTAL stacks|flat: what readers of other makers found in the exports of one profile in FOLDER: collapsed, as it is;
pprof.txt, of protoc with pprof's own definition; seen.json, of speedscope's importers (may be missing). All must
find the same weight in the same innermost functions, TOTAL together (or "-": not known, then all the same)."""

import json
import os
import re
import sys


def collapsed(path):
    """By the rules of flame graphs: frames without ';', one count, at the end. Ours come sorted and once each."""
    functions, before = {}, None
    with open(path) as file:
        for line in file:
            match = re.fullmatch(r"([^;\x00-\x1f]+(?:;[^;\x00-\x1f]+)*) ([1-9][0-9]*)\n", line)
            if not match:
                sys.exit(f"{path}: bad line {line!r}")
            stack = match[1].split(";")
            if before is not None and stack == before:
                sys.exit(f"{path}: a stack comes twice: {line!r}")
            before = stack
            name = re.sub(r"_\[[kj]\]$", "", stack[-1])
            functions[name] = functions.get(name, 0) + int(match[2])
    return functions


def blocks(text):
    """The messages of protoc's text, each as {field: [values]}, nested."""
    stack = [{}]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            inner = {}
            stack[-1].setdefault(line[:-1].strip(), []).append(inner)
            stack.append(inner)
        elif line == "}":
            stack.pop()
        elif line:
            field, value = line.split(": ", 1)
            stack[-1].setdefault(field, []).append(json.loads(re.sub(r"\\([0-7]{3})", lambda m: "\\u%04x" % int(m[1], 8), value.replace("\\'", "'")))
                                                   if value.startswith('"') else value)
    return stack[0]


def pprof(path):
    with open(path) as file:
        profile = blocks(file.read())
    strings = profile["string_table"]
    assert strings[0] == "" and len(set(strings)) == len(strings), "string table"
    functions = {f["id"][0]: strings[int(f["name"][0])] for f in profile["function"]}
    mappings = {m["id"][0] for m in profile["mapping"]}
    locations = {}
    for location in profile["location"]:
        assert location["mapping_id"][0] in mappings, location
        locations[location["id"][0]] = [functions[line["function_id"][0]] for line in location["line"]]
    assert len(profile["sample_type"]) == 1
    found, real = {}, {}
    for sample in profile["sample"]:
        for used in sample["location_id"]:
            assert used in locations, used
        assert len(sample["value"]) == 1 and int(sample["value"][0]) > 0
        leaf = locations[sample["location_id"][0]][0]
        found[leaf] = found.get(leaf, 0) + int(sample["value"][0])
        leaf = locations[sample["location_id"][0]][-1]
        real[leaf] = real.get(leaf, 0) + int(sample["value"][0])
    unit = tuple(strings[int(profile["sample_type"][0][key][0])] for key in ("type", "unit"))
    return found, real, unit


def folded(name):
    """As the collapsed format must write it."""
    return re.sub(r"[\x00-\x1f\x7f]", "?", name.replace(";", ":"))


def main(folder, total, stacks):
    readers = {"flame graph": collapsed(f"{folder}/collapsed")}
    found, real, unit = pprof(f"{folder}/pprof.txt")
    readers["protoc"] = found
    totals = {}
    if os.path.exists(f"{folder}/seen.json"):
        with open(f"{folder}/seen.json") as file:
            seen = json.load(file)
        # It makes stacks of what calls cost, which files without stacks do not know.
        callgrind = seen.pop("callgrind")["total"]
        if stacks == "stacks":
            totals["callgrind in speedscope"] = callgrind
        for name, what in seen.items():
            strip = name == "collapsed"
            readers[f"{name} in speedscope"] = {}
            for function, weight in what["self"].items():
                function = re.sub(r"_\[[kj]\]$", "", function) if strip else function
                if weight:
                    into = readers[f"{name} in speedscope"]
                    into[function] = into.get(function, 0) + weight
            totals[f"{name} in speedscope, as it adds up"] = what["total"]
    folds = {}
    for reader, functions in readers.items():
        folds[reader] = {}
        for name, weight in functions.items():
            key = name if reader == "pprof in speedscope" else folded(name)
            folds[reader][key] = folds[reader].get(key, 0) + weight
        totals[reader] = sum(functions.values())
    first = folds["flame graph"]
    # speedscope takes of each place in a pprof file the real function and leaves out inlined ones.
    if folds.pop("pprof in speedscope", real) != real:
        sys.exit("pprof in speedscope: other functions than protoc finds")
    for reader, functions in folds.items():
        for name in sorted(first.keys() | functions.keys()):
            if first.get(name, 0) != functions.get(name, 0):
                sys.exit(f"{name}: {first.get(name, 0)} in the flame graph, {functions.get(name, 0)} as {reader} has it")
    expected = sum(first.values()) if total == "-" else int(total)
    for reader, got in totals.items():
        if got != expected:
            sys.exit(f"{reader}: {got}, not {expected}")
    print(f"{expected} {unit[0]} ({unit[1]}) in {len(first)} functions; the same to {', '.join(sorted(totals))}")
    return expected < 10**6 or len(first) < 20


sys.exit(main(*sys.argv[1:]))
