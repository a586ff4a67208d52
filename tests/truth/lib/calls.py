"""calls.py BINARY CALLGRIND JSON: calls of each function of the binary, by callgrind and in the flat list of gait contexts."""

import collections
import json
import subprocess
import sys


def functions(binary):
    lines = subprocess.run(["nm", binary], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return {line.split()[2] for line in lines if len(line.split()) == 3 and line.split()[1] in "tTwW"}


def callgrind(path):
    calls, callee = collections.Counter(), None
    for line in open(path):
        if line.startswith("cfn="):
            callee = line[4:].strip().split("'")[0]
        elif line.startswith("calls="):
            calls[callee] += int(line[6:].split()[0])
    return calls


def main():
    own, truth = functions(sys.argv[1]), callgrind(sys.argv[2])
    found = collections.Counter()
    for row in json.load(open(sys.argv[3]))["rows"]:
        found[row["linkage"]] += int(row["count"])
    wrong = [name for name in sorted(own) if truth[name] != found[name]]
    for name in wrong[:20]:
        print(f"{name}: {truth[name]} calls by callgrind, {found[name]} by gait")
    called = [name for name in own if truth[name]]
    print(f"{len(called)} functions called {sum(truth[name] for name in called)} times; {len(wrong)} differ")
    return 1 if wrong or not called else 0


sys.exit(main())
