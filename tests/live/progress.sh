#!/bin/bash
# Runs with others
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
