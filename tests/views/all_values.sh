#!/bin/bash
# record -a --events: values of the user code of all processes that run, within one budget. In a namespace of its own, so that nothing else is touched; beside processes that come and go all the time.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
unshare -p -f --mount-proc true 2>/dev/null || skip 'a namespace of processes is not permitted'
[ "$("$gait" doctor --json 2>/dev/null | grep -c attach)" != 0 ] || skip 'attaching is not permitted'
for name in one other; do # two modules: of the same code they would be one
    gcc -O1 -g -DNAME="\"$name\"" -o "$work/$name" -x c - <<'END' || { bad 'a test program could not be built'; exit 1; }
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
const char name[] = NAME;
static volatile unsigned divided = 1000003;
__attribute__((noinline)) static unsigned divide(unsigned by) { return divided / by; }
int main(int argc, char **argv)
{
    unsigned by = (unsigned)atoi(argv[argc > 1]), sum = 0;
    alarm(60);
    for (;;)
        sum += divide(by);
}
END
done
cat >"$work/inside" <<END
"$work/one" 17 & a=\$!
"$work/other" 23 & b=\$!
(while :; do /bin/true; done) & c=\$!
sleep 30 & d=\$!
sleep 0.3
"$gait" record -a --events edge,call,value --overhead 5% --duration 3 -o "$work/data" 2>"$work/told"
echo \$? >"$work/status"
kill \$a \$b \$c \$d
wait
END
recorded() {
    unshare -p -f --mount-proc bash "$work/inside" >/dev/null 2>&1
    cat "$work/told"
    [ "$(cat "$work/status")" = 0 ] || return 1
    for name in one other; do
        "$gait" values --json --module $name "$work/data" >"$work/$name.json" || return 1
    done
    /usr/bin/python3 -B - "$work" <<'PY'
import json, sys
for name, by in ("one", 17), ("other", 23):
    rows = [row for row in json.load(open(f"{sys.argv[1]}/{name}.json"))["rows"] if row["kind"] == "divisor"]
    assert rows, f"{name}: no divisor"
    best = max(rows, key=lambda row: row["total"])
    value = best["values"][0]
    print(name, best["total"], value)
    assert int(value["value"], 16) == by and value["count"] > 0.9 * best["total"], name
PY
}
thrice 'values of all processes' recorded
grep -q 'user code of the [23] processes that run now' "$work/told" || bad "what is recorded: $(cat "$work/told")"
status 125 'a program' "$gait" record -a --events value -o "$work/none" -- true
says 'no program goes with it'
finish
