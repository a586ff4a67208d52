#!/usr/bin/python3
"""callgrind.py BINARY CALLGRIND.OUT REPORT.JSON: how often each instruction of BINARY ran, as callgrind saw
it and as `gait report --by instruction --json` tells it. Every address must agree, but for `rep`
instructions: callgrind counts their iterations, gait counts them once, so that they must agree with what
callgrind says of an instruction beside them. Exit 1 where they do not."""

import bisect
import json
import os
import re
import subprocess
import sys

LINES_SHOWN = 20


def callgrind_counts(path, binary):
    """Counts by address in BINARY, and by running address where callgrind knows no object.
    Needs --dump-instr=yes --skip-plt=no --compress-pos=no --compress-strings=no."""
    counts, unknown, into, skip = {}, {}, None, False
    with open(path) as file:
        for line in file:
            if line.startswith("ob="):
                name = line[3:].strip()
                into = unknown if name == "???" else counts if os.path.realpath(name) == os.path.realpath(binary) else None
            elif line.startswith(("calls=", "jump=", "jcnd=")):
                skip = True  # the line behind holds what the callee cost, or only where the jump is
            elif line.startswith("0x"):
                if into is not None and not skip:
                    address, _, count = line.split()
                    into[int(address, 16)] = into.get(int(address, 16), 0) + int(count)
                skip = False
    return counts, unknown


def load_address(unknown, text):
    """Callgrind gives to no object what is outside .text: .init, .fini and the PLT, by running address.
    Where the binary was loaded is the page at which most of these fall on instructions of it."""
    votes = {}
    for start in sorted(text)[:200]:  # .init and the PLT come first
        for address in unknown:
            if (address - start) % 4096 == 0 and address >= start:
                votes[address - start] = votes.get(address - start, 0) + 1
    return max(sorted(votes), key=votes.get, default=0)


def gait_counts(path, binary):
    counts, module = {}, os.path.basename(binary)
    with open(path) as file:
        report = json.load(file)
    if report["mode"] != "exact":
        sys.exit(f"{path}: mode is {report['mode']}, not exact")
    for row in report["rows"]:
        name, _, offset = row["address"].rpartition("+0x")
        if name == module and row["count"]:
            counts[int(offset, 16)] = row["count"]
    return counts, report["losses"]


def instructions(binary):
    """Text of each instruction by address."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], stdout=subprocess.PIPE, text=True, check=True)
    found = {}
    for line in listing.stdout.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line)
        if match:
            found[int(match[1], 16)] = match[2]
    return found


def main(binary, callgrind_path, report_path):
    text = instructions(binary)
    truth, unknown = callgrind_counts(callgrind_path, binary)
    base = load_address(unknown, text)
    truth.update({address - base: count for address, count in unknown.items() if address - base in text})
    ours, losses = gait_counts(report_path, binary)
    order = sorted(text)
    reps, wrong = [], []
    for address in sorted(truth.keys() | ours.keys()):
        pair = truth.get(address, 0), ours.get(address, 0)
        if re.match(r"rep(n?z|n?e)?\b(?! *ret)", text.get(address, "")):
            at = bisect.bisect_left(order, address)
            beside = [truth.get(neighbour, 0) for neighbour in order[max(at - 1, 0):at + 2] if neighbour != address]
            (reps if pair[1] in beside else wrong).append((address, *pair))
        elif pair[0] != pair[1]:
            wrong.append((address, *pair))
    for title, rows in ("rep, explained", reps), ("DIFFERS", wrong):
        for address, theirs, mine in rows[:LINES_SHOWN]:
            print(f"  {title}: {address:#x} callgrind {theirs} gait {mine}   {text.get(address, '?')}")
        if len(rows) > LINES_SHOWN:
            print(f"  ... and {len(rows) - LINES_SHOWN} more")
    print(f"{os.path.basename(binary)}: {len(truth.keys() | ours.keys())} addresses, {len(wrong)} differ, {len(reps)} explained (rep); "
          f"{sum(truth.values())} instructions by callgrind, {sum(ours.values())} by gait")
    if wrong:
        print(f"  losses: {losses}")
    # An empty or tiny comparison would agree by having nothing to compare.
    return bool(wrong) or len(truth) < 500 or sum(truth.values()) < 10**7


sys.exit(main(*sys.argv[1:]))
