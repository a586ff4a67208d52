"""contexts.py [--bounded|--folded] JSON COUNTED: compares the calling contexts of a recording (gait contexts --json) with what tests/programs/contexts.cc has counted: of
its own functions, whose names begin with ctx_; others between them are passed over. Bounded: some are missing, and calls are
lost, which the recording says. Folded: instead of JSON, an export for flame graphs."""

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


def folded(path):
    counts = collections.Counter()
    for line in open(path):
        names, count = line.rsplit(" ", 1)
        own = [name for name in names.split(";") if name.startswith("ctx_")]
        if own and names.endswith(own[-1]):
            counts[";".join(own)] += int(count)
    return +counts


def bounded(found, counted):
    lost = json.load(open(sys.argv[1]))["losses"].get("context_lost", 0)
    more = [path for path in found if found[path] > counted[path]]
    print(f"{len(found)} of {len(counted)} contexts, {lost} calls lost, {len(more)} counted too often")
    return 0 if lost and found and len(found) < len(counted) and not more else 1


def main():
    counted = collections.Counter()
    some, lines = "--bounded" in sys.argv, "--folded" in sys.argv
    sys.argv = [word for word in sys.argv if not word.startswith("--")]
    for line in open(sys.argv[2]):
        path, count = line.rsplit(" ", 1)
        counted[path] += int(count)
    found = (folded if lines else recorded)(sys.argv[1])
    if some:
        return bounded(found, counted)
    for path in sorted(set(counted) | set(found)):
        if counted[path] != found[path]:
            print(f"{path}: {counted[path]} by the program, {found[path]} recorded")
    print(f"{len(counted)} contexts, {sum(counted.values())} calls")
    return 0 if counted == found else 1


sys.exit(main())
