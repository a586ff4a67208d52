"""contexts.py JSON COUNTED: compares the calling contexts of a recording (gait contexts --json) with what tests/programs/contexts.cc has counted: of
its own functions, whose names begin with ctx_; others between them are passed over."""

import collections
import json
import sys


def recorded(path):
    rows = {row["id"]: row for row in json.load(open(path))["rows"]}

    def names(row):
        above = names(rows[row["parent"]]) if row["parent"] is not None else ()
        return above + (row["function"],) if row["function"].startswith("ctx_") else above

    counts = collections.Counter()
    for row in rows.values():
        if row["function"].startswith("ctx_"):
            counts[";".join(names(row))] += int(row["count"])
    return +counts


def main():
    counted = collections.Counter()
    for line in open(sys.argv[2]):
        path, count = line.rsplit(" ", 1)
        counted[path] += int(count)
    found = recorded(sys.argv[1])
    for path in sorted(set(counted) | set(found)):
        if counted[path] != found[path]:
            print(f"{path}: {counted[path]} by the program, {found[path]} recorded")
    print(f"{len(counted)} contexts, {sum(counted.values())} calls")
    return 0 if counted == found else 1


sys.exit(main())
