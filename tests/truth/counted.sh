#!/bin/bash
# Exact runs count what was done, to the last turn: in threads, forks, signal handlers and code made at run time; a
# trace says the same, and its checker finds that every superblock begins where the one before ended. A static program
# is taken over before its first instruction.
set -eu
out=${GAIT_OUT:-o/rel}
make -s "$out/programs/counted" >&2
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
gcc -O2 -g -static -pthread -o "$at/static" tests/programs/counted.c
for run in "counts $out/programs/counted" "trace $out/programs/counted" "counts $at/static"; do
    read -r mode program <<<"$run"
    expected=$("$out/gait" record --exact=$mode -o "$at/data" "$program" 2>"$at/log")
    if grep -q INCOMPLETE "$at/log"; then echo "FAIL $mode: left the exact run"; cat "$at/log"; exit 1; fi
    counted=$("$out/gait" report --by function --json "$at/data" |
        python3 -c 'import json, sys; print(sum(r["count"] for r in json.load(sys.stdin)["rows"] if r["name"] == "turn"))')
    if [ "$expected" != "$counted" ]; then
        echo "FAIL $mode: turn() ran $expected times, counted $counted"; cat "$at/log"; exit 1
    fi
    "$out/gait" verify "$at/data" >"$at/verify" || { echo "FAIL $mode: does not verify"; cat "$at/verify"; exit 1; }
    echo "$mode of $(basename "$program"): $counted turns"
    if [ $mode = trace ]; then grep -q "each begins where the one before ended" "$at/log" || { echo "FAIL: the trace's checker"; cat "$at/log"; exit 1; }; fi
done

# A child that goes on when the program has ended is not in the counts, and that is said, whenever it was forked.
cat >"$at/leaves.c" <<'C'
#include <unistd.h>
int main(void)
{
    if (fork() == 0)
        for (volatile long i = 0; i < 100000000; i++)
            continue;
    return 0;
}
C
gcc -O1 -o "$at/leaves" "$at/leaves.c"
for i in 1 2 3; do
    "$out/gait" record --exact=counts -o "$at/data" "$at/leaves" 2>"$at/log"
    grep -q INCOMPLETE "$at/log" || { echo "FAIL: a child that outlives the program is not missed"; cat "$at/log"; exit 1; }
done
