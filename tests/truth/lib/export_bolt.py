#!/usr/bin/python3 -B
"""export_bolt.py WORK: sets what the exporter wrote against what BOLT knows.

truth.fdata is of BOLT's own instrumentation, ours.fdata of an exact recording of the same run: in functions that BOLT instruments, every
record must be there on both sides, with the same count. profile.yaml is what llvm-bolt read of ours.fdata: blocks and edges
with counts, which must add up to ours."""
import re
import sys


def records(path):
    found = {}
    for line in open(path):
        field = line.split()
        key = tuple(field[:6])
        assert key not in found, f'{path}: twice: {line}'
        assert field[6] == '0' or path.endswith('truth.fdata'), line
        found[key] = int(field[7])
    return found


def edges_read(path):
    """Of each function of the YAML file what its edges and its calls add up to."""
    sums, name = {}, None
    for line in open(path):
        if found := re.match(r"  - name: +'?([^']*?)'?$", line.rstrip()):
            name = found[1]
        for found in re.finditer(r'succ: +\[(.*)\]', line):
            sums[name] = sums.get(name, 0) + sum(int(n) for n in re.findall(r'cnt: (\d+)', found[1]))
    return sums


def main():
    work = sys.argv[1]
    truth, ours = records(f'{work}/truth.fdata'), records(f'{work}/ours.fdata')
    instrumented = {key[1] for key in truth if key[0] == '1'}
    bad = [f'only BOLT: {key} {truth[key]}' for key in truth if key not in ours]
    bad += [f'only ours: {key} {ours[key]}' for key in ours
            if key not in truth and (key[1] in instrumented or key[0] == '0' and key[4] in instrumented)]
    bad += [f'{key}: {ours[key]}, BOLT counted {truth[key]}' for key in ours if key in truth and ours[key] != truth[key]]

    read = edges_read(f'{work}/profile.yaml')
    written = {}
    for (_, name, _, _, to, offset), count in ours.items():
        if name == to and offset != '0':
            written[name] = written.get(name, 0) + count
    for name, sum_read in read.items():
        plain = re.sub(r'\(\*\d+\)$', '', name)
        if written.get(plain, 0) != sum_read:
            bad.append(f'{name}: {written.get(plain, 0)} written, {sum_read} read')
    common = sum(key in truth for key in ours)
    if common < 40 or len(read) < 8:
        bad.append(f'too little to compare: {common} records, {len(read)} functions')
    print(f'{common} records as BOLT counts them itself, edges of {len(read)} functions read as written')
    for line in bad[:10]:
        print('FAILED:', line)
    return bool(bad)


sys.exit(main())
