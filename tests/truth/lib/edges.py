#!/usr/bin/python3
"""edges.py BINARY REPORT.JSON: every edge of BINARY in `gait report --by edge --json` must be one that the
disassembly can make: from a branch to its target or to what follows it, from an indirect jump to the start
of an instruction, from anything else to what follows it; always inside one function. Exit 1 otherwise."""

import json
import os
import re
import subprocess
import sys


class Listing:
    """objdump's view, which shares no code with ours."""

    def __init__(self, binary):
        done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], stdout=subprocess.PIPE, text=True, check=True)
        self.text, self.following, self.function = {}, {}, {}
        function, last = None, None
        for line in done.stdout.splitlines():
            if match := re.match(r"([0-9a-f]+) <([^>]+)>:", line):
                # A split part belongs to the function it was split from.
                function = re.sub(r"\.(cold|part\.\d+)$", "", match[2])
            elif match := re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line):
                at = int(match[1], 16)
                self.text[at], self.function[at] = match[2], function
                self.following[last] = at
                last = at

    def can_go(self, source, target):
        text = self.text.get(source)
        if text is None or target not in self.text:
            return "no instruction there"
        if self.function[source] != self.function[target]:
            return f"from {self.function[source]} into {self.function[target]}"
        words = re.sub(r"^((bnd|notrack|data16|cs|ds|repz) )+", "", text).split()
        named = int(words[1], 16) if len(words) > 1 and re.fullmatch(r"[0-9a-f]+", words[1]) else None
        follows = self.following.get(source) == target
        if words[0].startswith("jmp"):
            return None if named is None or named == target else "not its target"
        if words[0].startswith(("j", "loop")):
            return None if follows or named == target else "neither its target nor what follows"
        if words[0].startswith(("ret", "ud2", "hlt")):
            return "does not go on"
        return None if follows else "not what follows"


def main(binary, report_path):
    listing, module = Listing(binary), os.path.basename(binary)
    with open(report_path) as file:
        rows = json.load(file)["rows"]
    checked, wrong = 0, 0
    for row in rows:
        (source_module, _, source), (target_module, _, target) = (row[key].rpartition("+0x") for key in ("from", "to"))
        if module not in (source_module, target_module):
            continue
        checked += 1
        why = "leaves its module" if source_module != target_module else listing.can_go(int(source, 16), int(target, 16))
        if why:
            wrong += 1
            if wrong <= 20:
                print(f"  impossible edge ({why}): {row['from']} -> {row['to']}, {row.get('kind')}, count {row['count']}: {listing.text.get(int(source, 16), '?')}")
    print(f"{module}: {checked} edges, {wrong} that the disassembly cannot make")
    return wrong or checked < 500


sys.exit(1 if main(*sys.argv[1:]) else 0)
