#!/usr/bin/env python3
"""only.py BINARY WHOLE PART [--class REGEX | --range A B | --function NAME | --none]: rows by instruction of a recording that kept a
part against those of one that kept everything, of which objdump tells what belongs to the part."""
import json
import re
import subprocess
import sys

binary, whole, part, how = sys.argv[1:5]
name = binary.rsplit('/', 1)[-1]
listing = {}
function = None
for line in subprocess.run(['objdump', '-d', '--no-show-raw-insn', binary], capture_output=True, text=True, check=True).stdout.splitlines():
    head = re.match(r'[0-9a-f]+ <(.*)>:$', line)
    if head:
        function = head[1]
    found = re.match(r'\s*([0-9a-f]+):\s+(.*)$', line)
    if found:
        listing[int(found[1], 16)] = (function, found[2])


def rows(path):
    return {int(row['address'].rsplit('+', 1)[1], 16): row['count'] for row in json.load(open(path))['rows'] if row['count']}


def wanted(at):
    function, text = listing[at]
    if how == '--class':
        return re.search(sys.argv[5], text)
    if how == '--range':
        return int(sys.argv[5], 16) <= at < int(sys.argv[6], 16)
    return how == '--function' and function == sys.argv[5]


all_rows, got = rows(whole), rows(part)
want = {at: count for at, count in all_rows.items() if wanted(at)}
if how != '--none' and not want:
    sys.exit(f'{name} {sys.argv[4:]}: nothing ran')
for at in sorted(set(want) | set(got)):
    if want.get(at) != got.get(at):
        sys.exit(f'{name} {sys.argv[4:]}: {at:#x} {listing[at]}: {got.get(at)} instead of {want.get(at)}')
print(f'{" ".join(sys.argv[4:]):40} {len(want)} of {len(all_rows)} instructions')
