#!/bin/bash
# Exact runs count a system call instruction as often as it was executed: once if a signal comes before it, twice if the kernel
# starts the call again behind a handler. The program counts along.
set -eu
cd "$(dirname "$0")/../.."
out=${GAIT_OUT:-o/rel}
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
for mode in counts contexts; do
    timeout -s KILL 100 "$out/gait" record --exact=$mode -o "$at/data" "$out/programs/signal_calls" tell >"$at/said" 2>"$at/log" ||
        { echo "FAIL $mode: status $?"; cat "$at/log"; exit 1; }
    if grep -q INCOMPLETE "$at/log"; then echo "FAIL $mode: left the exact run"; cat "$at/log"; exit 1; fi
    executed=$(sed -n 's/^executed //p' "$at/said")
    counted=$("$out/gait" report --by instruction --function call --json "$at/data" | python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
print(min(r["count"] for r in rows), max(r["count"] for r in rows))')
    echo "$mode: the call was executed $executed times; instructions around it, and itself: $counted"
    [ "${counted#* }" = "$executed" ] || { echo "FAIL $mode: the call is counted ${counted#* } times"; exit 1; }
    "$out/gait" verify "$at/data" >"$at/verify" || { echo "FAIL $mode: does not verify"; cat "$at/verify"; exit 1; }
done
