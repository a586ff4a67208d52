#!/bin/bash
# What --exact=paths costs goes with the code that runs, not with the code that is mapped: of a library with thousands of
# functions, a program calls one.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cat >"$work/many.s" <<'S' # of C, it would take a compiler seconds
.macro function
    .globl f\@
    .type f\@, @function
f\@: mov %edi, %eax
    .irp bit, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
    test $1 << \bit, %eax
    jz 1f
    imul $2 * \bit + 3, %eax, %eax
    add $1, %eax
    jmp 2f
1:  mov %eax, %ecx
    shr $\bit % 7 + 1, %ecx
    xor %ecx, %eax
2:
    .endr
    ret
    .size f\@, . - f\@
.endm
.rept 1500
    function
.endr
.section .note.GNU-stack, "", @progbits
S
gcc -shared -o "$work/libmany.so" "$work/many.s" || skip 'no shared libraries can be linked'
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
