#!/bin/bash
# Work that takes long says what it does on a terminal, and nothing elsewhere; Ctrl-C ends it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
"$gait" record -q -F 999 -o data -- "$gait" doctor >/dev/null 2>&1 || bad 'record'
# A pipe whose writer is slow makes the reading long, on any machine.
script -qec "stty cols 80; (sleep 3; cat data) | '$gait' report --no-pager -" /dev/null </dev/null >terminal
grep -qa 'gait: reading -: [1-3] s; Ctrl-C stops' terminal || { bad 'a long reading shows no progress'; cat -v terminal | head -5; }
tail -c +1 terminal | tr '\r' '\n' | grep -a 'Ctrl-C' | sed 's/\x1b\[K//' | awk 'length($0) > 80' >wide
[ ! -s wide ] || { bad 'the line is wider than the terminal'; cat wide; }
(sleep 2; cat data) | "$gait" report --no-pager - >out 2>err || bad 'report of a slow pipe'
[ ! -s err ] || { bad 'progress is shown where nobody watches'; cat err; }
grep -q 'Ctrl-C' out && bad 'progress is in the output'
(sleep 2; cat data) | script -qec "'$gait' report --no-pager -q -" /dev/null >quiet 2>&1
grep -qa 'Ctrl-C' quiet && bad '-q shows progress'
# gait optimize says which step it is at, and takes the line away; Ctrl-C stops it, its children and its files.
# A run takes 0.4 s on the fastest machine: the line comes after the first second.
cat >loop.c <<'C'
#include <unistd.h>
int main(int argc, char **argv) { (void)argv; usleep(400000); volatile unsigned x = 0; for (unsigned i = 0; i < 300000000u; i++) if (i % 3) x += i; return argc > 5 ? (int)x : 0; }
C
if gcc -O1 -o loop loop.c; then
    script -qec "stty cols 80; '$gait' optimize --with gcc --build 'gcc -O2 \$GAIT_CFLAGS -c loop.c -o loop.o && gcc -O2 \$GAIT_CFLAGS loop.o -o loop' --runs 3 --overhead 5% ./loop" /dev/null </dev/null >terminal 2>&1
    tr '\r' '\n' <terminal | grep -aqE 'gait: (running the program as it is|recording|measuring before and after, pair)[^;]*: [0-9]+ s.*; Ctrl-C stops' || { bad 'optimize shows no progress'; cat -v terminal | tail -20; }
    # The program never ends by itself, so optimize is at work whenever the signal comes.
    printf '#include <unistd.h>\nint main(void) { for (;;) pause(); }\n' >waits.c
    gcc -O1 -o waits waits.c
    TMPDIR=$PWD "$gait" optimize -q --with gcc --build true --runs 100 ./waits >/dev/null 2>&1 & optimizer=$!
    for _ in {1..100}; do compgen -G 'gait-optimize-*' >/dev/null && break; sleep 0.1; done
    compgen -G 'gait-optimize-*' >/dev/null || bad 'optimize makes no folder'
    kill -INT $optimizer 2>/dev/null; sleep 0.2; kill -TERM $optimizer 2>/dev/null
    wait $optimizer
    [ $? -gt 128 ] || bad 'optimize is not stopped by a signal'
    pgrep -f "$PWD/waits|^./waits$" >/dev/null && bad 'a stopped optimize leaves its program behind'
    [ -z "$(ls -d gait-optimize-* 2>/dev/null)" ] || bad 'a stopped optimize leaves its folder behind'
fi
# The model says how far it is.
"$gait" record -q --overhead 30% -o modelled.data -- ./loop && script -qec "stty cols 80; '$gait' pipeline --no-pager modelled.data" /dev/null </dev/null >terminal 2>&1
grep -qa 'wasted\|cycles' terminal || { bad 'pipeline on a terminal'; head -5 terminal; }
# Stopped as it stands: by the signal itself.
mkfifo slow
sleep 30 >slow & sleeper=$!
"$gait" report - <slow >/dev/null 2>&1 & reader=$!
sleep 0.5
kill -INT $reader 2>/dev/null; kill -TERM $reader
wait $reader
[ $? -gt 128 ] || bad 'a command that reads is not stopped by a signal'
kill $sleeper
finish
