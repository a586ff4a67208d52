"""shares.py NAME PERF GAIT [AGAIN]: overlap of self time by function, of perf's report (samples|object|symbol) and of
gait's (JSON). Both are samples of two runs, so some of the difference is chance: by how much is worked out
from the number of samples and allowed for. AGAIN, what perf reports of another run: where the machine does other work,
perf does not agree with itself, and no more is asked of gait."""
import json
import math
import os
import re
import sys

BAR = 97.0
name, perf_path, gait_path, *again_paths = sys.argv[1:]


def one_name(symbol):
    """libc's memcpy and memmove are one function with two names: which is shown is anybody's choice."""
    return re.sub(r"^cfree$", "free", re.sub(r"@@?GLIBC.*", "", symbol.replace("__memcpy_", "__memmove_")))


def perf_read(path):
    perf = {}
    for line in open(path):
        parts = [part.strip() for part in line.split("|")]
        if line.startswith("#") or len(parts) < 3 or not parts[0].isdigit():
            continue
        symbol = re.sub(r"^\[.\] *", "", parts[2])
        key = (parts[1], one_name(symbol) if not symbol.startswith("0x") else "?")
        perf[key] = perf.get(key, 0) + int(parts[0])
    return perf


perf = perf_read(perf_path)
report = json.load(open(gait_path))
gait = {}
for row in report["rows"]:
    module = row["address"].rsplit("+0x", 1)[0]
    key = (module, one_name(row["name"]) if "+0x" not in row["name"] else "?")
    gait[key] = gait.get(key, 0) + row["time"]

n = sum(perf.values())
total = sum(gait.values())
keys = perf.keys() | gait.keys()
shares = {key: (perf.get(key, 0) / n, gait.get(key, 0) / total) for key in keys}
overlap = 100 * sum(min(pair) for pair in shares.values())
# Two samples of n each of the same program: half of the expected sum of |difference| is what overlap lacks.
chance = 100 * sum(math.sqrt(2 * max(p, g) / n) for p, g in shares.values()) * math.sqrt(2 / math.pi) / 2
print(f"{name}: overlap {overlap:.2f} % with perf over {len(keys)} functions, {n} samples; chance alone takes {chance:.2f}")
bar = BAR - chance
for path in again_paths:
    again = perf_read(path)
    own = 100 * sum(min(perf.get(key, 0) / n, again.get(key, 0) / sum(again.values())) for key in perf)
    print(f"{name}: overlap {own:.2f} % of perf with perf")
    bar = min(bar, own - chance)
if overlap < bar or n < 1000:
    for key, (p, g) in sorted(shares.items(), key=lambda item: -abs(item[1][0] - item[1][1]))[:10]:
        print(f"    {os.path.basename(key[0])} {key[1]}: perf {100 * p:.2f} %, gait {100 * g:.2f} %")
    sys.exit(1)
