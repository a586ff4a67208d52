"""context_overlap.py JSON TOLD: self ticks (gait contexts --json) of the two functions that `visits` of tests/programs/overlap.c calls, against what the program told of itself natively when it calls only one of them:
"first|second|runs nanoseconds" a line, several times.

A stay is timed alone, between fences, which is more than it takes where it overlaps with others: the interval must reach down to what it takes natively, and long stays must not be wide."""

import json
import sys

WITHIN = 0.05
rows = {row["function"]: row for row in json.load(open(sys.argv[1]))["rows"]}
native = {}
for name, ns in (line.split() for line in open(sys.argv[2])):
    native[name] = min(native.get(name, float("inf")), int(ns))
first, second = rows["far_called"], rows["adds_called"]
counts = first["count"], second["count"]
alone = [count / sum(counts) * native[name] for count, name in zip(counts, ("first", "second"))]
shares = (alone[0] / sum(alone), min(alone[0] / native["runs"], 1), max(0, 1 - alone[1] / native["runs"]))
truth = min(shares), max(shares)


def ticks(row, end=""):
    return row["metrics"]["self_ticks" + end]


share = ticks(first) / (ticks(first) + ticks(second))
low, high = ticks(first, "_lo") / max(1, ticks(first, "_lo") + ticks(second, "_hi")), ticks(first, "_hi") / (ticks(first, "_hi") + ticks(second, "_lo"))
fits = low - WITHIN <= truth[1] and truth[0] <= high + WITHIN
print(f"far loads and additions: {share:.3f} ({low:.3f} to {high:.3f}) of {truth[0]:.3f} to {truth[1]:.3f}{'' if fits else ': BAD'}")
sys.exit(not fits)
