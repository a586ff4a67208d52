#!/bin/bash
# Minimum-cost flow against LEMON's network simplex and GLPK's LP solver: outcome and cost are equal on graphs like
# control flow, seen through few samples, and on random ones, of which many have no solution.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel}
. bench/lib/debian.sh
missing=$(packages_missing /usr/include/lemon/network_simplex.h:liblemon-dev glpsol:glpk-utils)
if [ -n "$missing" ] && ! packages_install $missing; then
    echo "skipped: LEMON and GLPK are needed: $missing"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
make -s MODE="$(basename "$out")" "$out/bench/flow" || fail 'bench/src/flow.cc does not build'
solve() { "$out/bench/flow" --rounds 1 "$@" >"$work/line" || fail "flow $*: $(cat "$work/line")"; }

rounds=40
[ -n "$GAIT_LONG" ] && rounds=200
for seed in $(seq 1 $rounds); do
    solve --seed "$seed" --blocks $((seed * 7)) --functions $((1 + seed % 3))
    solve --plain --seed "$seed" --blocks $((3 + seed * 5))
    cat "$work/line" >>"$work/plain"
done
for outcome in optimal infeasible; do
    grep -q ": $outcome" "$work/plain" || fail "no random graph was $outcome"
done
# GLPK's answer comes from another method altogether.
for seed in 1 2 3; do
    for how in '--blocks 150' '--blocks 400 --functions 9' '--plain --blocks 60' '--plain --blocks 9'; do
        solve $how --seed $seed --dimacs "$work/graph.min"
        glpsol --mincost "$work/graph.min" -o "$work/glpk" >"$work/log" 2>&1
        ours=$(sed -E 's/^.*: (optimal|infeasible) (-?[0-9]+), LEMON.*/\1 \2/' "$work/line")
        theirs=$(awk '/^Status:/ { status = $2 } /^Objective:/ { cost = $2 }
            END { print status == "OPTIMAL" ? sprintf("optimal %.0f", cost) : "infeasible 0" }' "$work/glpk")
        grep -q 'NO PRIMAL FEASIBLE' "$work/log" && theirs='infeasible 0'
        [ "$ours" = "$theirs" ] || fail "flow $how --seed $seed: $ours, GLPK $theirs"
    done
done
echo "$((2 * rounds)) graphs as LEMON solves them, 12 as GLPK does"
