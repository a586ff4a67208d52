#!/usr/bin/python3
"""inclusive.py BINARY TRUTH OURS REPORT.JSON: what functions cost with all that they called, as callgrind has it
and as a traced exact run of ours has it. TRUTH is callgrind's file (--dump-instr=yes --skip-plt=no, names and positions not
compressed), OURS our export of that format, both added up as callgrind_annotate --inclusive=yes does: the costs of all calls
of a function; of a recursion, which callgrind shows level by level, its first level. REPORT.JSON is by function. Functions
are known by module and address.

Every function must have one cost in all three. Callgrind's may differ by as much as instructions of the functions below it
ran more or less often there, which is named: iterations of `rep` (callgrind counts each, gait the instruction), code
whose course depends on the environment or on addresses, and the agent's own, which stands in for some functions of libc. Exit 1
where more differs in BINARY. Of libraries it is shown only: string functions of libc jump into each other, and whose the
shared code is, is a matter of taste."""

import json
import os
import re
import sys

SHOWN = 10
SMALL = 200  # start-up and exit, in which the agent is one more library


def parse(path):
    """What calls of each function cost, whom each calls, where each is entered, how often each place ran, and the places of
    each. A function is an object and a name, a place an object and an address."""
    names = {"ob": {}, "fn": {}}

    def name(kind, text):
        match = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not match:
            return text
        if match[2]:
            names[kind][match[1]] = match[2]
        return names[kind][match[1]]

    calls, graph, runs, inside, entry = {}, {}, {}, {}, {}
    here = function = called = callee = target = None
    with open(path) as file:
        for line in file:
            key, _, rest = line.rstrip("\n").partition("=")
            if key == "ob":
                here = os.path.basename(name("ob", rest))
            elif key == "fn":
                function, called = (here, name("fn", rest)), here
            elif key == "cob":
                called = os.path.basename(name("ob", rest))
            elif key == "cfn":
                callee = (called, name("fn", rest))
            elif key == "calls":
                target = int(rest.split()[1], 16)
            elif line.startswith("0x"):
                if len(line.split()) < 3:  # of a jump
                    continue
                address, _, cost = line.split()
                if target is None:
                    spot = (here, int(address, 16))
                    runs[spot] = runs.get(spot, 0) + int(cost)
                    inside.setdefault(function, set()).add(spot)
                else:
                    graph.setdefault(function, set()).add(callee)
                    entry.setdefault(callee, set()).add((callee[0], target))
                    calls[callee] = calls.get(callee, 0) + int(cost)
                    target, called = None, here
    return calls, graph, entry, runs, inside


def closure(graph, start):
    """All below a function, itself included; levels of recursion are one function."""
    def levels(function):
        return [function, (function[0], re.sub(r"'\d+$", "", function[1])), (function[0], re.sub(r"'\d+$", "", function[1]) + "'2")]
    seen, work = set(), levels(start)
    while work:
        function = work.pop()
        if function not in seen:
            seen.add(function)
            for below in graph.get(function, ()):
                work += levels(below)
    return seen


def by_address(path, value):
    found = {}
    with open(path) as file:
        for row in json.load(file)["rows"]:
            module, _, address = row["address"].rpartition("+0x")
            found[module, int(address, 16)] = row[value], row.get("linkage", "")
    return found


def differences(runs, inside, others):
    """Of each function: how much more or less often its instructions ran than the others say."""
    return {function: sum(abs(runs[spot] - others.get(spot, 0)) for spot in spots) for function, spots in inside.items()}


def main(binary, truth_path, ours_path, report_path):
    module = os.path.basename(binary)
    truth, graph, entry, runs, inside = parse(truth_path)
    ours, our_graph, our_entry, our_runs, our_inside = parse(ours_path)
    report = by_address(report_path, "total_instructions")
    own = sum(count for (module, _), (count, _) in by_address(report_path, "instructions").items() if module == "libgait.so")
    # Callgrind has no object for stubs and start-up code: their addresses are those of memory.
    named = {spot[0] for spot in our_runs}
    off = differences(runs, {f: {s for s in spots if s[0] in named} for f, spots in inside.items()}, our_runs)
    our_off = differences(our_runs, {f: spots for f, spots in our_inside.items() if "@plt" not in f[1]}, runs)
    our_names = {spot: function for function, spots in our_entry.items() for spot in spots}
    bad, elsewhere, exact, near, unseen, most, libraries = [], [], 0, 0, 0, 0, 0
    for function, cost in sorted(truth.items()):
        rows = [spot for spot in entry[function] if spot in report and report[spot][0] is not None]
        if re.search(r"'\d+$", function[1]) or function[0] not in named:
            continue
        if not rows:
            unseen += 1
            continue
        total = sum(report[spot][0] for spot in rows)
        exported = [our_names[spot] for spot in rows if spot in our_names]
        own_code = function[0] == module
        if own_code and sum(ours[name] for name in exported) != total and total > SMALL:
            bad.append(f"{function[1]}: report {total}, export {sum(ours[name] for name in exported)}")
        if cost == total:
            exact += own_code
            libraries += not own_code
            continue
        near += own_code
        if own_code and cost > 100000:
            most = max(most, abs(cost - total) / cost)
        below = sum(off.get(f, 0) for f in closure(graph, function)) + sum(our_off.get(f, 0) for name in exported for f in closure(our_graph, name))
        if abs(cost - total) > below + own + SMALL:
            text = f"{function[0]} {function[1]}: callgrind {cost}, gait {total} ({total - cost:+d}), and instructions below it differ by {below}"
            (bad if own_code else elsewhere).append(text)
    for text in bad[:SHOWN]:
        print("  DIFFERS:", text)
    for text in elsewhere[:3]:
        print("  in a library:", text)
    for function, count in sorted(off.items(), key=lambda item: -item[1])[:6]:
        if count and function[0] in named and not function[0].startswith("ld-"):
            print(f"  {function[0]} {function[1]}: instructions of its own ran {count} times more or less")
    print(f"{module}: {exact} of {exact + near} functions cost the same with all that they called, {near} differ by what differs below them "
          f"(at most {100 * most:.3f} % of one that costs over 100,000), {len(bad)} by more; in libraries {libraries} cost the same, {len(elsewhere)} differ by more; "
          f"{unseen} have no row: they ran before the recording")
    # A comparison of nothing would agree.
    return bool(bad) or exact + near < 20 or exact < 10


sys.exit(main(*sys.argv[1:]))
