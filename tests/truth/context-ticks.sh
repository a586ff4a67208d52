#!/bin/bash
# Ticks in calling contexts against a program that looks at the same clock itself: those of some stays, within their interval, and those of all; and of short calls whose
# work is a chain, which is not done when the next begins.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
make -s "${GAIT_OUT:-o/rel}/programs/stays" "${GAIT_OUT:-o/rel}"/programs/{costs,overlap,preempted} >&2 || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for ticks in --ticks --ticks=all; do
    "$gait" record -q --exact=contexts $ticks -o "$work/data" -- "${GAIT_OUT:-o/rel}/programs/stays" told >"$work/told" || fail "$ticks: status $?"
    "$gait" contexts --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
    python3 -B tests/truth/lib/context_ticks.py $ticks "$work/json" "$work/told" || bad=1
done
costs=${GAIT_OUT:-o/rel}/programs/costs
for _ in 1 2; do "$costs" told; done >"$work/told" || fail "costs: status $?"
"$gait" record -q --exact=contexts --ticks -o "$work/data" -- "$costs" || fail "costs, recorded: status $?"
"$gait" contexts --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
hertz=$("$gait" info --json "$work/data" | sed -n 's/.*"tsc_hz": \["\([0-9]*\)".*/\1/p')
python3 -B tests/truth/lib/context_costs.py "$work/json" "$work/told" "$hertz" || bad=1
# A function whose loads overlap with those of its neighbours, and one that adds, against a program that calls only one of them.
overlap=${GAIT_OUT:-o/rel}/programs/overlap
for _ in 1 2 3; do
    for only in first second runs; do echo "$only $("$overlap" visits $only 3000000 told)"; done
done >"$work/told" || fail "overlap: status $?"
"$gait" record -q --exact=contexts --ticks -o "$work/data" -- "$overlap" visits runs 3000000 || fail "overlap, recorded: status $?"
"$gait" contexts --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
python3 -B tests/truth/lib/context_overlap.py "$work/json" "$work/told" || bad=1
# What the thread had no CPU for is nobody's: another program has the same one.
cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
taskset -c "$cpu" sh -c 'while :; do :; done' &
other=$!
taskset -c "$cpu" "$gait" record -q --exact=contexts --ticks -o "$work/data" -- "${GAIT_OUT:-o/rel}/programs/preempted" >"$work/told" || bad=1
kill "$other"
"$gait" contexts --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
python3 -B tests/truth/lib/context_preempted.py "$work/json" "$(cat "$work/told")" "$hertz" || bad=1
exit $bad
