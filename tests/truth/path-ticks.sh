#!/bin/bash
# Ticks along paths of a program whose paths cost what is known: 10, 100 and 1000 additions one behind the other, four ways through one loop, divisions, and a call.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
make -s "${GAIT_OUT:-o/rel}/programs/costs" >&2 || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
costs=${GAIT_OUT:-o/rel}/programs/costs
for _ in 1 2; do "$costs" told; done >"$work/told" || fail "costs: status $?"
"$gait" record -q --exact=paths --ticks -o "$work/data" -- "$costs" || fail "record: status $?"
"$gait" info --json "$work/data" >"$work/info" || fail "gait info: status $?"
"$gait" paths --json "$work/data" >"$work/json" || fail "gait paths: status $?"
python3 -B tests/truth/lib/path_ticks.py "$work/json" "$work/info" "$work/told"
