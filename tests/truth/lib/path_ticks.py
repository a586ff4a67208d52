"""path_ticks.py PATHS INFO TOLD: ticks along paths of tests/programs/costs.c (gait paths --json, gait info --json) against what the program told of itself natively, several times: "function
nanoseconds rounds" a line.

Processors are not always as fast: what is compared is shares. A path is right within 15 %, or within its interval; all of them within 10 % of the CPU time since the program began, which is
known to a hundredth of a second. Where a call's time goes over from who calls to who is called is a matter of some additions: each of them is right within 25 %, both together within 15."""

import json
import sys

WITHIN, SUM_WITHIN, UNKNOWN, HOT = 0.15, 0.10, 0.01, 10000
CALL_WITHIN, CALL = 0.25, (("called", 40), ("calls", 60))
paths, info, told = sys.argv[1:4]
with open(paths) as file:
    paths = json.load(file)
with open(info) as file:
    info = json.load(file)
with open(told) as file:
    lines = [line.split() for line in file]
least = {}
for name, ticks, rounds in lines:
    least[name] = min(least.get(name, float("inf")), int(ticks) / int(rounds))
assert len(least) == 6, told
each = least["adds_1000"] / 1000
wanted = {("adds_either", n): n * each for n in (20, 70, 120, 170)}
wanted |= {("called", 40): 40 * each, ("calls", 60): least["calls"] - 40 * each}
wanted |= {(name, None): least[name] for name in ("adds_10", "adds_100", "adds_1000", "divides")}
found, bad = {}, 0
for row in paths["rows"]:
    name, ticks = row["function"], row["metrics"]["ticks"]
    if row["count"] < HOT or ticks is None:
        continue
    adds = {"called": 40, "calls": 60}.get(name)
    if name == "adds_either":
        length = row["metrics"]["instructions"] / row["count"]
        adds = min((20, 70, 120, 170), key=lambda n: abs(n + 8 - length))
    if (name, adds) in wanted:
        found[(name, adds)] = row
assert len(found) == len(wanted), sorted(set(wanted) - set(found), key=str)
native = sum(wanted[key] * row["count"] for key, row in found.items())
ticks = sum(row["metrics"]["ticks"] for row in found.values())
for key, row in found.items():
    metrics, scale = row["metrics"], native / ticks / row["count"]
    one, low, high = (metrics[name] * scale for name in ("ticks", "ticks_lo", "ticks_hi"))
    fits = abs(one / wanted[key] - 1) <= (CALL_WITHIN if key in CALL else WITHIN) or low <= wanted[key] <= high
    print(f"{key[0]} {key[1] or ''}: {one:.1f} ({low:.1f} to {high:.1f}) of {wanted[key]:.1f} ns, {metrics['measured']} of {row['count']} measured{'' if fits else ': BAD'}")
    bad |= not fits
both, right = native / ticks * sum(found[key]["metrics"]["ticks"] for key in CALL), sum(wanted[key] * found[key]["count"] for key in CALL)
if abs(both / right - 1) > WITHIN:
    print(f"who calls and who is called: {both / right:.2f} of what they take: BAD")
    bad = True
every = sum(row["metrics"]["ticks"] or 0 for row in paths["rows"])
times = info["rows"][0]
hertz = float(info["facts"]["tsc_hz"][0])
cpu = (times["user_time"] - max(times["agent_time"] - times["kernel_time"], 0)) * hertz
fits = abs(every - cpu) <= SUM_WITHIN * cpu + UNKNOWN * hertz
print(f"all: {every:.3g} of {cpu:.3g} ticks of CPU time, {paths['ticks_raw']:.2f} as measured, {paths['ticks_look']:.1f} off a look{'' if fits else ': BAD'}")
sys.exit(bad or not fits)
