#!/bin/bash
# gait top: pictures for scripts, and the screen with its keys.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/attach.sh
case $modes in *plain*) ;; *) echo 'the kernel refuses samples'; exit 77 ;; esac

cat >"$work/spin.c" <<'C'
#include <stdlib.h>
#include <unistd.h>
volatile unsigned sum;
__attribute__((noinline)) static void spin_hard(void) { for (int i = 0; i < 1000000; i++) sum += (unsigned)i * 7; }
__attribute__((noinline)) static void spin_easy(void) { for (int i = 0; i < 100000; i++) sum += (unsigned)i * 5; }
__attribute__((noinline)) static void work_loop(void) { for (;;) { spin_hard(); spin_easy(); } }
int main(int argc, char **argv) { alarm(argc > 1 ? (unsigned)atoi(argv[1]) : 60); work_loop(); }
C
gcc -O1 -g -o "$work/spin" "$work/spin.c" || exit 1
start spin.out "$work/spin"
until [ "$(cat "/proc/$pid/comm")" = spin ]; do sleep 0.01; done # until then it is this shell

# ---- one process, as text and as JSON
timeout 30 "$gait" top --once -d 1 -p "$pid" >"$work/out" || bad "top --once fails"
grep -q "^process $pid (spin), last 1" "$work/out" || bad "the head does not name the process"
grep -q 'user  *spin_hard  *spin$' "$work/out" || bad "no row for spin_hard"
# In a terminal its rows fit, however long names of its libraries are.
cp "$work/spin" "$work/spin_with_a_name_that_is_longer_than_any_terminal_has_columns_to_show_it_in_a_row" # of a file
"$work"/spin_with_* 20 & long=$!
script -qec "stty cols 80; timeout 30 $gait top --once --color never -d 1 -p $long" /dev/null </dev/null | tr -d '\r' | sed 's/±/+/g' >"$work/out"
kill $long
{ grep -q spin_hard "$work/out" && awk 'length($0) > 80 && !/^process/ {exit 1}' "$work/out"; } || { bad 'rows of top are wider than the terminal'; cat "$work/out"; }
begin=$EPOCHREALTIME
timeout 30 "$gait" top --batch 2 -d 0.7 -p "$pid" --json >"$work/json" || bad "top --json fails"
python3 - "$work/json" "$begin" "$EPOCHREALTIME" <<'P' || bad "the JSON is not as it should be"
import json, sys
text, decoder, objects = open(sys.argv[1]).read(), json.JSONDecoder(), []
while text.strip():
    one, end = decoder.raw_decode(text.lstrip())
    objects.append(one)
    text = text.lstrip()[end:]
assert len(objects) == 2, len(objects)
last = objects[-1]
assert last["schema"] == "gait/top/1" and last["by"] == "function", last
took = float(sys.argv[3]) - float(sys.argv[2])
assert objects[0]["elapsed"] + 0.5 < last["elapsed"] and 1.2 < last["elapsed"] < took, (objects[0]["elapsed"], last["elapsed"], took)  # the window grows
rows = {row["name"]: row for row in last["rows"]}
hard, loop = rows["spin_hard"], rows["work_loop"]
assert last["rows"][0]["name"] == "spin_hard"
assert hard["share"] > 0.6 and hard["in"] == "user" and hard["module"] == "spin", hard
assert hard["time_lo"] <= hard["time"] <= hard["time_hi"]
assert loop["total"] > 0.95 * (last["user"] + last["kernel"]), (loop, last)
P
timeout 30 "$gait" top --once -d 1 -p "$pid" --by process --json >"$work/json" || bad "top --by process fails"
python3 - "$work/json" "$pid" <<'P' || bad "the process is not in the JSON"
import json, sys
one = json.load(open(sys.argv[1]))
row = one["rows"][0]
assert row["pid"] == int(sys.argv[2]) and row["name"] == "spin" and row["hottest"] == "spin_hard", row
assert row["time_lo"] == row["time_hi"] and len(one["rows"]) == 1, one
P

# ---- a program that is started: its output and its exit status are its own
"$gait" top --batch 1 -d 20 sh -c 'echo said; exit 5' >"$work/out" 2>"$work/err"
same 'exit status of a program' 5 $?
same 'what it prints' said "$(cat "$work/out")"
grep -q 'samples' "$work/err" || bad "no picture of a program that ended early"
status 127 'no such program' "$gait" top --once -- /nowhere/program

# ---- bad input
status 129 '-p and a program' "$gait" top -p 1 -- true
says 'neither -a nor a program goes with it'
status 129 'no process id' "$gait" top -p nobody
says 'expected process ids'
status 129 'no such key' "$gait" top --by color
says 'function, process, thread or module'
gone=$(sh -c 'echo $$')
status 1 'a process that is gone' "$gait" top --once -p "$gone"
says "process $gone"

# ---- the screen
on_screen() { timeout 120 python3 -B tests/live/lib/terminal.py "$@" >"$work/out" 2>&1 || { bad "the screen: $(head -c 3000 "$work/out")"; }; }
on_screen "$gait" top -d 0.5 --color never -p "$pid" <<'K'
wait spin_hard
wait gait record -p
keys p
wait by process
wait hottest function
keys \r
wait by function > spin
wait spin_easy
keys \r
wait by caller > spin > spin_hard
wait work_loop
keys \e
forget
wait by function > spin
keys t
wait by thread
keys m
wait by module
forget
keys h
wait any key goes back
keys x
keys  
wait PAUSED
keys  
keys f
size 10 60
forget
wait spin_hard
keys q
K
grep -q '^ended 0' "$work/out" || bad "q does not end it well"
grep -q '^restored' "$work/out" || bad "the terminal is not given back"
kill -0 "$pid" || bad "the watched process is gone"

# A program goes on when its watcher quits; what it prints does not reach the screen.
on_screen "$gait" top -d 0.3 --log "$work/log" -- sh -c "echo hello >&2; exec $work/spin 5" <<'K'
wait spin_hard
keys q
K
grep -q '^ended 0' "$work/out" || bad "quitting a program's picture does not end well"
grep -q hello "$work/log" || bad "what the program said is not in its log"
# Ctrl-C ends what is watched as a whole machine; a terminal that goes away does, too.
on_screen "$gait" top -d 0.3 -p "$pid" <<<$'wait spin_hard\nkeys \003'
grep -q '^restored' "$work/out" || bad "Ctrl-C leaves the terminal as it is"
finish
