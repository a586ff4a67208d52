#!/bin/bash
# What is met in the first hour: odd paths, short programs, empty profiles, what to type next.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
top=$PWD
busy='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
cd "$work" || exit 1

# What is said to be next can be typed.
for name in "it's mine" 'a $HOME;b' plain.data; do
    status 0 "to '$name'" "$gait" record -F 2000 -o "$name" -- sh -c "$busy"
    next=$(sed -n 's/.*; next: gait //p' stderr)
    eval "'$gait' $next" >next.out 2>&1 || { bad "next, for '$name': gait $next"; cat next.out; }
done
for pair in counts:report paths:paths contexts:contexts paths+contexts:paths trace+loops:'report --by loop'; do
    status 0 "exact ${pair%%:*}" "$gait" record --exact="${pair%%:*}" -o exact.data -- true
    says "next: gait ${pair#*:} exact.data"
    eval "'$gait' $(sed -n 's/.*; next: gait //p' stderr)" >next.out 2>&1 || { bad "next, after ${pair%%:*}"; cat next.out; }
done
for pair in value:values address:conflicts; do
    status 0 "${pair%%:*}" "$gait" record -F 2000 --events "${pair%%:*}" -o events.data -- sh -c "$busy"
    says "next: gait ${pair#*:} events.data"
    eval "'$gait' $(sed -n 's/.*; next: gait //p' stderr)" >next.out 2>&1 || { bad "next, after ${pair%%:*}"; cat next.out; }
done
status 0 'a modelled trace' "$gait" record --exact=trace --core inorder -o exact.data -- true
says 'next: gait pipeline exact.data'
status 2 'records of sums' "$gait" pipeline --by place exact.data
says '--pairs 100'
status 129 'a field that is none' "$gait" pipeline --metric nosuch events.data
says 'gait list fields'
gcc -shared -fPIC -I"$top/src/wire" -o locks.so "$top/examples/modules/locks.c" || bad 'a module was not built'
status 0 'a module by its name alone' "$gait" record -F 2000 --module locks.so -o module.data -- sh -c "$busy"
says 'next: gait values --kind module module.data'
status 2 'paths of less than a second' "$gait" paths events.data
says 'less than a second'
status 0 compressed "$gait" record -F 2000 --compress P16 -o small.data -- sh -c "$busy"
status 2 'paths of what was compressed' "$gait" paths small.data
says 'compressed recordings have none'

# Where nothing ran, the report leads to what was waited for.
sleep 60 & sleeper=$!
sleep 0.3
"$gait" record -q --plain --duration 0.5 -o idle.data -p $sleeper 2>/dev/null
kill $sleeper
"$gait" report idle.data >idle.out 2>/dev/null
if grep -q 'no sample' idle.out && [ "$("$gait" waits --json idle.data 2>/dev/null | grep -c '"reason"')" != 0 ]; then
    grep -qF 'gait waits -i idle.data' idle.out || { bad 'no sample, and no way to waits'; cat idle.out; }
fi

# Of two lists of processes none is dropped in silence.
status 129 'two lists' "$gait" top --once -p 1 -p 2
says 'type one list, -p 1,2'

# A tree of kernel time that is empty says why.
status 0 'no kernel time' "$gait" record -q --no-kernel -F 2000 -o user.data -- sh -c "$busy"
"$gait" contexts --kernel user.data | grep -q 's of kernel time; gait record --plain' || bad 'an empty tree of kernel time, without a reason'
status 0 'an exact run' "$gait" record -q --exact=contexts -o calls.data -- true
"$gait" contexts --kernel calls.data | grep -q 'gait record without --exact' || bad 'an exact tree of kernel time, without a reason'

# Nothing was recorded here, or a word is not known: what there is is told.
mkdir empty
status 2 'nothing recorded' sh -c "cd empty && exec '$gait' report"
says 'gait record -- PROGRAM'
status 2 'another file that is not there' "$gait" report nosuch.data
grep -q 'gait record' stderr && bad 'who named a file is told to record'
status 129 'a kind that is none' "$gait" values --kind nosuch events.data
says 'nosuch is none of divisor, size, target'
status 125 'a core that is none' "$gait" record --exact=trace --core nosuch -o core.data -- true
says 'inorder, native, and files'

# Too short for a sample: told, and both ways out work.
status 0 short "$gait" record --overhead 0.001 -o short.data -- true
says 'no sample: the program took only'
says --exact=counts
status 0 'plain, short' "$gait" record --plain -F 1 -o plain.data -- true
if grep -q '0 samples' stderr; then says 'no sample: the program took only'; fi
status 0 'exact, short' "$gait" record --exact=counts -o exact.data -- true
grep -q 'no sample' stderr && bad 'an exact recording is said to lack samples'
status 0 'enough' "$gait" record -F 2000 -o enough.data -- sh -c "$busy"
grep -q 'no sample' stderr && bad 'a recording with samples is said to lack them'

# Counts of a short recording are too uncertain for ticks per instruction of any row: there is no column of dashes.
for view in 'report' 'report --by instruction' 'report --by loop' "annotate $("$gait" report enough.data | sed -n 's/^ *gait annotate \([^ ]*\).*/\1/p' | head -1)"; do
    "$gait" $view -i enough.data >stdout || bad "$view of enough"
    grep -qw cpi stdout && { bad "$view: a column of dashes"; cat stdout; }
done

# Children are walked as well; nor is it said where all was before the delay.
status 0 'a child works' "$gait" record -F 2000 -o child.data -- sh -c "($busy; $busy) & wait"
says '2 processes'
grep -q 'no sample\|natively' stderr && bad 'a child is said not to be seen'
status 0 'delayed' "$gait" record -F 2000 -D 1e6 -o late.data -- sh -c "$busy"
says '0.00 s of CPU time recorded'
says 'ended before the delay'
status 0 'delayed, half' "$gait" record -F 2000 -D 100 -o late.data -- sh -c "$busy; $busy; $busy; $busy"
[ "$("$gait" info --json late.data | python3 -c 'import json, sys
row = json.load(sys.stdin)["rows"][0]
unseen = row["whole_user_time"] + row["whole_kernel_time"] - row["user_time"] - row["kernel_time"]
print(0.08 < unseen < 0.16)')" = True ] || { bad 'time before -D is over counts'; "$gait" info late.data; }

# A profile in which nothing can be checked is not called good.
status 0 'verify, nothing to check' "$gait" verify short.data
grep -qx good stdout && bad 'an empty profile is called good'
grep -q '^nothing to check' stdout || bad 'that nothing was checked is not told'
status 0 'verify' "$gait" verify exact.data
same 'verify, exact' good "$(tail -n 1 stdout)"

# What is in a command and is no text is shown, not sent.
status 0 'odd bytes' "$gait" record -q -o odd.data -- true $'a\xff\xc2\x9b\xc3\xbc'
same 'odd bytes in info' "command       true 'a\\xff\\xc2\\x9b"$'\xc3\xbc'"'" "$("$gait" info odd.data | grep ^command)"

# The kernel writes a newline in the path of what is mapped in four characters.
odd=$'a\nfolder'
mkdir "$odd"
# The function works for a while each time: which of two that take turns every few cycles is sampled is the processor's choice.
cat >"$odd/turns.c" <<'C'
#include <time.h>
volatile long n;
__attribute__((noinline)) void turn(void) { for (int i = 0; i < 10000; i++) n++; }
int main(void) { while (clock() < CLOCKS_PER_SEC / 5) turn(); }
C
if (cd "$odd" && gcc -O1 -o turns turns.c 2>/dev/null); then
    for mode in $modes; do
        status 0 "$mode, a newline" "$gait" record -q $(options_of $mode) -o odd.data -- "./$odd/turns"
        "$gait" report odd.data | grep -q ' turn ' || { bad "$mode: a program behind a newline has no symbols"; "$gait" report odd.data; }
    done
fi

# Handlers are the program's: what the C library sets up for threads is not told.
cat >threads.c <<'C'
#include <pthread.h>
#include <signal.h>
static void *run(void *none) { return none; }
static void handle(int number) { (void)number; }
int main(int n, char **v) { (void)v; pthread_t thread; if (n > 1) signal(SIGUSR1, handle); return pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0); }
C
if gcc -pthread -o threads threads.c 2>/dev/null; then
    status 0 'exact, threads' "$gait" record --exact -o exact2.data -- ./threads
    grep -q 'signal handler' stderr && bad 'a handler of the C library is told'
    status 0 'exact, a handler' "$gait" record --exact -o exact2.data -- ./threads 1
    grep -q 'signal handler' stderr && bad 'handlers are walked like the rest: nothing of them is lost'
fi

# Both sides of a comparison are named.
status 0 compare "$gait" compare --json exact.data enough.data
grep -q '"command": *"sh -c' stdout || bad 'compare --json lacks the command'
grep -q '"truth_command": *"true"' stdout || bad 'compare --json lacks the command of the truth'

# A folder whose name LD_PRELOAD cannot hold; children of the program find the agent there, too.
mkdir 'a b:c'
cp "$gait" "$out/libgait.so" 'a b:c'
for mode in $modes; do
    status 0 "$mode, odd folder" 'a b:c/gait' record $(options_of $mode) -o odd.data -- sh -c "sh -c '$busy'; true"
    same "$mode, odd folder: silence of the loader" 0 "$(grep -vc '^gait: ' stderr)"
    grep -q '2 processes\|2 threads' stderr || { bad "$mode, odd folder: the child was not recorded"; cat stderr; }
    readable odd.data
done

# What outlives gait starts programs as before: nothing of ours is missing, and nothing is said.
(cd / && exec "$work/a b:c/gait" record -q -o "$work/odd.data" -- sh -c 'sleep 1; /bin/echo alive >"$0.out" 2>&1' "$work/odd") &
sleep 0.4
kill -KILL $!
wait $! 2>/dev/null
for i in $(seq 50); do [ -s odd.out ] && break; sleep 0.1; done
same 'a program that outlives gait' alive "$(cat odd.out)"
link=$(printf '%s\n' /tmp/gait-"$(id -u)"-*/libgait.so | while read -r link; do [ "$(readlink "$link")" = "$work/a b:c/libgait.so" ] && echo "$link"; done)
[ -n "$link" ] || bad 'there is no link to the library'
# Somebody else's folder of that name is not trusted.
if [ -n "$link" ] && [ "$(id -u)" = 0 ]; then
    rm "$link" && chown 65534 "${link%/*}"
    status 0 'a folder of somebody else' 'a b:c/gait' record -F 2000 -o odd.data -- sh -c "$busy"
    grep -q ' 0 windows' stderr && bad 'nothing was recorded'
    [ ! -e "$link" ] || bad 'a folder of somebody else was used'
fi
rm -rf "${link%/*}"

# 126 is for what is there and cannot be executed; PATH is searched as shells do.
mkdir closed open
printf '#!/bin/sh\n' >open/tool
if [ "$(id -u)" = 0 ]; then as='setpriv --reuid=65534 --regid=65534 --clear-groups' && chmod 755 . && cp "$gait" "$out/libgait.so" .
else as= && cp "$gait" "$out/libgait.so" .; fi
printf '#!/bin/sh\n' >closed/tool
chmod 755 closed/tool
chmod 700 "$work/closed"; [ -n "$as" ] || chmod 0 closed
for path in "$work/closed" "$work/open" "$work/closed:$work/open" "$work/open:$work/closed" "$work/closed:/usr/bin"; do
    for name in tool nproc; do
        $as env PATH="$path" /bin/bash -c "$name" >/dev/null 2>&1
        expected=$?
        $as /usr/bin/env PATH="$path" "$work/gait" record -q -o /dev/null -- $name >/dev/null 2>&1
        same "$name in PATH=$path" $expected $?
    done
done
$as "$work/gait" record -q -o /dev/null -- "$work/closed/tool" 2>/dev/null
same 'a path behind a closed folder' 126 $?
chmod 700 closed

# A whole clone in such a folder.
if [ -n "$GAIT_LONG" ] && git -C "$top" rev-parse >/dev/null 2>&1; then
    git clone -q "$top" 'a clone' || bad 'git clone'
    make -C 'a clone' -j2 all units programs >make.out 2>&1 || { bad 'make in an odd folder'; tail make.out; }
    (cd 'a clone' && tools/check-layers && tools/check-house && tools/check-headers o/rel) || bad 'checks in an odd folder'
    for test in live/status live/output live/transparent live/manual golden/info golden/views truth/edges; do
        (cd 'a clone' && GAIT_OUT=o/rel tests/$test.sh) >test.out 2>&1 || { bad "$test in an odd folder"; cat test.out; }
    done
fi
finish
