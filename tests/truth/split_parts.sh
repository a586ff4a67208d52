#!/bin/bash
# Parts that the compiler moved out of functions belong to them in a stripped file, too, where no name says so: the same paths, path by path.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
command -v strip >/dev/null || skip 'no strip'
gcc -O2 -o "$work/named" tests/programs/parts.c || skip 'no compiler'
parts=$(nm "$work/named" | grep -c '\.cold')
[ "$parts" -ge 3 ] || skip "this compiler moved $parts parts away"
strip -s -o "$work/stripped" "$work/named"
for build in named stripped; do
    "$gait" record -q --exact=paths -o "$work/$build.data" -- "$work/$build" 1000 >"$work/$build.out"
    "$gait" paths --json --module $build "$work/$build.data" | python3 -c 'import json, sys
for row in sorted(json.load(sys.stdin)["rows"], key=lambda row: (row["address"], row["id"])):
    print(row["address"].split("+")[1], row["id"], row["count"], *(block.split("+")[1] for block in row["blocks"]), *row["kind"])' >"$work/$build.paths"
done
same 'output' "$(cat "$work/named.out")" "$(cat "$work/stripped.out")"
# What lies around main is cut otherwise without names: its own functions are compared.
nm "$work/named" | awk '$3 ~ /^(returning|several|leaf|tail|caller|often|rarely|main)$/ { sub(/^0+/, "0x", $1); print $1 }' | sort >"$work/own"
for build in named stripped; do grep -w -F -f "$work/own" "$work/$build.paths" >"$work/$build.own"; done
echo "$parts parts, $(grep -c . "$work/named.own") paths of $(grep -c . "$work/own") functions"
[ "$(grep -c . "$work/named.own")" -ge 15 ] || bad 'too few paths'
diff "$work/named.own" "$work/stripped.own" >"$work/said" || { head -5 "$work/said"; bad 'paths differ'; }
finish
