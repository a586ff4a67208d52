"""paths.py GAIT EXACT TRACE COUNTS [MODULE]: what two recordings counted as paths of each function, number by number. EXACT was counted by operations on edges
inside the program, TRACE by following its course along its graphs; and how often blocks and edges ran, by EXACT and by COUNTS, which has counters. Prints what differs; 1 if anything does that should not.

A trace begins later, or ends sooner, in these, each once a process, thread or signal: functions of the loader that were under way when recording began;
those in which a process or thread comes to be, which the exact run knows from its parent; what ends in the system call that ends a handler."""

import json
import subprocess
import sys

BORN = {"_dl_init", "call_init", "clone3", "clone", "__clone3", "__clone", "__fork", "fork", "_Fork", "vfork", "__restore_rt", "__libc_fork", "__GI__Fork", "forked(unsigned int)"}


def rows(gait, path):
    data = json.loads(subprocess.run([gait, "paths", "--json", path], stdout=subprocess.PIPE, check=True).stdout)
    assert not data["unread"] and not data["unknown"], (data["unread"], data["unknown"])
    return {(row["address"], row["id"]): row for row in data["rows"]}, data["losses"]


def excused(key, row):
    module = key[0].rsplit("+0x", 1)[0]
    return module == "libgait.so" or row["function"] in BORN or ("+0x" in row["function"] and len(row["blocks"]) == 1)


def ran(gait, path, by, module):
    data = json.loads(subprocess.run([gait, "report", "--raw", "--by", by, "--json", path], stdout=subprocess.PIPE, check=True).stdout)
    rows = {(row["from"], row["to"]) if by == "edge" else (row["address"],): row["count"] for row in data["rows"]}
    return {key: count for key, count in rows.items() if not key[0].startswith("libgait.so+") and (not module or key[0].startswith(module + "+0x"))}


def told_by(gait, exact, counted, by, module, forks):
    """How often each ran, by paths and by counters: equal, but for paths that were under way when they were left for good; and those under way at a fork, which
    come to an end in both processes, have their beginning in both."""
    told, counted = ran(gait, exact, by, module), ran(gait, counted, by, module)
    more = sorted(key for key in told if told[key] > counted.get(key, 0) + forks)
    fewer = sum(max(0, counted[key] - told.get(key, 0)) for key in counted)
    for key in more[:5]:
        print(f"{by} {key}: {told[key]} by paths, {counted.get(key, 0)} by counters")
    total = sum(counted.values())
    print(f"{len(counted)} {by}s ran {total} times, {fewer} of them on paths without an end")
    return not more and len(told) > 0.8 * len(counted) and fewer <= 0.0001 * total + 400


def main():
    gait, exact, losses = sys.argv[1], *rows(sys.argv[1], sys.argv[2])
    trace, _ = rows(gait, sys.argv[3])
    module = sys.argv[5] if len(sys.argv) > 5 else None
    lost = sum(n for name, n in losses.items() if name.startswith(("path_", "plan_")))
    compared = paths = wrong = 0
    for key in sorted(set(exact) | set(trace)):
        row = exact.get(key) or trace[key]
        if excused(key, row) or (module and not key[0].startswith(module + "+0x")):
            continue
        counts = [side[key]["count"] if key in side else 0 for side in (exact, trace)]
        compared += 1
        paths += counts[0]
        if counts[0] != counts[1]:
            wrong += 1
            print(f"{row['function']} {key[0]} path {key[1]}: exact {counts[0]}, trace {counts[1]}: {row['kind']} {row['blocks'][:6]}")
    print(f"{compared} paths, gone {paths} times; {wrong} differ, {lost} not counted")
    forks = sum(row["count"] for row in exact.values() if row["function"] in ("_Fork", "__GI__Fork")) // 2
    good = all([told_by(gait, sys.argv[2], sys.argv[4], by, module, forks) for by in ("block", "edge")])
    return 1 if wrong or not compared or lost > 8 or not good else 0


sys.exit(main())
