#!/bin/bash
# gait graph: its figures are those of gait annotate, Graphviz puts blocks where they do not overlap, and
# without Graphviz it says what to type. --function of other views leaves out rows and changes none.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
"$gait" record -q --exact=counts -o "$work/exact" -- "$(program branches)" 20000 >/dev/null || bad 'record exact'
"$gait" record -q -F 2000 --seed 1 --events edge,call,address,value,latency,stack -o "$work/sampled" -- "$(program habits)" 10000000 >/dev/null || bad record
"$gait" record -q --exact=paths -o "$work/counted" -- "$(program habits)" 10000 >/dev/null || bad 'record paths'
json() { "$gait" "$@" --json >"$work/$json" || bad "$*"; }
hot=$("$gait" report --json "$work/exact" | sed -n 's/^{"name": "\([^"]*\)".*"branches+0x.*/\1/p' | head -1)
json=exact.annotate json annotate "$hot" "$work/exact"
json=exact.graph json graph "$hot" "$work/exact"
json=exact.few json graph --blocks 2 "$hot" "$work/exact"
json=sampled.annotate json annotate walked "$work/sampled"
json=sampled.graph json graph walked "$work/sampled"
json=source json annotate --source walked "$work/sampled"
at=$(sed -n 's/^"address": "\(.*\)",/\1/p' "$work/sampled.graph")
for view in values latencies conflicts pipeline paths 'report --by loop'; do
    name=${view// /_} of=$work/sampled
    [ "$view" = paths ] && of=$work/counted
    json=$name.all json $view "$of"
    json=$name.name json $view --function walked "$of"
    json=$name.address json $view --function "$at" "$of"
done
ldconfig -p | grep -q 'libgvc\.so\.6' && laid=yes || laid=no
/usr/bin/python3 -B - "$work" $laid <<'PYTHON' || bad 'figures'
import json, math, sys
work, laid = sys.argv[1:]
load = lambda name: json.load(open(f'{work}/{name}'))
bad = 0
def check(what, good, *more):
    global bad
    if not good:
        bad = 1
        print('not so:', what, *more)
for mode in 'exact', 'sampled':
    graph, annotation = load(mode + '.graph'), load(mode + '.annotate')
    lines = {row['address']: row for row in annotation['rows']}
    blocks = graph['rows']
    leaders = [row['address'] for row in annotation['rows'] if row.get('leader')]
    check('all blocks', graph['all_blocks'] == len(blocks) and annotation['functions'][0]['blocks'] == len(leaders))
    left_out = set(leaders) - {b['address'] for b in blocks}
    check('leaders', [a for a in leaders if a not in left_out] == [b['address'] for b in blocks])
    check('padding alone is left out', all('nop' in lines[a]['assembly'] or 'xchg %ax, %ax' in lines[a]['assembly'] for a in left_out), left_out)
    check('instructions', len(lines) - sum(b['instructions'] for b in blocks) <= 4 * len(left_out))
    check('one entry', [b['address'] for b in blocks if b['entry']] == [graph['address']])
    for b in blocks:
        check('count', b['count'] == lines[b['address']]['count'], b)
        out = [e for e in graph['edges'] if e['from'] == b['id']]
        taken = lines[b['last']].get('taken')
        for e in out:
            if e['kind'] == 'taken':
                check('taken', e['probability'] == taken, e)
            if e['kind'] == 'fall' and taken is not None:
                check('fall', math.isclose(e['probability'], 1 - taken, abs_tol=1e-8), e)
        told = [e['probability'] for e in out]
        if told and None not in told and not b['leaves']:
            check('they add up', math.isclose(sum(told), 1, abs_tol=1e-6), out)
    whole = sum(row['share'] for row in annotation['rows'])
    check('shares', math.isclose(sum(b['share'] for b in blocks), whole, abs_tol=1e-6))
    if laid == 'yes':
        check('laid out', graph['layout'] == 'dot' and graph['layout_why'] == '')
        for b in blocks:
            check('inside', b['x'] >= -1 and b['y'] >= -1 and b['x'] + b['width'] <= graph['width'] + 1 and b['y'] + b['height'] <= graph['height'] + 1, b)
            for c in blocks:
                if c['id'] > b['id']:
                    check('apart', b['x'] + b['width'] <= c['x'] or c['x'] + c['width'] <= b['x'] or
                          b['y'] + b['height'] <= c['y'] or c['y'] + c['height'] <= b['y'], b, c)
        for e in graph['edges']:
            check('a curve', len(e['points']) >= 8 and len(e['points']) % 6 == 2, e)
few = load('exact.few')
check('few', len(few['rows']) == 2 and few['rows'][0]['entry'] and few['all_blocks'] > 2)
hottest = max((b for b in load('exact.graph')['rows'] if not b['entry']), key=lambda b: b['share'])
check('the hottest', hottest['address'] in [b['address'] for b in few['rows']])
# Source: what lines cost is what their instructions cost.
source = load('source')
rows = source['rows']
for file in source['sources']:
    check('a file of ours', file['own'] and file['there'] and file['file'].endswith('habits.c'), file['file'])
    for line in file['lines']:
        own = [row for row in rows if row['sites'][:2] == [file['id'], line['line']]]
        check('its instructions', line.get('instructions', 0) == len(own), line)
        if own:
            check('its share', math.isclose(line['share'], sum(row['share'] for row in own), abs_tol=1e-8), line)
            check('its count', line['count'] == max(row['count'] for row in own), line)
            check('its text', line['text'] is not None)
# One function's rows are those of all, with the same figures.
address = load('sampled.graph')['address']
here = {row['address'] for row in load('sampled.annotate')['rows']}
for view in 'values', 'latencies', 'pipeline', 'paths', 'report_--by_loop':
    want = [row for row in load(view + '.all')['rows'] if row['address'] in here]
    for how in 'name', 'address':
        got = load(f'{view}.{how}')['rows']
        check(f'{view} by {how}', got == want, len(got), len(want))
    check(view + ' has some', want or view == 'latencies')
for how in 'name', 'address':
    got = load('conflicts.' + how)['rows']
    check('conflicts by ' + how, got == [row for row in load('conflicts.all')['rows'] if row['from'] in here or row['to'] in here])
sys.exit(bad)
PYTHON
status 0 text "$gait" graph walked "$work/sampled"
grep -q -- '-> 0x[0-9a-f]*  taken  9[0-9.]*% ([0-9.]* to [0-9.]*)' "$work/stdout" || { bad 'no probability'; cat "$work/stdout"; }
status 0 dot "$gait" graph --format dot walked "$work/sampled"
grep -q '^digraph "walked" {' "$work/stdout" || bad 'no dot'
if [ $laid = yes ]; then
    status 0 svg "$gait" graph --format svg walked "$work/sampled"
    /usr/bin/python3 -B -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1]).getElementsByTagName("path")[0]' "$work/stdout" || bad 'no picture'
fi
# A Graphviz that is none.
mkdir "$work/none" && : >"$work/none/libgvc.so.6"
status 1 'no Graphviz' env LD_LIBRARY_PATH="$work/none" "$gait" graph --format svg walked "$work/sampled"
says 'apt-get install libgvc6'
status 0 'no Graphviz, JSON' env LD_LIBRARY_PATH="$work/none" "$gait" graph --json walked "$work/sampled"
grep -q '^"layout_why": "Graphviz .*apt-get install libgvc6",' "$work/stdout" || bad 'JSON does not say why there is no layout'
status 129 'no function' "$gait" graph
says 'gait graph FUNCTION'
status 2 'no such function' "$gait" graph walke "$work/sampled"
says 'nearest: walked'
status 2 'a file' "$gait" graph "$work/sampled"
says 'gait.data'
status 129 'no such format' "$gait" graph --format png walked "$work/sampled"
status 2 'no rows of it' "$gait" values --function no_such "$work/sampled"
says "no function 'no_such' was seen to run"
finish
