#!/bin/bash
# gait windows: the list, one window, a part of it, lengths of calls; text and JSON say the same; what is refused.
# tests/truth/windows.sh compares windows with a trace.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
damages=yes
strolls=$(program strolls)
"$gait" record -q -F 2000 --seed 1 -o "$work/data" -- "$strolls" >/dev/null || bad "record: status $?"
"$gait" record -q --exact=counts -o "$work/exact" -- "$strolls" 100 >/dev/null || bad "record --exact: status $?"
cd "$work" || exit 1
status 0 list "$gait" windows --limit 5 data
silent list
cp stdout list
status 0 'list as JSON' "$gait" windows --json data
cp stdout list.json
for sort in unlike time instructions calls depth cycles; do
    status 0 "sorted by $sort" "$gait" windows --json --sort $sort -i data
    cp stdout "sorted.$sort"
done
status 0 window "$gait" windows --show 3 data
cp stdout window
status 0 'window as JSON' "$gait" windows --show 3 --json data
cp stdout window.json
status 0 part "$gait" windows --show 3 --from 100 --to 164 data
cp stdout part
status 0 'part as JSON' "$gait" windows --show 3 --from 100 --to 164 --json data
cp stdout part.json
status 0 lengths "$gait" windows --function leaf data
cp stdout lengths
status 0 'lengths as JSON' "$gait" windows --function leaf --json data
cp stdout lengths.json
/usr/bin/python3 -B - <<'EOP' || bad 'figures'
import json, re
load = lambda name: json.load(open(name))
rows = load('list.json')['rows']
shown = [line.split() for line in open('list') if re.match(r' *\d+ +\d+\.\d ', line)]
assert [(int(words[0]), float(words[1])) for words in shown] == [(row['window'], round(row['unlike'], 1)) for row in rows[:5]], shown
key = {'unlike': 'unlike', 'instructions': 'instructions', 'calls': 'calls', 'depth': 'levels', 'cycles': 'cpi'}
for sort, name in key.items():
    values = [row[name] for row in load('sorted.' + sort)['rows']]
    assert values == sorted(values, reverse=True), sort
assert [row['window'] for row in load('sorted.time')['rows']] == list(range(1, len(rows) + 1))
assert [row['time'] for row in load('sorted.time')['rows']] == sorted(row['time'] for row in rows)
window, part = load('window.json'), load('part.json')
row = next(row for row in rows if row['window'] == 3)
assert all(row[name] == window[name] for name in ('time', 'thread', 'tid', 'instructions', 'calls', 'levels', 'breaks', 'stands_for'))
assert sum(window['course']['cycles'][window['warming']:]) == row['cycles'], (row['cycles'], window['warming'])
assert row['cycles_of'] == window['instructions'] - window['warming'] and abs(row['cpi'] - row['cycles'] / row['cycles_of']) < 1e-9
deepest = max(r['depth'] for r in window['rows'])
assert deepest + 1 == row['levels']
levels = [0] * window['instructions']
for r in window['rows']:
    if r['kind'] == 'call':
        levels[r['from']:r['to']] = [r['depth']] * (r['to'] - r['from'])
for i, level in enumerate(row['shape']):
    some = levels[i * len(levels) // 64:(i + 1) * len(levels) // 64]
    assert abs(sum(some) / len(some) - level) < 0.006, (i, level)
# The outline adds up: a line has the instructions of its own, and of the lines below it.
outline = [(len(m[2]) // 2, int(m[1])) for m in (re.match(r' *\d+ +(\d+) +\d+ +[\d.]+  ((?:  )*)\S', line) for line in open('window')) if m]
assert outline and sum(n for level, n in outline if level == 0) == window['instructions'], outline[:3]
# A part is that part.
expand = lambda w: [w['code'][first + k]['address'] for first, n in w['course']['steps'] for k in range(n)]
assert expand(part) == expand(window)[100:164] and part['course']['cycles'] == window['course']['cycles'][100:164]
ids = {r['id']: r for r in window['rows']}
assert [r['id'] for r in part['rows']] == [r['id'] for r in window['rows'] if r['from'] < 164 and r['to'] > 100]
for r in window['rows']:
    if 'parent' in r:
        around = ids[r['parent']]
        assert around['from'] <= r['from'] and r['to'] <= around['to'], (around, r)
steps = [line.split() for line in open('part') if re.match(r' +1\d\d +\d+ +\d+  strolls\+0x', line)]
assert [words[3] for words in steps] == expand(part) and [int(words[0]) for words in steps] == list(range(100, 164))
lengths = load('lengths.json')
assert lengths['calls'] == sum(r['calls'] for r in lengths['rows']) > 100
text = open('lengths').read()
assert f'{lengths["calls"]} calls ended' in text and f'half of the calls take up to {lengths["p50"]:.0f},' in text
assert lengths['p10'] <= lengths['p50'] <= lengths['p90'] <= lengths['p99']
EOP
# A part of the run: times are since its start, which is before its first window and not long ago.
/usr/bin/python3 -c 'import json; rows = json.load(open("list.json"))["rows"]; times = sorted(row["time"] for row in rows)[len(rows) // 2 - 1:][:2]; print(sum(times) / 2)' >half
status 0 'a part of the run' "$gait" windows --time "$(cat half):" --json data
cp stdout later.json
status 0 'the other part' "$gait" windows --time ":$(cat half)" --json data
cp stdout earlier.json
"$gait" windows --time ":$(cat half)" --function leaf --json data >earlier.lengths
"$gait" windows --time "$(cat half):" --function leaf --json data >later.lengths
/usr/bin/python3 -B - <<'EOP' || bad 'parts of the run'
import json
load = lambda name: json.load(open(name))
whole, earlier, later = (load(name)['rows'] for name in ('list.json', 'earlier.json', 'later.json'))
half = float(open('half').read())
assert earlier == [row for row in whole if row['time'] < half] and later == [row for row in whole if row['time'] >= half] and earlier and later
assert load('list.json')['since'] == 'start' and 0 <= min(row['time'] for row in whole) and max(row['time'] for row in whole) < 60
assert load('earlier.lengths')['calls'] + load('later.lengths')['calls'] == load('lengths.json')['calls']
EOP
"$gait" merge -o merged data data 2>/dev/null
status 2 'a part of two runs' "$gait" windows --time 0:1 merged
says 'does not say when windows were recorded'
status 129 'no such window' "$gait" windows --show 100000 data
says '--show 100000: expected the number of a window, 1 to'
status 129 'window 0' "$gait" windows --show 0 data
says 'expected the number of a window'
status 129 'no number' "$gait" windows --show first data
status 129 'a part of no window' "$gait" windows --from 3 data
says '--show N'
status 129 'beyond the end' "$gait" windows --show 1 --from 100000000 data
says 'window 1 has'
status 129 'backwards' "$gait" windows --show 1 --from 20 --to 10 data
says '--from 20: expected less than 10'
status 129 'both' "$gait" windows --show 1 --function leaf data
status 129 'odd order' "$gait" windows --sort beauty data
status 2 'no such function' "$gait" windows --function nobody data
says 'no such function ran in the windows'
status 1 'no core' "$gait" windows --core nowhere/none.core data
status 2 'counts alone' "$gait" windows exact
says 'only sampled recordings keep them'
status 2 'no file' "$gait" windows none
# Without the program: what the profile kept is enough.
cp "$strolls" elsewhere
"$gait" record -q -F 2000 --seed 1 -o moved -- ./elsewhere >/dev/null || bad "record: status $?"
"$gait" windows --json moved >here
"$gait" windows --json --show 2 moved >here.window
rm elsewhere
"$gait" windows --json moved | cmp -s - here || bad 'another list without the program'
"$gait" windows --json --show 2 moved | cmp -s - here.window || bad 'another window without the program'
finish
