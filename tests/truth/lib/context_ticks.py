"""context_ticks.py --ticks|--ticks=all JSON TOLD: self ticks of functions in contexts (gait contexts --json) against what the program told: "caller function ticks ticks calls" a line, the first
without calls in which others had the CPU: few, and each so long that it tells whether one of them was measured; and how often others had it.

A stay has more in it than the program can see: its way in and out, up to EDGE ticks a call, and the first time that its code is made. Where others had the CPU, they may have had it on the way in and out as well, or only there, as long as in all stays together:
once 28 million ticks where the program saw 4.3. Four times the deviation is allowed, a chance of 1 in 16,000."""

import json
import sys

EDGE, MAKING, DISTURBED = 250, 1e6, 5e7
mode, profile, told = sys.argv[1:4]
with open(profile) as file:
    rows = json.load(file)["rows"]
name_of = {row["id"]: row["function"] for row in rows}
found = {(name_of.get(row["parent"]), row["function"]): row for row in rows}
bad = 0
with open(told) as file:
    lines = [line.split() for line in file]
assert len(lines) == 7 and lines[-1][0] == "switches", told
switches, lines = int(lines[-1][1]), lines[:-1]
lost = sum(int(whole) - int(ticks) for _, _, ticks, whole, _ in lines)
disturbed = max(DISTURBED, lost) if switches or lost else 0
for caller, function, ticks, whole, calls in lines:
    ticks, whole, calls, row = int(ticks), int(whole), int(calls), found[(caller, function)]
    metrics = row["metrics"]
    half = (metrics["self_ticks_hi"] - metrics["self_ticks_lo"]) / 2 / 1.96 * 4
    least, most = 0.99 * ticks - half, 1.01 * whole + half + EDGE * calls + MAKING + disturbed
    fits = least <= metrics["self_ticks"] <= most and row["count"] == calls
    if mode == "--ticks":
        fits = fits and 0 < metrics["self_timed"] <= calls
        fits = fits and (function != "stay_short" or metrics["self_timed"] < calls)
    else:
        fits = fits and half == 0 and "self_timed" not in metrics
    print(f"{mode} {caller} {function}: {metrics['self_ticks']} of {ticks} to {whole}, {half:.0f} more or less, {metrics.get('self_timed', calls)} of {calls} measured{'' if fits else ': BAD'}")
    bad |= not fits
sys.exit(bad)
