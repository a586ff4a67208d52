"""path_contexts.py GAIT PATHS BOTH: paths of a recording by --exact=paths+contexts. All contexts together they are those of --exact=paths; added up over the contexts that they are
in, they are the same, but for what has none: stubs, and what was under way when the recording began."""

import collections
import json
import subprocess
import sys


def rows(gait, *words):
    return json.loads(subprocess.run([gait, "paths", "--json", *words], stdout=subprocess.PIPE, check=True).stdout)["rows"]


def added(found):
    sums = collections.Counter()
    for row in found:
        sums[row["address"], row["id"]] += row["count"]
    return sums


def main():
    gait, paths, both = sys.argv[1:]
    alone, all_contexts, each = rows(gait, paths), rows(gait, both), rows(gait, "--contexts", both)
    stubs = {row["address"] for row in all_contexts if "@plt" in row["linkage"] or row["linkage"].startswith("[plt")}
    first, second, third = added(alone), added(all_contexts), added(each)
    wrong = [key for key in first.keys() | second.keys() if first[key] != second[key]]
    missing = {key: second[key] - third[key] for key in second if key[0] not in stubs and third[key] != second[key]}
    calls = sum(row["count"] for row in each)
    # a handful of functions that called the agent, or begin a thread
    few = sum(missing.values()) <= 40 and all(count > 0 for count in missing.values())
    print(f"{len(first)} paths; {len(wrong)} differ with contexts")
    print(f"{len(each)} in contexts, gone {calls} times; {sum(missing.values())} times in no context")
    for key in wrong[:10]:
        print(*key, first[key], second[key])
    for key in list(missing)[:10] if not few else []:
        print(*key, "in no context:", missing[key])
    return 0 if each and not wrong and few else 1


sys.exit(main())
