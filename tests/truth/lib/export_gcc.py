#!/usr/bin/python3 -B
"""export_gcc.py OURS THEIRS: the profile for gcc that the exporter wrote against the one that create_gcov made of the same runs and
branches. Theirs has discriminators, which are to be gone from ours: a line has the most that any part of it has. Of targets ours
has those of calls through pointers. Entries that come from elsewhere (main, callbacks of the C library) are only in ours."""
import sys

import afdo

SKIPPED = {'helper'}  # there are two of that name, of which create_gcov takes one


def lines(instance):
    name, counts, calls = instance
    found, inner = {}, {}
    for offset, (count, targets) in counts.items():
        before = found.setdefault(offset >> 16, [0, {}])
        before[0] = max(before[0], count)
        for target, n in targets.items():
            before[1][target] = before[1].get(target, 0) + n
    for (offset, callee), body in calls.items():
        inner.setdefault((offset >> 16, callee), []).append(lines(body))
    return found, inner


def compare(path, ours, theirs, bad):
    for line in sorted(set(ours[0]) | set(theirs[0])):
        x, y = ours[0].get(line, [0, {}]), theirs[0].get(line, [0, {}])
        if x[0] != y[0]:
            bad.append(f'{path}:{line}: {x[0]}, create_gcov has {y[0]}')
        for target, n in x[1].items():
            if y[1].get(target) != n:
                bad.append(f'{path}:{line}: {target} {n} times, create_gcov has {y[1].get(target)}')
    for key in sorted(set(ours[1]) | set(theirs[1])):
        if key not in ours[1] or key not in theirs[1]:
            bad.append(f'{path}: {key} is inlined on one side only')
        else:
            compare(f'{path}/{key[1]}', ours[1][key][0], theirs[1][key][0], bad)
    return len(ours[0]) + sum(len(bodies[0][0]) for bodies in ours[1].values())


ours = {i[0]: (head, lines(i)) for head, i in afdo.Reader(sys.argv[1]).functions}
theirs = {i[0]: (head, lines(i)) for head, i in afdo.Reader(sys.argv[2]).functions}
bad, n = [], 0
for name in sorted(ours.keys() - SKIPPED):
    if name not in theirs:
        bad.append(f'{name}: create_gcov does not have it')
        continue
    n += compare(name, ours[name][1], theirs[name][1], bad)
    if theirs[name][0] and theirs[name][0] != ours[name][0]:
        bad.append(f'{name}: entered {ours[name][0]} times, create_gcov has {theirs[name][0]}')
for line in bad[:10]:
    print('FAILED:', line)
if n < 40:
    sys.exit(f'FAILED: too little to compare: {n} lines')
print(f'{n} lines of {len(ours)} functions as create_gcov has them')
sys.exit(bool(bad))
