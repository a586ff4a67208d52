#!/bin/bash
# Walks against the processor itself: a native twin of each program is stepped by ptrace and must have the same pc,
# registers, flags, vector registers and memory. In superblocks of one instruction, in whole ones, in runs of
# linked ones, in each flavour, and with all that can be recorded; from several places in the middle of each program.
# GAIT_LONG=1: more than 10,000,000 instructions, which takes some ten minutes.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel}
make -s "$out/step/driver" "$out/step/libstep.so" "$out"/programs/{floats,branches,jumps,vectors_512,tiles,strings} >&2 || exit 1
top=$PWD work=$(mktemp -d) failures=0 total=0 programs=0
trap 'rm -rf "$work"' EXIT
case $out in /*) ;; *) out=$top/$out ;; esac
if [ -n "$GAIT_LONG" ]; then windows=12 window=10000 counted=8000; else windows=1 window=1500 counted=1000; fi

drive() { timeout 600 "$out/step/driver" "$out/step/libstep.so" "$@"; }

# What goes wrong is noticed: a register, a flag, a vector register, a byte of memory.
for disturbance in 1 2 3 4; do
    drive window=2000 disturb=$disturbance -- /bin/ls /usr >"$work/said" && { echo "disturbance $disturbance was not noticed"; failures=1; }
    grep -q DIFFERS "$work/said" || { echo "disturbance $disturbance:"; cat "$work/said"; failures=1; }
done

# steps NAME SKIP COMMAND...
steps() {
    local name=$1 skip=$2 how bind n=0 states=0
    shift 2
    command -v "$1" >/dev/null || { echo "$name: not here"; return; }
    # Counting code cannot be stopped but by a system call, and those are many at the start.
    for how in 'single=1' 'piece=1' 'piece=50' 'piece=50 events=28' 'flavour=0 piece=400' "flavour=2 window=$counted windows=1 skip=0"; do
        case $how in *window=0*) continue ;; esac
        # From the start, the loader binds functions when they are first called, and keeps the vector registers by xsavec.
        # Whether that writes MXCSR is the processor's choice: on a Zen 5 it changes without any vector instruction.
        case $how in flavour=2*) bind=now ;; *) bind='' ;; esac
        if ! LD_BIND_NOW=$bind drive window=$window windows=$windows skip="$skip" memory=3000 $how -- "$@" >"$work/said" 2>&1; then
            failures=$((failures + 1))
            echo "$name, $how: $*"
            sed 's/^/    | /' "$work/said"
        fi
        n=$((n + $(sed -n 's/^\([0-9]*\) instructions.*/\1/p' "$work/said")))
        states=$((states + $(sed -n 's/.* \([0-9]*\) states.*/\1/p' "$work/said")))
    done
    echo "$name: $n instructions, compared at $states places"
    total=$((total + n)) programs=$((programs + 1))
}

cd "$work" || exit 1
seq 1 4000 | awk '{ print $1 * 7919 % 30011, "word" $1 % 97, $1 * $1 % 1009 }' >text
cat >source.c <<'C'
#include <stdio.h>
static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
int main(void) { for (int i = 0; i < 20; i++) printf("%d %d\n", i, f(i)); return 0; }
C
steps sort 400000 sort -k3,3n -k1,1 text
steps sha256sum 60000 sha256sum text
steps awk 300000 awk '{ n[$2] += $1 * $3 % 13; gsub(/o/, "0") } END { for (k in n) print k, n[k] }' text
steps perl 500000 perl -ne '@f = split; $h{$f[1]} .= chr(65 + $f[0] % 26); s/(.)\1/<$1>/g; END { print map { "$_ $h{$_}\n" } sort keys %h }' text
steps python3 2000000 /usr/bin/python3 -S -c 'import re; print(sum(i * i for i in range(20000)), re.sub("a+", "b", "xaay" * 900), 2.5 ** 0.5)'
steps gzip 400000 gzip -9c text
steps bzip2 700000 bzip2 -9c text
steps xz 500000 xz -T1 -1c text
steps sqlite3 500000 sqlite3 :memory: 'create table t(a, b); with recursive c(x) as (values(1) union all select x + 1 from c where x < 2000) insert into t select x * 7919 % 1009, hex(x) from c; create index i on t(a); select sum(a), max(b), count(distinct a) from t where a between 3 and 900;'
steps compiler 3000000 "$(gcc -print-prog-name=cc1)" -quiet -imultiarch "$(gcc -print-multiarch)" -O2 -o - source.c
# Other sets of string functions than the processor's best: those that ask whether they are in a transaction (where it has
# any), and those without vectors of 256 bits.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW
steps 'perl, no AVX-512' 500000 perl -ne '@f = split; $h{$f[1]} .= chr(65 + $f[0] % 26); s/(.)\1/<$1>/g; END { print map { "$_ $h{$_}\n" } sort keys %h }' text
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-AVX_Fast_Unaligned_Load
steps 'perl, no AVX' 500000 perl -ne '@f = split; $h{$f[1]} .= chr(65 + $f[0] % 26); s/(.)\1/<$1>/g; END { print map { "$_ $h{$_}\n" } sort keys %h }' text
unset GLIBC_TUNABLES
counted=0 # those below make no system call for a long time
steps floats 300000 "$out/programs/floats"
steps branches 300000 "$out/programs/branches"
steps jumps 300000 "$out/programs/jumps"
steps vectors_512 300000 "$out/programs/vectors_512"
if grep -qw amx_tile /proc/cpuinfo; then
    steps tiles 200000 "$out/programs/tiles" alone
else
    echo 'tiles: this processor has no AMX'
fi
echo "$total instructions of $programs programs compared with single steps; $failures failures"
[ "$failures" = 0 ] && [ "$programs" -ge 10 ]
