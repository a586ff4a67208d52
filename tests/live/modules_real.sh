#!/bin/bash
# The example modules on programs that nobody wrote for them: mawk's numbers, xz's locks, lines and latencies of sqlite3.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
for program in mawk xz sqlite3; do command -v $program >/dev/null || skip "$program is not there"; done
for name in latency_bins float_classes lines locks; do
    gcc -shared -fPIC -O1 -Isrc/wire -o "$work/$name.so" examples/modules/$name.c -lm || bad "$name was not built"
done
# take MODULE COMMAND...: the output is that without gait.
take() {
    local name=$1
    shift
    "$@" >"$work/native"
    "$gait" record -q -F 2000 --seed 1 --events edge,call --module "$work/$name.so" -o "$work/$name" -- "$@" >"$work/output" || bad "record $name: status $?"
    cmp -s "$work/native" "$work/output" || bad "$name: the output differs"
    "$gait" verify "$work/$name" >"$work/verify" || { bad "verify $name"; cat "$work/verify"; }
    "$gait" values --json --kind module "$work/$name" >"$work/$name.json" || bad "values of $name: status $?"
}
take float_classes mawk 'BEGIN { for (i = 0; i < 600000; i++) { s += i * 0.5; z = z * 0; h = 1e308 * 1e308 } print s, z, h }'
seq 60000 >"$work/text"
take locks xz -T2 --block-size=20000 -c "$work/text"
cat >"$work/sql" <<'EOF'
create table t(a integer primary key, b text);
with recursive r(i) as (select 1 union all select i + 1 from r where i < 30000) insert into t select i, 'name' || (i % 97) from r;
select b, count(*) from t group by b order by b limit 3;
EOF
take lines sqlite3 :memory: ".read $work/sql"
take latency_bins sqlite3 :memory: ".read $work/sql"
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'figures'
import json, re, sys
work = sys.argv[1]
def texts(name, pattern):
    rows = json.load(open(f'{work}/{name}.json'))['rows']
    seen = {}
    for row in rows:
        assert row['kind'] == 'module' and sum(v['share'] for v in row['values']) < 1.001, row
        for v in row['values']:
            assert re.fullmatch(pattern, v['text']), v
            seen[v['text']] = seen.get(v['text'], 0) + v['count']
    print(name, len(rows), sorted(seen.items(), key=lambda s: -s[1])[:5])
    assert rows and seen, name
    return seen, rows
classes, _ = texts('float_classes', 'zero|subnormal|normal|infinite|not a number')
assert {'zero', 'normal', 'infinite'} <= set(classes) and not {'subnormal', 'not a number'} & set(classes), classes
_, rows = texts('locks', 'lock at 0x[0-9a-f]+')
assert all(row['assembly'].startswith(('lock ', 'xchg')) for row in rows), rows
texts('lines', r'page 0x[0-9a-f]+, line [0-9]+')
bins, _ = texts('latency_bins', 'near|third cache|memory|longer')
assert bins['near'] > 0.5 * sum(bins.values()), bins
EOF
finish
