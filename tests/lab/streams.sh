#!/bin/bash
# record --dump-stream and gait lab streams: the tuples of a program that draws its values by a rule, against the rule; compressors of a program whose loads and
# branches are nearly always the same are nearly right; files that are none.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/habits" tests/programs/processes/habits.c || { bad 'the test program could not be built'; exit 1; }
rounds=20000
# Hashes of addresses decide what compressors keep: the same addresses in each run.
setarch -R "$gait" record -q --exact=trace --events address,value --dump-stream "$work/tuples" -o "$work/data" -- "$work/habits" $rounds >/dev/null || bad "record: status $?"
same 'rights of the tuples' 600 "$(stat -c %a "$work/tuples")"
instructions=$("$gait" info "$work/data" --json | /usr/bin/python3 -B -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["instructions"])')
/usr/bin/python3 -B - "$work/tuples" $rounds "$instructions" <<'PY' || bad 'tuples'
import collections, struct, sys
data, rounds = open(sys.argv[1], 'rb').read(), int(sys.argv[2])
assert data[:16] == b'gait tuples 1\n\n\0' and len(data) % 16 == 0
assert data[-16:-8] == b'\xff' * 8
instructions = struct.unpack('<Q', data[-8:])[0]
print(instructions, 'instructions', sys.argv[3])
assert instructions == int(sys.argv[3]), 'not those of the recording'
counts = collections.Counter((place >> 56, place & (1 << 56) - 1, value) for place, value in struct.iter_unpack('<QQ', data[16:]))
seed, sevens = 1, 0
for _ in range(rounds):
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    sevens += (seed >> 33) % 20 != 0
print(len(counts), 'different tuples,', sevens, 'of', rounds, 'calls go to one function')
assert any(kind == 0 and value == 42 and n == rounds for (kind, _, value), n in counts.items())
assert any(kind == 2 and n == sevens for (kind, _, _), n in counts.items())
assert any(kind == 2 and n == rounds - sevens for (kind, _, _), n in counts.items())
assert any(kind == 1 and n == 15 * rounds for (kind, _, _), n in counts.items()), 'the loop goes back 15 times of 16'
PY
for table in 1 7 8 9 10 11; do
    "$gait" lab --csv --plot "$work/$table.svg" streams-$table "$work/tuples" >"$work/$table.csv" || bad "streams-$table: status $?"
done
"$gait" lab --csv="$work/again.csv" streams-7 "$work/tuples" >"$work/text"
cmp "$work/7.csv" "$work/again.csv" && grep -q '^streams-7: ' "$work/text" || bad 'text and csv at once'
"$gait" lab streams-7 "$work/tuples" | grep -q 'comes below 3 %: holds' || bad 'claims'
/usr/bin/python3 -B - "$work"/{7,8,9,11}.csv <<'PY' || bad 'errors'
import csv, sys
for name in sys.argv[1:]:
    rows = list(csv.reader(open(name)))
    errors = [float(cell) for head, cell in zip(rows[0], rows[-1]) if head.endswith('%')]
    print(errors)
    assert all(0 <= error < 5 for error in errors), rows
PY
# Figures are drawn as curves, of more points than the text has.
[ "$(grep -c '<polyline' "$work/7.svg")" = 10 ] || bad 'curves'
[ "$(wc -l <"$work/7.csv")" -gt "$("$gait" lab streams-7 "$work/tuples" | grep -c '^tuples')" ] || bad 'points of curves'
# Any composition, judged like the paper's: the same figures as in the paper's table; one run or the mean of several; designs that are none.
"$gait" lab --csv --design 'H[P256]2048' --design 'T2[256]2048x2+A16' streams "$work/tuples" >"$work/any.csv" || bad "streams: status $?"
/usr/bin/python3 -B - "$work"/{7,any}.csv <<'PY' || bad 'any designs'
import csv, sys
seven, any = ([dict(zip(rows[0], row)) for row in rows[1:]] for rows in (list(csv.reader(open(name))) for name in sys.argv[1:]))
rows = {row['design']: row for row in any}
assert list(rows) == ['R256', 'H[P256]2048', 'T2[256]2048x2+A16'], rows
assert rows['H[P256]2048']['error %'] == seven[-1]['H[P256] %'] and rows['H[P256]2048']['msg'] == seven[-1]['H[P256] msg']
assert rows['R256']['error %'] == seven[-1]['R256 %']
assert [rows[design]['bits'] for design in rows] == ['0', '16384', str(2048 * 14 + 16 * 136)]
assert float(rows['T2[256]2048x2+A16']['msg']) < float(rows['H[P256]2048']['msg']) / 10
PY
for table in hash tags converge kinds; do
    "$gait" lab streams-$table --runs 2 "$work/tuples" >"$work/text" || bad "streams-$table: status $?"
    grep -q ': holds: \|: does not hold: ' "$work/text" || bad "streams-$table: no verdict"
done
"$gait" lab streams-tags "$work/tuples" | grep -q 'at least 62 % more storage than stratified sampling: holds: 62.5 %' || bad 'storage of tags'
"$gait" lab streams-7 --runs 3 "$work/tuples" | grep -q 'means of 3 runs.* R256 0\.[0-9]*' || bad 'runs'
status 129 'no design' "$gait" lab streams "$work/tuples"
status 129 'half a design' "$gait" lab streams --design 'H[P256' "$work/tuples"
status 2 'no such file' "$gait" lab streams-1 "$work/nowhere"
# What a table would not look at is refused.
status 129 'a file for a table without' "$gait" lab streams-4 "$work/tuples"
status 129 'a command for loops' "$gait" lab pipeline-2 -- true
status 129 'steps of a file' "$gait" lab streams-7 --steps 5 "$work/tuples"
status 129 'a core of a file' "$gait" lab streams-7 --core zen3 "$work/tuples"
status 129 'JSON of a table' "$gait" lab streams-7 --json "$work/tuples"
status 129 'designs of another table' "$gait" lab streams-7 --design P256 "$work/tuples"
# What comes before the first tuples may be left out, but for what is not there.
"$gait" record -q --exact=trace --events address,value --dump-stream "$work/later" --dump-skip $((instructions / 2)) -o "$work/data" -- "$work/habits" $rounds >/dev/null || bad "later: status $?"
/usr/bin/python3 -B - "$work/later" "$work/tuples" "$instructions" <<'PY' || bad 'what comes before the first tuples'
import struct, sys
later, all = (open(name, 'rb').read() for name in sys.argv[1:3])
left = struct.unpack('<Q', later[-8:])[0]
print(left, 'of', sys.argv[3], 'instructions')
assert 0.4 * int(sys.argv[3]) < left <= 0.5 * int(sys.argv[3]) and 0.4 * len(all) < len(later) < 0.6 * len(all)
PY
head -c 100 /dev/zero >"$work/none"
"$gait" lab streams-7 "$work/none" >/dev/null 2>"$work/stderr"
[ $? = 2 ] && grep -q 'not a file of tuples' "$work/stderr" || bad 'a file of zeros'
head -c 1000001 "$work/tuples" >"$work/cut"
"$gait" lab streams-7 "$work/cut" >/dev/null 2>"$work/stderr"
[ $? = 2 ] && grep -q 'ends inside a tuple' "$work/stderr" || bad 'a file that was cut'
if [ "$GAIT_LONG" ]; then
    "$gait" lab streams-4 | grep -q 'points of 4 %: holds' || bad 'the paper'"'"'s Figure 4'
fi
finish
