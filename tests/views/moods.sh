#!/bin/bash
# gait values --kind user, signal, pending, page: for whom code ran, with which signals blocked and waiting, and on which physical pages, of a program that plants it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/moods" >&2 || exit 1
"$gait" record -q -F 2000 --seed 1 --events edge,call,value -o "$work/data" -- "$built/programs/moods" 60000 >"$work/truth" || bad "record: status $?"
"$gait" verify "$work/data" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
if "$gait" record -q -F 2000 --seed 1 --events page -o "$work/pages" -- "$built/programs/moods" 60000 >"$work/page_truth" 2>"$work/stderr"; then
    "$gait" verify "$work/pages" >"$work/verify" || { bad 'verify pages'; cat "$work/verify"; }
    "$gait" values --json --module moods --kind page "$work/pages" >"$work/page.json" || bad "values --kind page: status $?"
    "$gait" info --json "$work/pages" | grep -q '"events": \["[^"]*,address,page' || bad 'the recording does not say that it has pages'
else
    grep -q 'CAP_SYS_ADMIN\|cannot be opened' "$work/stderr" || { bad 'refused without a reason'; cat "$work/stderr"; }
fi
for kind in user signal pending; do
    "$gait" values --json --module moods --kind $kind "$work/data" >"$work/$kind.json" || bad "values --kind $kind: status $?"
done
"$gait" info --json "$work/data" >"$work/info.json"
/usr/bin/python3 -B - "$work" <<'PY' || bad 'figures'
import json, os, sys
work = sys.argv[1]
may, _, _ = open(f'{work}/truth').read().split()
facts = json.load(open(f'{work}/info.json'))['facts']
def shares(kind, function):
    """Of the run of the function that was gone most: text to share."""
    rows = [r for r in json.load(open(f'{work}/{kind}.json'))['rows'] if r['function'] == function]
    assert all(r['kind'] == kind for r in rows), rows
    if not rows:
        return None
    row = max(rows, key=lambda r: r['total'])
    seen = {v['text']: v['share'] for v in row['values']}
    print(kind, function, row['total'], seen)
    return seen
for function, blocked, waits in (('plain', 'none', 'none'), ('held', 'USR1 TERM', 'none'), ('waiting', 'USR2', 'USR2'),
                                 ('handled', 'USR2', 'none'), ('first_view', 'none', 'none')):
    assert shares('signal', function)[f'blocks {blocked}'] > 0.999, function
    assert shares('pending', function)[f'waiting: {waits}'] > 0.999, function
if int(may):
    assert shares('user', 'other')['user 65534'] > 0.999
    assert shares('user', 'plain')[f'user {os.geteuid()}'] > 0.999
else:
    assert facts['one_user'][0].endswith(f': {os.geteuid()}'), facts
if os.path.exists(f'{work}/page.json'):
    _, one, other = open(f'{work}/page_truth').read().split()
    for function, page in ('first_view', one), ('second_view', one), ('elsewhere', other):
        rows = [r for r in json.load(open(f'{work}/page.json'))['rows'] if r['function'] == function]
        # The loop reads the page; before and after it, the stack and globals.
        most = max(rows, key=lambda r: r['total'])
        seen = {v['text']: v['share'] for v in most['values']}
        print('page', function, most['total'], seen, 'planted', page)
        assert int(page, 16) and seen[page] > 0.999, (function, page, seen)
PY
# One of each: facts, not rows.
"$gait" record -q -F 1000 --events edge,call,value -o "$work/one" -- awk 'BEGIN { for (i = 0; i < 2e7; i++) x += i; print x }' >"$work/output" || bad "record awk: status $?"
"$gait" values --kind user,signal,pending "$work/one" >"$work/text"
grep -q "^all windows had one user: process [0-9]*: $(id -u)$" "$work/text" && grep -q '^all windows had one set of blocked signals: process [0-9]*: none$' "$work/text" ||
    { bad 'a process that never changes'; cat "$work/text"; }
status 125 'pages of an exact run' "$gait" record --exact=trace --events page -o "$work/no" true
grep -q 'goes with samples' "$work/stderr" || bad 'no reason'
finish
