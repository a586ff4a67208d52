#!/bin/bash
# record ends as the program ends; its own failures have numbers of their own.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
data=$work/data

for mode in $modes; do
    with="$(options_of $mode) -q -o $data"
    status 0 "$mode, true" "$gait" record $with -- true
    silent "$mode, true"
    status 1 "$mode, false" "$gait" record $with -- false
    status 3 "$mode, exit 3" "$gait" record $with -- sh -c 'exit 3'
    status 125 "$mode, exit 125" "$gait" record $with -- sh -c 'exit 125'
    for signal in TERM KILL SEGV INT HUP USR1; do
        status $((128 + $(kill -l $signal))) "$mode, died of SIG$signal" \
            sh -c '"$@"; exit $?' sh "$gait" record $with -- sh -c "kill -$signal \$\$; sleep 5"
        # A shell gives 128 + n for a signal and for such a status alike: perl tells them apart.
        got=$(perl -e 'system { $ARGV[0] } @ARGV; print $? & 127' \
            "$gait" record $with -- sh -c "kill -$signal \$\$; sleep 5" 2>/dev/null)
        same "$mode, SIG$signal raised again" "$(kill -l $signal)" "$got"
    done
done

rm -f "$data" "$data.old"
status 127 'no such program' "$gait" record -o "$data" -- /no/such/program
says 'No such file or directory'
status 127 'no such program in PATH' "$gait" record -o "$data" -- no-such-program-at-all
status 126 'not executable' "$gait" record -o "$data" -- /etc/passwd
says 'Permission denied'
status 126 'a folder' "$gait" record -o "$data" -- /etc
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
status 127 'no interpreter' "$gait" record -o "$data" -- "$work/script"
[ ! -e "$data" ] || bad 'a program that did not start left a profile'

status 125 'no program' "$gait" record
status 125 'unknown option' "$gait" record --no-such-option -- true
says --no-such-option
status 125 'bad number' "$gait" record --overhead much -- true
says 'from 0.001 to 1000'
status 125 'large limit' "$gait" record --window 0 -- true
says 'from 1 to 1048576'
status 125 'to stdout' "$gait" record -o - -- touch "$work/started"
says 'a profile is a file'
for option in '-F 100' '--overhead 1%' '--window 9' '--trail 9' '--trigger perf' '-D 1'; do
    status 125 "exact, $option" "$gait" record --exact $option -o "$data" -- touch "$work/started"
    says "${option% *} is for samples"
done
status 125 'plain, walks' "$gait" record --plain --overhead 1% -o "$data" -- touch "$work/started"
says '--overhead is for walks'
[ -e "$work/started" ] && bad 'a program was started against its options'
same 'help' "$("$gait" --help)" "$("$gait" help)"
same 'help of a command' "$("$gait" record --help)" "$("$gait" help record)"
status 129 'help of nothing' "$gait" help recrod
status 125 'exact something' "$gait" record --exact=nothing -- true
says 'expected counts'
status 125 'unwritable folder' "$gait" record -o /no/such/folder/data -- touch "$work/started"
[ ! -e "$work/started" ] || bad 'the program was started though its profile cannot be written'
status 125 'full device' "$gait" record -o /dev/full -- touch "$work/started"
[ ! -e "$work/started" ] || bad 'the program was started though its profile cannot be written'
status 125 'no library' env GAIT_LIB=/no/such/libgait.so "$gait" record -o "$data" -- true
says libgait.so

status 129 'no command' "$gait"
status 129 'unknown command' "$gait" recrod
says "did you mean 'record'"
status 129 'unknown command, nothing near' "$gait" xyzzy
status 0 help "$gait" --help
grep -q '^  record ' "$work/stdout" || bad 'help does not name record'
status 0 'help of record' "$gait" record --help
status 0 version "$gait" --version
finish
