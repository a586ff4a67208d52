"""path_entries.py TREE PATHS MODULE: how often a function was called in a context (gait contexts --json), and how often it went a path there that begins at its entry (gait paths
--contexts --json): the same, but for calls that never came to the end of their first path, and for a path
under way at a fork, which may end twice. Of functions of the module, by name and callers."""

import collections
import json
import sys


def main():
    rows = {row["id"]: row for row in json.load(open(sys.argv[1]))["rows"]}

    def callers(row):
        above = rows.get(row["parent"])
        return callers(above) + (above["function"],) if above and above["function"] else ()

    calls, entries = collections.Counter(), collections.Counter()
    for row in rows.values():
        if row.get("address", "").startswith(sys.argv[3] + "+"):
            calls[callers(row) + (row["function"],)] += int(row["count"])
    for row in json.load(open(sys.argv[2]))["rows"]:
        if row["address"].startswith(sys.argv[3] + "+") and "entry" in row["kind"]:
            entries[tuple(caller["function"] for caller in row["context"]) + (row["function"],)] += row["count"]
    calls, entries = +calls, +entries
    more = [key for key in entries if entries[key] > calls[key] and not key[-1].startswith("forked")]
    fewer = sum(calls[key] - entries[key] for key in calls)
    for key in more[:10]:
        print(" > ".join(key), f"called {calls[key]} times, {entries[key]} paths begin")
    print(f"{len(calls)} contexts, {sum(calls.values())} calls, {fewer} of them without the end of their first path; {len(more)} have more paths than calls")
    return 0 if not more and entries and fewer <= sum(calls.values()) / 20 else 1


sys.exit(main())
