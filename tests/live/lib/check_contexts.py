#!/usr/bin/python3
"""Counts contexts again from exported stacks: check_contexts.py FLAT.json TREE.json UP.json <collapsed.

The stacks are those that `gait export` writes, which shares no code with contexts. Kernel frames end in _[k]. Times
are compared as shares: exported weights are those of samples, contexts are scaled to what the kernel counted."""
import collections
import json
import sys

self_of, total_of, paths, ups = (collections.Counter() for _ in range(4))
whole = 0
for line in sys.stdin:
    stack, weight = line.rsplit(" ", 1)
    frames = stack.split(";")[1:]  # without the thread
    if frames[-1].endswith("_[k]"):
        continue
    weight = int(weight)
    whole += weight
    self_of[frames[-1]] += weight
    for name in set(frames):
        total_of[name] += weight
    for n in range(1, len(frames) + 1):
        paths[tuple(frames[:n])] += weight
        ups[tuple(reversed(frames[-n:]))] += weight

flat, tree, up = (json.load(open(path, encoding="utf-8"))["rows"] for path in sys.argv[1:4])
seconds = sum(row["metrics"]["self_time"] for row in flat)
wrong = 0


def same(what, got, expected):
    global wrong
    if abs(got / seconds - expected / whole) > 1e-6 and wrong < 10:
        print(f"{what}: {got / seconds:.6f} of all, stacks say {expected / whole:.6f}")
        wrong += 1


by_name = collections.Counter()
selves = collections.Counter()
for row in flat:
    by_name[row["function"]] += row["time"]
    selves[row["function"]] += row["metrics"]["self_time"]
for name in total_of:
    same(f"total of {name}", by_name[name], total_of[name])
    same(f"self of {name}", selves[name], self_of[name])
for rows, expected in ((tree, paths), (up, ups)):
    got, path_of = collections.Counter(), {}
    for row in rows:
        path = path_of.get(row["parent"], ()) + (row["function"],)
        path_of[row["id"]] = path
        got[path] += row["time"]
    for path in expected:
        same(" > ".join(path), got[path], expected[path])
    for path in got:
        if got[path] and path not in expected:
            same(" > ".join(path), got[path], 0)
print(f"{len(total_of)} functions and {len(paths) + len(ups)} paths compared")
sys.exit(wrong > 0 or not paths)
