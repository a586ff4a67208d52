#!/bin/bash
# gait trend adds up what functions took by days, and marks changes of the last build that are beyond noise, and only those.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh

"$gait" record -q --exact=counts -o "$work/r" -- "$(program orders)" >/dev/null 2>&1 || bad 'nothing is recorded'
status 0 push "$gait" push -q -s "sqlite:$work/store" "$work/r"
status 2 'before a roll-up' "$gait" trend "sqlite:$work/store"
says 'nothing that was rolled up matches, but 1 recordings that were not'
status 2 'where there is nothing' "$gait" trend "sqlite:$work/store?service=none"
says 'nothing matches'
status 129 'of a machine' "$gait" trend "sqlite:$work/store?machine=here"
says 'of all machines together'
status 0 roll-up "$gait" store roll-up -q -s "sqlite:$work/store" --after 0s
status 0 trend "$gait" trend --json "sqlite:$work/store"
"$gait" report --by module,function --json "$work/r" >"$work/report"
python3 - "$work" <<'P' || bad 'trend says something else than report'
import json, sys
trend = json.load(open(sys.argv[1] + '/stdout'))
report = json.load(open(sys.argv[1] + '/report'))
assert trend['schema'] == 'gait/trend/1' and trend['service'] == 'orders' and trend['builds'] == 1 and trend['build_before'] is None
told = {(row['module'], row['function']): row['share'] for row in trend['rows']}
for row in report['rows']:
    if row['share'] > 1e-6:
        assert abs(told[row['module'], row['name']] - row['share']) < 1e-6, (row, told)
P

# What came since is not in it, and said to be missing.
grep -q '"waiting": 0,' "$work/stdout" || bad 'a store that is rolled up has recordings that wait'
cp "$work/store" "$work/later"
cp "$work/r" "$work/r2" && printf 'tail' >>"$work/r2"
status 0 'push of another' "$gait" push -q -s "sqlite:$work/later" "$work/r2"
status 0 'with one that waits' "$gait" trend "sqlite:$work/later"
grep -q '^1 recordings that match are not in it' "$work/stdout" || bad "no word of what waits: $(head -n 4 "$work/stdout")"
status 0 'of it, as JSON' "$gait" trend --json "sqlite:$work/later"
grep -q '"waiting": 1,' "$work/stdout" || bad 'JSON has no word of what waits'

# Made-up days of two builds, the second from the sixth day on: f grows from 50 to 56 %, g by less than its noise, h is new.
python3 - "$work/store" <<'P'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("INSERT INTO gait_functions SELECT 'other', build, kind, hours, hour, module, function, amount, sd FROM gait_functions")
for day in range(10):
    build, f, g, h = ('aa', 500, 300, 0) if day < 5 else ('bb', 560, 302, 7)
    for name, amount, sd in (('f', f, 8), ('g', g, 8), ('rest<a\x1b>', 1000 - f - g - h, 8), ('h', h, 3)):
        if amount:
            base.execute("INSERT INTO gait_functions VALUES ('made', ?, 'plain cpu-clock', 24, ?, 'm', ?, ?, ?)",
                         (build, (20000 + day) * 24, name, amount * 1000000, sd * 1000000))
base.commit()
P
status 129 'several services' "$gait" trend "sqlite:$work/store"
says 'service= chooses one'
status 0 'made-up days' "$gait" trend --json "sqlite:$work/store?service=made&since=2020-01-01"
python3 - "$work/stdout" <<'P' || bad 'made-up days are not what was made'
import json, math, sys
trend = json.load(open(sys.argv[1]))
rows = {row['function']: row for row in trend['rows']}
assert (trend['builds'], trend['last_build'], trend['build_before'], trend['period_seconds']) == (2, 'bb', 'aa', 86400), trend
assert trend['periods'] == [1e9] * 10 and trend['amount'] == 1e10
assert rows['f']['periods'] == [5e8] * 5 + [5.6e8] * 5 and abs(rows['f']['share'] - .53) < 1e-9
half = 1.959964 * math.sqrt(2 * 5 * 8**2) / 5000
assert [one['build'] for one in trend['by_build']] == ['aa', 'bb'] and rows['f']['builds'] == [2.5e9, 2.8e9], trend['by_build']
assert abs(rows['f']['change'] - .06) < 1e-9 and abs(rows['f']['change_hi'] - .06 - half) < 1e-9, rows['f']
assert {name: row['sure'] for name, row in rows.items()} == {'f': True, 'g': False, 'rest<a\x1b>': True, 'h': False}, rows
P
status 0 'as text' "$gait" trend --no-pager "sqlite:$work/store?service=made&since=2020-01-01"
grep -q 'made, plain cpu-clock: 10 days from 2024-10-04 00:00 on, 2 builds' "$work/stdout" || bad "head: $(head -n 1 "$work/stdout")"
grep -qE '^53\.00% .*▇{0,5}█{5} .*50\.00% *56\.00% .*MORE *f  *m' "$work/stdout" || bad "f: $(grep 53 "$work/stdout")"
! grep -q $'\x1b' "$work/stdout" || bad 'a name steers the terminal'
status 0 'of one build' "$gait" trend --json "sqlite:$work/store?service=made&build=a"
grep -q '"build_before": null' "$work/stdout" || bad 'one build has none before it'
status 2 'a time without days' "$gait" trend "sqlite:$work/store?service=made&since=1h"
finish
