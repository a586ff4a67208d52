#!/bin/bash
# Views of a plain recording hang together: whatever it is listed by, the time is the same; a function's
# total holds its own; kernel time is beside; figures lie in their intervals.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >busy.c <<'C'
#include <stdio.h>
#include <unistd.h>
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}
__attribute__((noinline)) unsigned spin(unsigned n, unsigned x)
{
    while (n--)
        x = mix(x);
    return x;
}
__attribute__((noinline)) unsigned twice(unsigned n, unsigned depth)
{
    return depth ? twice(n, depth - 1) + 1 : spin(n, 2) + spin(n, 3);
}
int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 40; i++) {
        sum += twice(2000000, 3) + spin(1000000, 1);
        for (int k = 0; k < 2000; k++)
            getppid();
    }
    printf("%u\n", sum);
}
C
gcc -O2 -g -fno-optimize-sibling-calls -o busy busy.c || exit 1
"$gait" record -e cpu-clock -q -F 1000 -- ./busy >/dev/null 2>err || { echo "plain recording does not work here: $(tail -1 err)"; exit 77; }
for by in function line inline block instruction call; do
    "$gait" report --by $by --json >$by.json 2>err || bad "report --by $by: $(cat err)"
done
"$gait" report --by edge >out 2>err
[ $? = 2 ] && grep -q 'no edges' err || bad '--by edge of a plain profile'
"$gait" report --module nosuch >out 2>err
[ $? = 2 ] && grep -q busy err || bad '--module nosuch does not list the modules'
"$gait" report --tid 1 >out 2>err
[ $? = 2 ] && grep -q '/' err || bad '--tid 1 does not list the threads'
"$gait" compare gait.data gait.data >out 2>err
[ $? = 2 ] && grep -q 'gait diff' err && [ ! -s out ] || bad 'compare gives a figure for plain profiles'
"$gait" annotate spin --json >annotate.json 2>err || bad "annotate: $(cat err)"
"$gait" annotate spin >out 2>err || bad "annotate: $(cat err)"
grep -q '\[inlined mix\]' out || bad 'annotate does not mark inlined code'
grep -q 'busy.c:[0-9]* .*x ^= x << 13' out || bad 'annotate shows no source'
"$gait" report >out || bad report
grep -q '^what to look at first$' out || bad 'no advice'
grep -q 'gait annotate spin' out || bad 'the hottest function is not named'
python3 - <<'PY' || bad 'the figures'
import json
read = lambda by: json.load(open(by + ".json"))
heads, rows = {}, {}
for by in ["function", "line", "inline", "block", "instruction", "call", "annotate"]:
    heads[by] = read(by)
    rows[by] = heads[by]["rows"]
assert heads["function"]["mode"] == "plain" and heads["function"]["weight"] == "time"
user = heads["function"]["user_time"]
for by in ["function", "line", "inline", "block", "instruction"]:
    total = sum(r["time"] for r in rows[by])
    assert abs(total - user) < 1e-6 * user, (by, total, user)
    for r in rows[by]:
        assert r["time_lo"] <= r["time"] <= r["time_hi"], r
        assert r["total_lo"] <= r["total"] <= r["total_hi"], r
        assert r["time"] <= r["total"] * (1 + 1e-9) + 1e-12, r
        assert r["total"] <= user * (1 + 1e-9), r
        assert r["count"] is None and r["lo"] is None
functions = {r["name"]: r for r in rows["function"]}
spin, twice, main = functions["spin"], functions["twice"], functions["main"]
# spin runs five parts, four of them below twice, which recurs and is counted once.
assert spin["time"] > 0.9 * user
assert main["total"] > 0.95 * user
below = twice["total"] / spin["time"]
assert 0.7 < below < 0.9, below
calls = [r for r in rows["call"] if r["to"] == spin["address"]]
assert len(calls) >= 3 and abs(sum(r["time"] for r in calls) - spin["time"]) < 1e-6 * user
mix = [r for r in rows["inline"] if r["name"] == "mix" and r["inlined"]]
assert len(mix) == 1 and mix[0]["time"] > 0.5 * user and mix[0]["file"].endswith("busy.c")
assert abs(sum(r["time"] or 0 for r in rows["annotate"]) - spin["time"]) < 1e-6 * user
PY
# Debug information calls every lambda "operator()": one that calls another is no recursion.
cat >wrap.h <<'C'
template <class F> static inline __attribute__((always_inline)) unsigned wrap(F f, unsigned n)
{
    return [&](unsigned k) __attribute__((always_inline)) { return f(k) + 1; }(n);
}
C
cat >lambdas.cc <<'C'
#include "wrap.h"
__attribute__((noinline)) unsigned run(unsigned n, unsigned x)
{
    return wrap([&](unsigned k) __attribute__((always_inline)) {
        while (k--)
            x = (x ^ x << 13) * 5;
        return x;
    }, n);
}
int main() { return run(200000000, 1) & 1; }
C
g++ -O2 -g -o lambdas lambdas.cc || exit 1
"$gait" record --plain -q -F 1000 -o lambdas.data -- ./lambdas >/dev/null 2>err
"$gait" contexts lambdas.data >out 2>err || bad "contexts: $(cat err)"
grep -q recursive out && bad 'contexts takes one lambda for another'
[ "$(grep -o 'operator()' out | wc -l)" -ge 2 ] || bad 'contexts drops a lambda'
# Another event than a clock: numbers of it, and no seconds.
if "$gait" record --plain -q -e page-faults -o faults.data -- ./busy >/dev/null 2>err; then
    "$gait" report --json faults.data >function.json || bad 'report of events'
    "$gait" annotate --json --above 0 -i faults.data >annotate.json || bad 'annotate of events'
    python3 - <<'PY' || bad 'figures of events'
import json
for name in ["function", "annotate"]:
    view = json.load(open(name + ".json"))
    assert view["weight"] == "count" and view["event"] == "page-faults"
    assert view["rows"] and all(r["time"] is None and "events" in r for r in view["rows"])
assert sum(r["events"] for r in json.load(open("function.json"))["rows"]) >= 1
PY
fi
finish
