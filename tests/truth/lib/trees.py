"""trees.py [--skip NAME,...] COUNTED TRACED: two trees of calling contexts (gait contexts --json), node by node: who was called, from where, by whom, and how often. Skipped:
functions of these names, and what is below them."""

import collections
import json
import sys


def tree(path, skip):
    rows = {row["id"]: row for row in json.load(open(path))["rows"]}

    def key(row):
        above = rows.get(row["parent"])
        return (key(above) if above else ()) + ((row["call_site"], row.get("address")),)

    def skipped(row):
        above = rows.get(row["parent"])
        return row["function"] in skip or (above is not None and skipped(above))

    counts = collections.Counter()
    for row in rows.values():
        if not skipped(row):
            counts[key(row)] += int(row["count"])
    return +counts, {row.get("address"): row["function"] for row in rows.values()}


def main():
    skip = sys.argv[2].split(",") if sys.argv[1] == "--skip" else []
    counted, names = tree(sys.argv[-2], skip)
    traced, more = tree(sys.argv[-1], skip)
    names.update(more)
    wrong = [key for key in counted.keys() | traced.keys() if counted[key] != traced[key]]
    for key in sorted(wrong, key=str)[:10]:
        print(" > ".join(names.get(address) or "?" for _, address in key), f"from {key[-1][0]}: {counted[key]} counted, {traced[key]} traced")
    print(f"{len(traced)} contexts, {sum(traced.values())} calls; {len(wrong)} differ")
    return 1 if wrong or not traced else 0


sys.exit(main())
