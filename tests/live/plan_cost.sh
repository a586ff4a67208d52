#!/bin/bash
# What --exact=paths costs goes with the code that runs, not with the code that is mapped: of a library with thousands of
# functions, a program calls one.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
python3 - "$work" <<'P' || exit 1
import sys
with open(sys.argv[1] + "/many.c", "w") as out:
    for f in range(1500):
        out.write(f"unsigned f{f}(unsigned x) {{\n")
        for i in range(24):
            out.write(f"    if (x & {1 << i}u) x = x * {2 * i + 3}u + {f}u;\n    else x ^= x >> {i % 7 + 1};\n")
        out.write("    return x;\n}\n")
P
gcc -O0 -shared -fPIC -o "$work/libmany.so" "$work/many.c" || skip 'no shared libraries can be linked'
echo 'unsigned f700(unsigned); int main(void) { unsigned x = 1; for (int i = 0; i < 1000; i++) x = f700(x); return x == 12345; }' >"$work/one.c"
gcc -O1 -o "$work/one" "$work/one.c" -L"$work" -lmany -Wl,-rpath,"$work"

# cpu COMMAND...: ms of CPU time of all its processes, the least of three.
cpu() { for _ in 1 2 3; do python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(int(1000 * (used.ru_utime + used.ru_stime)))' "$@"; done | sort -n | head -n 1; }
contexts=$(cpu "$gait" record -q --exact=contexts -o "$work/contexts" -- "$work/one")
paths=$(cpu "$gait" record -q --exact=paths -o "$work/paths" -- "$work/one")
echo "of 1,500 functions one runs: contexts $contexts ms, paths $paths ms of CPU time"
[ "$paths" -lt $((4 * contexts + 100)) ] || bad "paths cost $paths ms, contexts $contexts ms: functions that do not run are planned"
"$gait" paths --json -i "$work/paths" | python3 -c '
import json, sys
got = sum(row["count"] for row in json.load(sys.stdin)["rows"] if row["function"] == "f700")
sys.exit(got != 1000)' || bad 'paths of the function that runs are not its calls'
finish
