"""calls.py BINARY CALLGRIND JSON: calls of each function of the binary, by callgrind and in the flat list of gait contexts. Not those of the
C runtime, which have no size: callgrind has other names for them, and _start is called by nobody."""

import collections
import json
import os
import subprocess
import sys


def functions(binary):
    lines = subprocess.run(["nm", "-S", binary], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    found = (line.split() for line in lines)
    return {words[3] for words in found if len(words) == 4 and words[2] in "tTwW"} - {"_start"}


def callgrind(path, binary):
    calls, callee, here, there = collections.Counter(), None, None, None
    for line in open(path):
        key, _, value = line.strip().partition("=")
        if key == "ob":
            here = value
        elif key == "cob":
            there = value
        elif key == "cfn":
            callee = value.split("'")[0]
        elif key == "calls":
            if os.path.realpath(there or here) == os.path.realpath(binary):
                calls[callee] += int(value.split()[0])
            there = None
    return calls


def main():
    own, truth = functions(sys.argv[1]), callgrind(sys.argv[2], sys.argv[1])
    found = collections.Counter()
    for row in json.load(open(sys.argv[3]))["rows"]:
        if row.get("address", "").startswith(os.path.basename(os.path.realpath(sys.argv[1])) + "+"):
            found[row["linkage"]] += int(row["count"])
    wrong = [name for name in sorted(own) if truth[name] != found[name]]
    for name in wrong[:20]:
        print(f"{name}: {truth[name]} calls by callgrind, {found[name]} by gait")
    called = [name for name in own if truth[name]]
    print(f"{len(called)} functions called {sum(truth[name] for name in called)} times; {len(wrong)} differ")
    return 1 if wrong or not called else 0


sys.exit(main())
