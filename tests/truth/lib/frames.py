#!/usr/bin/python3 -B
"""frames.py [--files last] BINARY ADDRESSES OURS THEIRS

Compares the frames that gait symbols --linkage and llvm-symbolizer --no-demangle (or addr2line, brought into its
form) give for the same addresses. Every difference belongs to a class that is explained here, or is an error.
Prints how many of each; exit 1 if any is not explained."""

import collections
import re
import subprocess
import sys


def load(path):
    answers, frames, name = [], [], None
    for line in open(path, errors="replace").read().split("\n"):
        if name is not None:
            frames.append((name, line))
            name = None
        elif line:
            name = line
        elif frames:
            answers.append(frames)
            frames = []
    return answers


def symbols(binary):
    """Address of each name, and all names of an address."""
    address, names = {}, collections.defaultdict(set)
    for option in ([], ["-D"]):
        listing = subprocess.run(["nm", *option, "--defined-only", binary], capture_output=True, text=True).stdout
        for line in listing.splitlines():
            value, _, name = line.split(" ", 2)
            address[name.split("@")[0]] = int(value, 16)
            names[int(value, 16)].add(name.split("@")[0])
    return address, names


def place(text, columns):
    file, line, column = text.rsplit(":", 2)
    return (file, line, column if columns else "0")


class Judge:
    def __init__(self, binary):
        self.address, self.names = symbols(binary)

    def same_function(self, ours, theirs):
        """None: not the same; else the class of the difference."""
        if ours == theirs:
            return "equal"
        whole = re.sub(r"\.cold(\.\d+)?$", "", theirs)
        if whole == ours:
            return "a split part (.cold) has the name of its function"
        if ours in self.names.get(self.address.get(whole, -1), ()) or self.address.get(ours, -1) == self.address.get(whole, -2):
            return "another name of the same address"
        if ours.startswith("[") and theirs == "??":
            return "padding between functions: no name, ours is where it starts"
        if theirs == "??":
            return "they have no name there"
        return None

    def judge(self, ours, theirs):
        if theirs == [("??", "??:0:0")] and len(ours) == 1 and ours[0][0].startswith("[") and ours != theirs:
            if ours[0][1] != "??:0:0":
                return "padding that a line table covers but no unit: they look for the unit first"
        if len(ours) != len(theirs):
            return f"ERROR: {len(ours)} frames, theirs {len(theirs)}"
        verdict = "equal"
        for i, (a, b) in enumerate(zip(ours, theirs)):
            if i + 1 < len(ours) and a[0] != b[0]:
                return "ERROR: name of an inlined function"
            same = self.same_function(a[0], b[0])
            if same is None:
                return "ERROR: name of the function"
            if same != "equal":
                verdict = same
            if a[1] == b[1]:
                continue
            if a[1] == "??:0:0" and re.fullmatch(r"[^/]*:0:0", b[1]):
                verdict = "no line, they name the file of the symbol table"
            else:
                return "ERROR: line"
        return verdict


def main():
    binary, addresses, ours, theirs = sys.argv[1:5]
    judge, count, examples = Judge(binary), collections.Counter(), {}
    addresses, ours, theirs = open(addresses).read().split(), load(ours), load(theirs)
    if not (len(addresses) == len(ours) == len(theirs)):
        print(f"    {len(addresses)} addresses, {len(ours)} answers, theirs {len(theirs)}")
        return 1
    inlined = sum(len(frames) > 1 for frames in ours)
    for address, a, b in zip(addresses, ours, theirs):
        verdict = judge.judge(a, b)
        count[verdict] += 1
        examples.setdefault(verdict, (address, a, b))
    wrong = sum(n for verdict, n in count.items() if verdict.startswith("ERROR"))
    for verdict, n in count.most_common():
        print(f"    {n:8} {verdict}")
        if verdict.startswith("ERROR"):
            print("             {}: ours {}\n             theirs {}".format(*examples[verdict]))
    print(f"    {inlined:8} of them with inlined functions")
    return 1 if wrong else 0


sys.exit(main())
