#!/usr/bin/python3
"""export_callgrind.py BINARY FOLDER: what callgrind_annotate reads in `gait export --format callgrind` of an exact
run, against our own report and against callgrind's file of the same run. FOLDER has, from callgrind and from
us, truth and ours, as callgrind_annotate shows them truth.txt and ours.txt, and our report.json by function and info.json.

- The total is that of the profile; each function of each module has what the report says.
- Each function of BINARY has what callgrind says, but for those with a `rep` instruction, whose iterations callgrind
  counts. (tests/truth/callgrind.sh compares every instruction.)
- Each jump of BINARY was followed as often as callgrind says. It shows iterations of `rep` as jumps to themselves, and
  not all jumps from function to function as calls. Exit 1 where anything differs."""

import json
import os
import re
import subprocess
import sys

SHOWN = 20
# Start-up code, for which callgrind has other names or none.
START = {"_start", "_init", "_fini", "[plt]", "frame_dummy", "register_tm_clones", "deregister_tm_clones", "__do_global_dtors_aux"}


def annotated(path):
    """The program's total, and instructions by function: files of inlined code added up (for which callgrind_annotate
    shows no object), recursion and cold parts folded in."""
    total, functions = None, {}
    with open(path) as file:
        for line in file:
            match = re.match(r" *([0-9,]+) +(\S.*)", line)
            if not match:
                continue
            count, rest = int(match[1].replace(",", "")), match[2].strip()
            if rest == "PROGRAM TOTALS":
                total = count
                continue
            named = re.match(r".*:([^:]*?)(?: \[.*\])?$", rest)
            if named:
                name = re.sub(r"\.cold$", "", re.sub(r"'\d+$", "", named[1]))
                functions[name] = functions.get(name, 0) + count
    return total, functions


def reported(path, module):
    """Instructions by function, and the names that are the module's alone."""
    functions, inside, outside = {}, set(), set()
    with open(path) as file:
        report = json.load(file)
    for row in report["rows"]:
        functions[row["name"]] = functions.get(row["name"], 0) + row["instructions"]
        (inside if row["address"].rpartition("+0x")[0] == module else outside).add(row["name"])
    return functions, inside - outside


def with_rep(binary):
    """Functions that have a rep instruction."""
    found, function = set(), None
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], stdout=subprocess.PIPE, text=True, check=True)
    for line in listing.stdout.splitlines():
        match = re.match(r"[0-9a-f]+ <(.*)>:", line)
        if match:
            function = re.sub(r"\.cold$", "", match[1])
        elif re.match(r"\s*[0-9a-f]+:\s+rep(n?z|n?e)?\b(?! *ret)", line):
            found.add(function)
    return found


def jumps(path, binary, kinds="(jump|jcnd)"):
    """How often each jump of BINARY was followed, by source and target; of conditional ones how often they were
    executed, by source."""
    followed, executed, objects, inside, pending = {}, {}, {}, False, None
    with open(path) as file:
        for line in file:
            match = re.match(r"(c?)ob=(?:\((\d+)\) ?)?(.*)", line)
            if match and match[2] and match[3]:
                objects[match[2]] = match[3]
            if match and not match[1]:
                name = objects[match[2]] if match[2] else match[3]
                inside = os.path.realpath(name.strip()) == os.path.realpath(binary)
            match = re.match(kinds + r"=(\d+)(?:/(\d+))? (0x[0-9a-f]+)", line)
            if match:
                pending = match
            elif pending and line.startswith("0x"):
                if inside:
                    source, target = int(line.split()[0], 16), int(pending[4], 16)
                    followed[source, target] = followed.get((source, target), 0) + int(pending[2])
                    if pending[3]:
                        executed[source] = executed.get(source, 0) + int(pending[3])
                pending = None
    return followed, executed


def show(title, rows):
    for row in rows[:SHOWN]:
        print(f"  {title}: {row}")
    if len(rows) > SHOWN:
        print(f"  ... and {len(rows) - SHOWN} more")
    return len(rows)


def differences(ours, theirs):
    return [(key, "gait", ours.get(key, 0), "other", theirs.get(key, 0)) for key in sorted(ours.keys() | theirs.keys())
            if ours.get(key, 0) != theirs.get(key, 0)]


def main(binary, folder):
    module, bad = os.path.basename(binary), 0
    total, ours = annotated(f"{folder}/ours.txt")
    _, truth = annotated(f"{folder}/truth.txt")
    report, names = reported(f"{folder}/report.json", module)
    with open(f"{folder}/info.json") as file:
        instructions = json.load(file)["rows"][0]["instructions"]
    if total != instructions or sum(ours.values()) != instructions:
        bad += show("TOTAL", [(total, sum(ours.values()), instructions)])
    bad += show("NOT AS REPORTED", differences(ours, report))
    reps = names & with_rep(binary)
    compared = {name for name in names if name not in START and "@plt" not in name} - reps
    bad += show("NOT AS CALLGRIND HAS IT", differences({name: ours.get(name, 0) for name in compared},
                                                       {name: truth.get(name, 0) for name in compared}))
    our_jumps, our_executed = jumps(f"{folder}/ours", binary)
    their_jumps, their_executed = jumps(f"{folder}/truth", binary)
    shared = our_jumps.keys() & their_jumps.keys()
    bad += show("JUMP", [(hex(a), hex(b), our_jumps[a, b], their_jumps[a, b]) for a, b in sorted(shared) if our_jumps[a, b] != their_jumps[a, b]])
    tails, _ = jumps(f"{folder}/ours", binary, "(calls)")
    bad += show("JUMP MISSING", [(hex(a), hex(b), their_jumps[a, b]) for a, b in sorted(their_jumps.keys() - shared)
                                 if a != b and tails.get((a, b)) != their_jumps[a, b]])
    known = our_executed.keys() & their_executed.keys()
    print(f"{module}: {total} instructions, {len(ours)} functions as reported, {len(compared)} as callgrind has them, {len(reps)} with rep; "
          f"{len(shared)} jumps in both, {len(our_jumps) - len(shared)} in ours alone, {len(known)} conditional")
    # A comparison of nothing would agree.
    return bool(bad) or len(compared) < 20 or len(shared) < 200 or total < 10**7


sys.exit(main(*sys.argv[1:]))
