#!/bin/bash
# Shares of time by function against perf's, of the same program: two samples of one truth must agree as
# far as their intervals say. Self and with all that was called.
cd "$(dirname "$0")/../.." || exit 1
gait=$PWD/${GAIT_OUT:-o/rel}/gait
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command -v perf >/dev/null || { echo 'perf is not there to compare with'; exit 77; }
cat >shares.c <<'C'
#include <stdio.h>
#define PART(name, n, more)                                                                            \
    __attribute__((noinline)) unsigned name(unsigned x)                                                \
    {                                                                                                  \
        for (unsigned i = 0; i < n; i++)                                                               \
            x = x * 1664525 + 1013904223;                                                              \
        return x + more;                                                                               \
    }
PART(leaf, 300000, 0)
PART(small, 20000, 1)
PART(middle, 200000, leaf(x))
PART(large, 480000, middle(x) + small(x))
int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 900; i++)
        sum += large(i) + leaf(i);
    printf("%u\n", sum);
}
C
gcc -O1 -g -fno-optimize-sibling-calls -o shares shares.c || exit 1
perf record -q -e cpu-clock:u -F 1000 --call-graph dwarf,4096 -o perf.data ./shares >/dev/null 2>&1 ||
    { echo 'perf may not record here'; exit 77; }
"$gait" record -e cpu-clock -q -F 1000 -- ./shares >/dev/null 2>err || { echo "no plain recording here: $(tail -1 err)"; exit 77; }
perf script -i perf.data -F ip,sym 2>/dev/null >stacks
"$gait" report --json >report.json || exit 1
python3 - <<'PY'
import json, math, sys
self, total, n = {}, {}, 0
for stack in open("stacks").read().strip().split("\n\n"):
    names = [line.split(None, 1)[1].split("+")[0] for line in stack.splitlines() if len(line.split()) > 1]
    if not names:
        continue
    n += 1
    self[names[0]] = self.get(names[0], 0) + 1
    for name in set(names):
        total[name] = total.get(name, 0) + 1
report = json.load(open("report.json"))
user = report["user_time"]
rows = {row["name"]: row for row in report["rows"]}
bad = 0
for name in ["leaf", "small", "middle", "large"]:
    row = rows[name]
    for what, theirs in [("time", self), ("total", total)]:
        p = theirs.get(name, 0) / n
        ours = [row[what] / user, row[what + "_lo"] / user, row[what + "_hi"] / user]
        # Four standard deviations of the difference of two independent shares.
        sd = math.hypot((ours[2] - ours[1]) / 4, math.sqrt(max(p * (1 - p), 1 / n) / n))
        print(f"{name:8} {what:6} {100 * ours[0]:6.2f} % ({100 * ours[1]:.2f} to {100 * ours[2]:.2f}), perf {100 * p:6.2f} %")
        if abs(ours[0] - p) > 4 * sd:
            bad = 1
            print("  differs by more than chance")
sys.exit(bad)
PY
