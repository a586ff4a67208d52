#!/bin/bash
# What is not allowed: which thing it was and why is said, and what can be done without it is done.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
[ "$(id -u)" = 0 ] || skip 'only root can become nobody'
command -v setpriv >/dev/null || skip 'no setpriv'
chmod 755 "$work"
cp "$gait" "$out/libgait.so" "$(program crowd)" "$work"
mkdir -m 777 "$work/theirs"
mkdir -m 755 "$work/ours"
cd "$work/theirs" || exit 1
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all -- "$@"; }
as_nobody "$work/gait" --version >/dev/null || skip "nobody may not run what is in $work"
expected=$("$work/crowd" 100000)

# Recording one's own program needs no privilege, whatever perf_event_paranoid says.
for mode in $modes; do
    status 7 "$mode, unprivileged" as_nobody "$work/gait" record $(options_of $mode) -o data -- "$work/crowd" 100000
    same "$mode, unprivileged: output" "$expected" "$(cat "$work/stdout")"
    same "$mode, unprivileged: owner" '65534 600' "$(stat -c '%u %a' data)"
    as_nobody "$work/gait" verify data >"$work/verify" 2>&1 || { bad "$mode, unprivileged: does not verify"; cat "$work/verify"; }
done

# What sampling is refused, and which setting it is.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
status 7 'plain, unprivileged' as_nobody "$work/gait" record --plain -o data -- "$work/crowd" 100000
[ "$paranoid" -lt 2 ] || says "kernel.perf_event_paranoid is $paranoid"
if [ "$paranoid" -ge 1 ]; then
    status 125 'all CPUs, unprivileged' as_nobody "$work/gait" record --plain -a --duration 0.1 -o all
    says 'kernel.perf_event_paranoid'
fi
sleep 60 &
status 125 "another's process" as_nobody "$work/gait" record --plain -p $! --duration 0.1 -o other
case $modes in *plain*) says 'Permission denied' ;; esac
kill $!
[ ! -e all ] && [ ! -e other ] || bad 'a recording that was refused left a profile'

# A folder that may not be written to: said before anything runs.
for mode in $modes; do
    status 125 "$mode, no folder to write to" as_nobody "$work/gait" record $(options_of $mode) -o "$work/ours/data" -- touch started
    says "$work/ours/data"
    says 'Permission denied'
    [ ! -e started ] || bad "$mode: the program was started though its profile cannot be written"
done
# A profile that someone else owns, in a folder that may be written to, moves aside like any other.
echo theirs >other && chmod 600 other
status 7 "another's file in one's folder" as_nobody "$work/gait" record -q -o other -- "$work/crowd" 1000
same "another's file" theirs "$(cat other.old)"
status 1 'merge to a folder of others' as_nobody "$work/gait" merge -o "$work/ours/data" data
says "$work/ours/data"

# A program that may be run but not read: it runs, its counts are there, its code cannot be explained.
cp "$work/crowd" secret && chmod 711 secret
status 7 'unreadable program' as_nobody "$work/gait" record -q --exact=counts -o hidden -- ./secret 1000
status 0 'unreadable program: report' as_nobody "$work/gait" report hidden
grep -q 'no binary for secret: .*Permission denied' "$work/stdout" || { bad 'why secret has no names is not said'; cat "$work/stdout"; }
chmod 755 secret
status 126 'a program that may not be run' as_nobody "$work/gait" record -q -o not -- "$work/verify"
says 'Permission denied'

# Profiles that are none.
cp data closed && chmod 000 closed
mkdir folder
: >empty
mkfifo pipe
head -c 100000 /dev/urandom >noise
for view in report 'report --json' info verify 'compare data' 'merge -o sum'; do
    for file in closed folder empty pipe noise missing data/below /dev/zero /dev/null /dev/full /proc/self/mem; do
        status 2 "$view $file" timeout 10 setpriv --reuid=65534 --regid=65534 --clear-groups -- "$work/gait" $view "$file"
        says "gait: $file: "
    done
done
[ ! -e sum ] || bad 'merge wrote a sum of nothing'
status 2 'a loop of links' "$work/gait" info "$(ln -s loop loop; echo loop)"
says 'Too many levels of symbolic links'
finish
