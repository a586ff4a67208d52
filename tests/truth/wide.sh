#!/bin/bash
# record --events address: where loads and stores of EVEX go whose displacements are short, and what copies of libc access, against a program that knows.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
program wide >/dev/null || exit 1
rounds=1500000 # 0.05 s of a Zen 5
"$built/programs/wide" $rounds >"$work/native" 2>"$work/why"
[ $? = 77 ] && skip "SKIPPED, nothing was checked: $(cat "$work/why")"
"$gait" record -F 2000 --events address --dump-events "$work/dump" -o "$work/data" -- "$built/programs/wide" $rounds >"$work/output" 2>"$work/stderr" || bad "record: status $?"
cmp -s "$work/native" "$work/output" || bad 'the output of the program differs'
grep -q 'left out\|do not fit' "$work/stderr" && bad "$(cat "$work/stderr")"
nm "$built/programs/wide" >"$work/names"
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'addresses'
import collections, re, sys
work = sys.argv[1]
names = {line.split()[2]: int(line.split()[0], 16) for line in open(f'{work}/names') if len(line.split()) == 3}
expected = {}
for name, at in names.items():
    if found := re.fullmatch(r'wide_(plus|minus)_(\d+)', name):
        expected[at] = (name, names['wide_data'] + 512 + int(found[2]) * (1 if found[1] == 'plus' else -1))
seen, wrong, base, copied = collections.Counter(), [], None, collections.Counter()
for line in open(f'{work}/dump'):
    fields = line.split()
    if fields[0] == 'window' or fields[3] != 'address':
        continue
    pc, (module, offset), access, address = int(fields[1], 16), fields[2].rsplit('+0x', 1), int(fields[5]), int(fields[6], 16)
    if module == 'wide' and int(offset, 16) in expected:
        base = pc - int(offset, 16)
        name, right = expected[int(offset, 16)]
        seen[name] += 1
        if address - base != right:
            wrong.append((name, hex(address - base), hex(right)))
    elif module.startswith('libc') and base is not None:
        at = address - base
        inside = [which for which in ('copy_from', 'copy_to') if names[which] <= at < names[which] + 200]
        copied[access, inside[0] if inside else 'elsewhere'] += 1
print(dict(seen), dict(copied))
assert not wrong, wrong[:5]
assert len(expected) == 14 and len(seen) == 14, sorted(set(name for name, _ in expected.values()) - set(seen))
# Every copy loads as much as it stores, nothing else but limits of libc's own. A window over the end of
# the program has what printf and exit access as well: few.
loads, stores = copied[1, 'copy_from'], copied[2, 'copy_to']
assert stores > 100 and abs(loads - stores) < 100 and copied[1, 'elsewhere'] < stores, copied
assert copied[2, 'elsewhere'] + copied[3, 'elsewhere'] < stores / 10, copied
assert not set(copied) - {(1, 'copy_from'), (2, 'copy_to'), (1, 'elsewhere'), (2, 'elsewhere'), (3, 'elsewhere')}, copied
EOF
finish
