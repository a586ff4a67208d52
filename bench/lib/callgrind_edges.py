"""The edges that callgrind saw, by object: {object: {(from, to): count}}, as link-time addresses.

Needs --dump-instr=yes --collect-jumps=yes --compress-pos=no --compress-strings=no. A line jcnd=FOLLOWED/EXECUTED (the
documentation has it the other way round) TARGET, or jump=COUNT TARGET, is followed by the line of its source. What
was executed and not followed fell through, to what follows the branch: that is given with target None."""

import os
import re


def read(path):
    objects, into, pending = {}, None, None
    with open(path) as file:
        for line in file:
            if line.startswith("ob="):
                into = objects.setdefault(os.path.realpath(line[3:].strip()), {})
            elif match := re.match(r"jcnd=(\d+)/(\d+) (0x[0-9a-f]+)", line):
                pending = [(int(match[3], 16), int(match[1])), (None, int(match[2]) - int(match[1]))]
            elif match := re.match(r"jump=(\d+) (0x[0-9a-f]+)", line):
                pending = [(int(match[2], 16), int(match[1]))]
            elif pending and line.startswith("0x"):
                source = int(line.split()[0], 16)
                for target, count in pending:
                    if count:
                        into[source, target] = into.get((source, target), 0) + count
                pending = None
    return objects
