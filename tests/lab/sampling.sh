#!/bin/bash
# gait lab sampling: of two loads whose product is waited for the one that is far is told; recordings that were asked for the same are one row, with
# the cost that gait info has.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/products" tests/programs/products.c || { bad 'the test program could not be built'; exit 1; }
far_told() {
"$gait" record -q -F 2000 --events edge,call,latency -o "$work/far" -- "$work/products" 15000000 || bad "record: status $?"
"$gait" lab --csv --plot "$work/far.svg" sampling-figure-1 "$work/far" >"$work/far.csv" || bad "sampling-figure-1: status $?"
"$gait" lab sampling-figure-1 "$work/far" >"$work/far.txt"
"$gait" latencies --json "$work/far" >"$work/far.json" || bad "latencies: status $?"
latencies_known "$work/far.json"
/usr/bin/python3 -B - "$work/far.csv" "$work/far.json" <<'PY' || return 1
import csv, json, sys
told = json.load(open(sys.argv[2]))['l3_told']
assert all((row['l3'] != '') == (told and int(row['vtot']) > 0) for row in csv.DictReader(open(sys.argv[1]))), 'a third cache that is not told apart has no share'
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row['place'].startswith('products+')]
for row in rows: print(row)
part = lambda row, name: float(row[name].rstrip('%') or 0)
loads = [row for row in rows if int(row['vtot'])]
near, far = min(loads, key=lambda row: part(row, 'memory')), max(loads, key=lambda row: part(row, 'memory'))
# They run as often as each other: chance must not take one of them alone, whatever the lowest bits of the clock are.
n, f = int(near['vtot']), int(far['vtot'])
assert abs(n - f) < 0.5 * (n + f) or abs(n - f) < 5 * (n + f) ** 0.5, (n, f)
# All near loads hit the first two caches. On a Cascade Lake 55 to 79 % were near while the clock's own miss was in their time.
assert part(near, 'near') > 95 and part(far, 'memory') + part(far, 'l3') > 50
waits = max(rows, key=lambda row: part(row, 'time'))
assert int(waits['place'].split('+')[1], 16) >= int(far['place'].split('+')[1], 16), 'it waits behind the far load'
PY
}
thrice 'which load is far' far_told
grep -q 'of the time passes at products+' "$work/far.txt" || bad 'what is waited for'
# Loads that are all near are told as near: what is fetched of the code that times them is not among their time, and neither is what others put into the caches right before an interrupt.
make -s "${GAIT_OUT:-o/rel}/programs/cache_blocks" >&2 || exit 1
near_told() {
"$gait" record -q -F 2000 --events edge,call,latency -o "$work/near" -- "$built/programs/cache_blocks" 400000 || bad "record: status $?"
"$gait" latencies --json --module cache_blocks "$work/near" >"$work/near.json"
/usr/bin/python3 -B - "$work/near.json" <<'PY' || return 1
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
timed, near = sum(row['timed'] for row in rows), sum(row['bins']['near']['count'] for row in rows)
print(near, 'of', timed, 'near')
assert timed > 100 and timed - near <= 0.02 * timed + 4 * (0.02 * timed) ** 0.5
PY
}
thrice 'loads that are near' near_told
# The first cache and the second: rings that fit into the one, and into the other alone. The clock's steps may be longer than the difference; means have it.
gcc -O2 -o "$work/ring" tests/programs/ring.c || bad 'the ring could not be built'
first_told() {
    "$gait" record -q -F 2000 --events edge,call,latency -o "$work/first" -- "$work/ring" 16 200000000 >/dev/null || bad "record: status $?"
    "$gait" record -q -F 2000 --events edge,call,latency -o "$work/second" -- "$work/ring" 128 100000000 >/dev/null || bad "record: status $?"
    "$gait" lab sampling-1 "$work/first" "$work/second" >"$work/levels" || bad "sampling-1: status $?"
    grep 'come from' "$work/levels"
    # A virtual machine's neighbours may share the caches, and a clock may be too coarse: then it says so, and never the contrary.
    grep -q 'first: most loads.*: does not hold' "$work/levels" && return 1
    grep -q 'second: most loads.*: holds' "$work/levels" && return 1
    [ "$(grep -c 'most loads that are near come from the first cache: \(holds\|does not hold\): ' "$work/levels")" = 2 ] || grep -q 'most loads.*the clock does not tell' "$work/levels"
}
thrice 'which cache loads come from' first_told
for i in 1 2; do
    "$gait" record -q -F 200 --window 500 --events edge,call,value -o "$work/value$i" -- "$work/products" 2000000 || bad "record: status $?"
done
"$gait" record -q -F 200 --window 500 --events edge,call -o "$work/plain" -- "$work/products" 2000000 || bad "record: status $?"
"$gait" lab --csv --plot "$work/cost.svg" sampling-2 "$work/plain" "$work"/value? >"$work/cost.csv" || bad "sampling-2: status $?"
"$gait" lab sampling-2 "$work/plain" "$work"/value? | grep -q '^- values cost more' || bad 'what is claimed'
for name in plain value1 value2; do "$gait" info --json "$work/$name"; done >"$work/info"
/usr/bin/python3 -B - "$work/cost.csv" "$work/info" <<'PY' || bad 'costs'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
text, infos, decoder = open(sys.argv[2]).read(), [], json.JSONDecoder()
while text:
    one, end = decoder.raw_decode(text)
    infos.append(one)
    text = text[end:].lstrip()
cost = [100 * (one['rows'][0]['agent_share'] + one['rows'][0]['tool_share']) for one in infos]
print(rows, cost)
assert [(row['recorded'], row['window'], row['programs']) for row in rows] == [('edges', '500', '1'), ('value', '500', '2')]
for row, expected in zip(rows, (cost[0], (cost[1] + cost[2]) / 2)):
    assert abs(float(row['slowdown %']) - expected) < 0.02, (row, expected)
assert all(one['facts']['window'] == ['500'] for one in infos) and infos[1]['facts']['events'] == ['edge,call,value']
PY
for table in sampling-1 sampling-figure-1; do
    "$gait" lab $table "$work/plain" >/dev/null 2>"$work/stderr"
    [ $? = 2 ] && grep -q 'has no latencies; gait record' "$work/stderr" || bad "$table of a recording without latencies"
done
"$gait" record -q --exact=counts -o "$work/exact" -- true
"$gait" lab sampling-2 "$work/exact" >/dev/null 2>"$work/stderr"
[ $? = 2 ] && grep -q 'has no windows' "$work/stderr" || bad 'sampling-2 of an exact recording'
finish
