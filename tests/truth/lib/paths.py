"""paths.py GAIT EXACT TRACE [MODULE]: what two recordings counted as paths of each function, number by number. EXACT was counted by operations on edges
inside the program, TRACE by following its course along its graphs. Prints what differs; 1 if anything does that should not.

A trace begins later, or ends sooner, in these, each once a process, thread or signal: functions of the loader that were under way when recording began;
those in which a process or thread comes to be, which the exact run knows from its parent; what ends in the system call that ends a handler."""

import collections
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
    return module == "libgait.so" or row["function"] in BORN or (row["function"].startswith("[0x") and len(row["blocks"]) == 1)


def blocks(gait, path, paths):
    """How often each block ran, by the paths through it and by counters: equal, but for paths that were under way when they were left for good."""
    data = json.loads(subprocess.run([gait, "report", "--raw", "--by", "block", "--json", path], stdout=subprocess.PIPE, check=True).stdout)
    counted = {row["address"]: row["count"] for row in data["rows"]}
    told = collections.Counter()
    for key, row in paths.items():
        if not excused(key, row):
            for block in row["blocks"]:
                told[block] += row["count"]
    both = [(told[at], counted[at], at) for at in sorted(told) if at in counted]
    more = [row for row in both if row[0] > row[1]]
    fewer = sum(row[1] - row[0] for row in both)
    for row in more[:5]:
        print(f"block {row[2]}: on {row[0]} paths, ran {row[1]} times")
    print(f"{len(both)} blocks ran {sum(row[1] for row in both)} times, {fewer} of them on paths without an end")
    return not more and len(both) > 0.9 * len(told) and fewer <= 0.02 * sum(row[1] for row in both) + 300


def main():
    gait, exact, losses = sys.argv[1], *rows(sys.argv[1], sys.argv[2])
    trace, _ = rows(gait, sys.argv[3])
    module = sys.argv[4] if len(sys.argv) > 4 else None
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
    good = blocks(gait, sys.argv[2], exact)
    return 1 if wrong or not compared or lost > 8 or not good else 0


sys.exit(main())
