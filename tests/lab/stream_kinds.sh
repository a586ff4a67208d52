#!/bin/bash
# record --dump-stream with a model: types of objects by the tables that calls go through, and branches that were guessed wrong, of a program that has
# both by rule.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/types" tests/programs/types.c || { bad 'the test program could not be built'; exit 1; }
address() {
    nm "$work/types" | awk -v name="$1" '$3 == name { print "0x" $1 }'
}
"$gait" record -q --exact=trace --events address,value --core zen4 --dump-stream "$work/tuples" -o "$work/data" -- "$work/types" 8000 >/dev/null || bad "record: status $?"
/usr/bin/python3 -B - "$work/tuples" "$(address small)" "$(address large)" "$(address chance)" "$(address main)" <<'PY' || bad 'tuples'
import collections, struct, sys
small, large, chance, main = (int(word, 16) for word in sys.argv[2:])
data = open(sys.argv[1], 'rb').read()[16:]
kinds = {3: collections.Counter(), 4: collections.Counter()}
for place, value in struct.iter_unpack('<QQ', data):
    if place >> 56 in kinds:
        kinds[place >> 56][place & (1 << 56) - 1, value] += 1
# The last tuples say how many cycles the model took, and how many instructions ran.
(cycles, n_cycles), (end, instructions) = list(struct.iter_unpack('<QQ', data))[-2:]
assert end == 2**64 - 1 and cycles == 2**64 - 2
assert 0.1 < n_cycles / instructions < 10, 'cycles'
(one, n), (other, m) = kinds[4].most_common(2)
print('types', one, n, other, m, 'wrong', sum(kinds[3].values()))
assert (n, m) == (6000, 2000) and one[0] == other[0], 'one call, three of four times through one table'
assert one[1] - other[1] == small - large, 'the distance of the tables'
# The model sees addresses as linked, its module above them.
wrong = collections.Counter()
for (place, _), times in kinds[3].items():
    wrong[place & (1 << 40) - 1] += times
there = sum(times for place, times in wrong.items() if chance <= place < chance + 64)
print('of the branch that is chance', there)
assert 3600 < there < 4400, 'half of what is chance is guessed wrong'
assert sum(times for place, times in wrong.items() if main <= place < main + 256) < 100, 'a loop of 8,000 rounds is not'
PY
"$gait" lab --csv streams-kinds "$work/tuples" >"$work/kinds" || bad "streams-kinds: status $?"
awk -F, '$2 == "types" { exit !($6 < 5 && $7 < 5) }' "$work/kinds" || bad "types through a shared compressor: $(cat "$work/kinds")"
"$gait" lab streams-7 "$work/tuples" | grep -q 'overheads are of cycles of a modelled core' || bad 'overheads'
finish
