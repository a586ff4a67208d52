#!/bin/bash
# Signals go where they are meant to go, and the program's death does not hurt the profile. Kills at
# any moment are in kills.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
busy='i=0; while [ $i -lt ${1:-400000} ]; do i=$((i + 1)); done; echo "sum $i"; exit 7'

for mode in $modes; do
    data=$work/$mode.data
    "$gait" record $(options_of $mode) -o "$data" -- sh -c "$busy" sh 100000000 2>"$work/stderr" &
    pid=$!
    sleep 1.2
    kill -KILL "$(pgrep -P $pid)"
    wait $pid 2>/dev/null
    same "$mode, program killed: status" 137 $?
    readable "$data"
    ! "$gait" info "$data" | grep 'not closed' || bad "$mode, program killed: the recording was not closed"

    # TERM to gait alone is passed on; the program decides.
    "$gait" record $(options_of $mode) -q -o "$data" -- \
        sh -c 'trap "echo caught; exit 9" TERM; echo ready; while :; do :; done' >"$work/out" 2>&1 &
    pid=$!
    for i in $(seq 100); do [ -s "$work/out" ] && break; sleep 0.1; done
    kill -TERM $pid
    wait $pid
    same "$mode, TERM: status" 9 $?
    same "$mode, TERM: output" 'ready caught' "$(xargs <"$work/out")"
    readable "$data"

    # INT to the group, as a terminal sends it: the program dies of it, the recording is finished.
    setsid sh -c 'trap - INT; exec "$@"' sh perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
        "$gait" record $(options_of $mode) -q -o "$data" -- sh -c "$busy" sh 100000000 >"$work/out" 2>&1 &
    pid=$!
    sleep 0.5
    kill -INT -$pid
    wait $pid
    same "$mode, INT: status" 130 $?
    readable "$data"

    # Children that outlive the program are not waited for.
    start=$SECONDS
    status 5 "$mode, a child outlives" "$gait" record $(options_of $mode) -q -o "$data" -- \
        sh -c 'sleep 20 >/dev/null 2>&1 & exit 5'
    [ $((SECONDS - start)) -lt 10 ] || bad "$mode: waited for a child that outlived the program"
    readable "$data"
done

# What the rings of many threads hold takes a model seconds after the program's end: that is told, and ends at a second signal.
cat >"$work/many.c" <<'C'
#include <pthread.h>
static void *turn(void *none) { for (volatile unsigned long i = 0;; i++); return none; }
int main(void) { pthread_t threads[100]; for (int i = 0; i < 100; i++) pthread_create(&threads[i], 0, turn, 0); return pthread_join(threads[0], 0); }
C
gcc -pthread -O1 -o "$work/many" "$work/many.c" || bad 'many threads'
"$gait" record --exact=trace --core zen4 -o "$work/data" -- "$work/many" 2>"$work/stderr" &
pid=$!
sleep 1
kill -TERM $pid
for i in $(seq 100); do grep -q 'left to read' "$work/stderr" && break; sleep 0.05; done
says 'MiB of its trace are left to read, about'
left=$(sed -n 's/.* left to read, about \([0-9]*\) s.*/\1/p' "$work/stderr")
start=${EPOCHREALTIME/./}
kill -TERM $pid
wait $pid
same 'a second TERM: status' 143 $?
[ $((${EPOCHREALTIME/./} - start)) -lt $((1500000 + 250000 * ${left:-0})) ] || bad 'a second TERM: it was worked on'
says 'byte of a trace not read'
says INCOMPLETE

# A recorder that was killed before it had written any values: views do not say that nobody asked for them, and no more.
"$gait" record -q --exact=trace --events edge,call,value -o "$work/data" -- sh -c "$busy" sh 100000000 2>"$work/stderr" &
pid=$!
for i in $(seq 100); do program=$(pgrep -P $pid) && [ -s "$work/data" ] && break; sleep 0.05; done
kill -KILL $pid $program
wait $pid 2>/dev/null
status 2 'values of a killed recording' "$gait" values "$work/data"
says 'the recording was not closed'
finish
