#!/bin/bash
# Runs with others
# gait lab events-*: tables of recordings with exact counts and samples of a model's counters. Two programs, so that each is judged by weights of the other; the overlap
# is what gait compare says, and what a recording lacks is named.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}"/programs/{stages,branches} >&2 || exit 1
"$gait" record -q --exact=counts --core skylake --counters 200 --seed 1 -o "$work/stages" -- "$built/programs/stages" 15 >/dev/null || bad "record: status $?"
"$gait" record -q --exact=counts --core skylake --counters 200 --seed 1 -o "$work/branches" -- "$built/programs/branches" >/dev/null || bad "record: status $?"
for table in events-table-1 events-figure-3 events-primary; do
    "$gait" lab $table "$work/stages" "$work/branches" >"$work/$table.text" || bad "lab $table: status $?"
    "$gait" lab --csv $table "$work/stages" "$work/branches" >"$work/$table.csv" || bad "lab --csv $table: status $?"
    grep -q 'hold' "$work/$table.text" || bad "$table: no verdicts"
done
for how in static levin classes perfect; do
    "$gait" compare -q --json --event inst_retired --inferred=$how "$work/stages" "$work/stages" >"$work/$how.json" || bad "compare --inferred=$how: status $?"
done
/usr/bin/python3 -B - "$work" <<'EOP' || bad 'figures'
import csv, json, sys
def table(name):
    return list(csv.reader(open(f'{sys.argv[1]}/{name}.csv')))
def share(text):
    return float(text.rstrip('%'))
head, *rows = table('events-figure-3')
bars = {row[0]: dict(zip(head[1:], map(share, row[1:]))) for row in rows}
for how, column in ('static', 'static'), ('levin', 'flow (Levin)'), ('classes', 'classes'), ('perfect', 'perfect classes'):
    said = 100 * json.load(open(f'{sys.argv[1]}/{how}.json'))['rows'][0]['overlap']
    assert abs(said - bars['stages'][column]) < 0.1, (how, said, bars['stages'])
assert 30 < bars['stages']['all events'] <= 100 and 30 < bars['branches']['all events'] <= 100, bars
for column in head[1:]:
    assert abs(bars['mean'][column] - (bars['stages'][column] + bars['branches'][column]) / 2) < 0.11, column
head, *rows = table('events-primary')
assert abs(share(rows[0][1]) - bars['stages']['flow (Levin)']) < 0.1, rows
head, *rows = table('events-table-1')
assert [row[4] for row in rows] == ['+0.4300', '+0.2720', '-0.1247', '-0.1887', '+0.2131', '-0.1124', '+0.0092'], rows
for row in rows:
    low, high = map(float, row[3].split(' to '))
    assert low <= high and abs(float(row[2])) < 3, row
# What retires is what ran, as long as nothing else is said: among them weights are far from 0.
assert sum(abs(float(row[2])) for row in rows[:2]) > 0.3, rows
EOP
"$gait" record -q --exact=counts -o "$work/counts" -- "$built/programs/stages" 1 >/dev/null || bad 'record'
status 2 'without counters' "$gait" lab events-figure-3 "$work/counts"
says 'has no samples of inst_retired'
finish
