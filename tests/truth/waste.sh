#!/bin/bash
# gait waste of a trace: dead stores and redundant loads are those that valgrind's list of all accesses (lackey) shows,
# pair by pair and time by time, as found by other means: byte by byte, in Python. Of a program that nothing was planted in,
# however it was compiled, none that valgrind does not show.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v valgrind >/dev/null || skip 'valgrind is not installed'
make -s "${GAIT_OUT:-o/rel}/programs/waste" >&2 || exit 1
export LD_BIND_NOW=1 # what binds functions when they are first called saves registers: a barrier
cat >"$work/compare.py" <<'EOF'
import collections, json, re, sys
rows, accesses, code, entry, way, name = sys.argv[1:]
entry, base, at = int(entry, 16), None, 0
text = {int(a, 16): op for a, op in re.findall(r'^ +([0-9a-f]+):\s+(.*)', open(code).read(), re.M)}
hidden = {a for a, op in text.items() if re.match(r'(push|pop|ret|leave)\b|call +[0-9a-f]+ ', op)}
repeated = {a for a, op in text.items() if op.startswith('rep ')}
writer, reader = {}, {}  # by byte: [place, bytes left, read]; [place]
found = collections.Counter()
def load(place, address, n):
    if place in repeated or place in hidden:
        seen = None
    else:
        seen = [place]
        last = [reader.get(b) for b in range(address, address + n)]
        if last[0] and all(one is last[0] for one in last):
            found['redundant-load', last[0][0], place] += 1
    for b in range(address, address + n):
        if b in writer:
            writer[b][2] = True
        reader[b] = seen
def store(place, address, n):
    event = [place, n, place in hidden]
    for b in range(address, address + n):
        reader.pop(b, None)
        old = writer.get(b)
        writer[b] = event
        if old:
            old[1] -= 1
            if not old[1] and not old[2]:
                found['dead-store', old[0], place] += 1
calls = {a for a, op in text.items() if op.startswith('call')}
for line in open(accesses):
    kind, rest = line[:2].strip(), line[3:].split(',')
    if kind not in ('I', 'L', 'S', 'M') or len(rest) != 2:
        continue
    address, n = int(rest[0], 16), int(rest[1])
    if kind == 'I':
        if base is None and address & 0xfff == entry & 0xfff and address < 1 << 24:
            base = address - entry
        at = address - base if base is not None and address - base in text else None
        continue
    if kind in 'LM':
        load(at, address, n)
    if kind in 'SM':
        store(at, address, n)
        if at in calls: # where it returns to: no finding
            for b in range(address, address + n):
                writer[b][2] = True
def inside(first, second):
    return first in text and second in text and not {first, second} & repeated
want = {key: n for key, n in found.items() if inside(*key[1:])}
got = collections.Counter()
for row in json.load(open(rows))['rows']:
    kind = 'dead-store' if row['kind'] == 'set-overwritten' else row['kind']
    (module, first), (other, second) = ((row[key].rsplit('+0x', 1)) for key in ('first', 'second'))
    key = kind, int(first, 16), int(second, 16)
    if kind in ('dead-store', 'redundant-load') and module == other == name and inside(*key[1:]):
        got[key] += row['count']
for key in sorted(set(want) | set(got)):
    if want.get(key, 0) != got[key]:
        print(*key[:1], *map(hex, key[1:]), 'valgrind', want.get(key, 0), 'gait', got[key])
print(way, len(want), 'pairs,', sum(want.values()), 'times')
if way == 'structs': # memory is forgotten at masked stores and system calls, which valgrind does not run or knows
    assert not [key for key in got if got[key] > want.get(key, 0)] and sum(got.values()) > 0.6 * sum(want.values())
else:
    assert want == got and len(want) > (9 if way == 'planted' else 0)
EOF
compare() { # PROGRAM WAY
    "$gait" record -q --exact=trace --events edge,call,address,value -o "$work/$2" -- "$1" $2 3 >"$work/stdout" || bad "record: status $?"
    "$gait" waste --json "$work/$2" >"$work/$2.json" || bad "waste: status $?"
    valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$1" $2 3 9>"$work/accesses" >"$work/output" || bad 'valgrind'
    cmp -s "$work/stdout" "$work/output" || bad 'other output'
    objdump -d --no-show-raw-insn "$1" >"$work/code"
    entry=$(readelf -h "$1" | sed -n 's/.*Entry point address: *0x//p')
    /usr/bin/python3 -B "$work/compare.py" "$work/$2.json" "$work/accesses" "$work/code" "$entry" $2 "$(basename "$1")" || bad "$2"
}
compare "$built/programs/waste" planted
compare "$built/programs/waste" clean
for flags in -O0 -O2 -Os '-O3 -mavx2'; do
    # shellcheck disable=SC2086
    gcc -g $flags -o "$work/program" tests/programs/waste/structs.c || bad "gcc $flags"
    compare "$work/program" structs
done
finish
