#!/bin/bash
# record --events latency and gait latencies: loads that are near and loads of flushed lines are told apart, by limits that the recording
# has measured itself; the flushed lines are told by their addresses.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/latencies" >&2 || exit 1
program=$built/programs/latencies
loads_told() {
"$gait" record -q -F 2000 --seed 1 --events edge,call,address,latency -o "$work/data" -- "$program" 4000000 >"$work/lines" || bad "record: status $?"
"$gait" verify "$work/data" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
"$gait" latencies --json --module latencies "$work/data" >"$work/json" || bad "latencies: status $?"
cp "$work/json" "$work/first.json"
latencies_known "$work/json"
/usr/bin/python3 -B - "$work/json" "$work/lines" <<'EOF' || return 1
import json, sys
rows = {}
for row in json.load(open(sys.argv[1]))['rows']:
    rows.setdefault(row['function'], row)  # the dearest of each
near, far = rows['near_load'], rows['far_load']
head = json.load(open(sys.argv[1]))
print('l3 told:', head['l3_told'], head['l3_why'])
assert head['l3_told'] == (not head['l3_why']) == (near['bins']['l3']['share'] is not None), head['l3_why']
for row in near, far:
    print(row['function'], row['timed'], row['ns'], [(name, b['share']) for name, b in row['bins'].items()])
    assert row['timed'] == sum(b['count'] for b in row['bins'].values()) >= 20, row
    assert row['ticks_lo'] <= row['ticks'] <= row['ticks_hi'], row
assert near['bins']['near']['share_hi'] > 0.95, near
assert far['bins']['near']['share'] < 0.05, far  # flushed
assert far['ns_lo'] > 4 * near['ns_hi'], (near, far)
# Both lines, and no others: they are all that was slow, again and again.
assert {line['value'] for line in far['lines']} == set(open(sys.argv[2]).read().split()), far['lines']
assert sum(line['count'] for line in far['lines']) <= far['timed'], far
EOF
"$gait" values --json --module latencies --kind address+latency "$work/data" >"$work/json" || bad "values --kind address+latency: status $?"
/usr/bin/python3 -B - "$work/json" "$(nm "$program" | awk '$3 == "far_lines" { print $1 }')" <<'EOF' || return 1
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
assert rows and all(row['kind'] == 'address+latency' for row in rows), rows
# The same two lines, as the program has them, mostly in memory. Those that are near are too many to be told.
far = next(row for row in rows if row['function'] == 'far_load')
print([(v['text'], v['share']) for v in far['values']])
slow = {v['text']: v['share'] for v in far['values'] if not v['text'].endswith(' near')}
assert {text.split()[0] for text in slow} == {f'latencies+{hex(int(sys.argv[2], 16) + at)}' for at in (0, 64)} and sum(slow.values()) > 0.6, far
EOF
}
thrice 'near and flushed loads' loads_told
"$gait" latencies --limit 1 "$work/data" >"$work/text" || bad "latencies as text: status $?"
grep -q 'far_load' "$work/text" || bad 'the slow load is not first'
grep -q '"l3_told": false' "$work/first.json" && { grep -q 'the third-level cache cannot be separated' "$work/text" || bad 'no word on the third cache'; }
grep -q '"l3_told": false' "$work/first.json" && grep -q 'third cache up to' "$work/text" && bad 'a limit of a third cache that has no bin'
"$gait" record -q --exact=counts -o "$work/none" -- true || bad "record without latencies: status $?"
"$gait" latencies "$work/none" >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] && grep -q 'events edge,call,address,latency' "$work/stderr" || bad 'a profile without latencies'
finish
