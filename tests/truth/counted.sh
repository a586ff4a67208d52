#!/bin/bash
# Exact runs count what was done, to the last turn: in threads, forks, signal handlers and code made at run time; a
# trace says the same, and its checker finds that every superblock begins where the one before went.
set -eu
out=${GAIT_OUT:-o/rel}
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
for mode in counts trace; do
    expected=$("$out/gait" record --exact=$mode -o "$at/data" "$out/programs/counted" 2>"$at/log")
    if grep -q INCOMPLETE "$at/log"; then echo "FAIL $mode: left the exact run"; cat "$at/log"; exit 1; fi
    counted=$("$out/gait" report --by function --json "$at/data" |
        python3 -c 'import json, sys; print(sum(r["count"] for r in json.load(sys.stdin)["rows"] if r["name"] == "turn"))')
    if [ "$expected" != "$counted" ]; then
        echo "FAIL $mode: turn() ran $expected times, counted $counted"; cat "$at/log"; exit 1
    fi
    "$out/gait" verify "$at/data" >"$at/verify" || { echo "FAIL $mode: does not verify"; cat "$at/verify"; exit 1; }
    echo "$mode: $counted turns"
    if [ $mode = trace ]; then grep -q "each begins where the one before went" "$at/log" || { echo "FAIL: the trace's checker"; cat "$at/log"; exit 1; }; fi
done
