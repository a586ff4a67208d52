#!/bin/bash
# gait export: its options, where it writes to and what it refuses.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
rounds=$(program rounds)
cd "$work" || exit 1
formats=$("$gait" export --help | sed -n '/^formats:/,$s/^  \([a-z-]*\) .*/\1/p')
[ -n "$formats" ] || bad '--help names no formats'

"$gait" record -q --exact=counts -- "$rounds" >/dev/null || bad "record: status $?"
for format in $formats; do
    case $format in gcda | llvm-contexts | llvm-prefetch | perfetto) continue ;; esac # of walks alone, or many files: llvm_contexts.sh, llvm_prefetch.sh, perfetto.sh, gcda.sh
    status 0 "$format" "$gait" export --format "$format"
    [ "$format" = html ] || silent "$format" # a file says what it leaves out
    cp stdout expected
    [ -s expected ] || bad "$format: nothing was written"
    status 0 "$format -o" "$gait" export --format "$format" -o out gait.data
    cmp -s out expected || bad "$format: -o writes something else"
    [ ! -s stdout ] || bad "$format -o writes to standard output too"
    [ "$format" != html ] || continue # it takes a second, and options are read alike
    status 0 "$format of an option" "$gait" export --format "$format" --output=- -i gait.data
    cmp -s stdout expected || bad "$format: -i writes something else"
done

status 129 'no format' "$gait" export
says 'no format: gait export'
status 129 'unknown format' "$gait" export --format drawing
says 'expected one of collapsed'
status 129 'two files' "$gait" export --format collapsed a b
status 129 'three files' "$gait" export --format html -o none gait.data gait.data gait.data
status 129 'html of one thread' "$gait" export --format html --tid 1 -o none gait.data
says '--tid is not for --format html'
status 2 'html of nothing' "$gait" export --format html -o none missing
[ ! -e none ] || bad 'html of nothing: a file was left'
status 0 'html of two' "$gait" export --format html -o two gait.data gait.data
same 'mode of an html file' 600 "$(stat -c %a two)"
status 129 'odd weight' "$gait" export --format collapsed --weight grams
status 129 'odd thread' "$gait" export --format collapsed --tid x
status 2 'no profile' "$gait" export --format collapsed none
says 'none: no such file'
status 2 'times of an exact profile' "$gait" export --format collapsed --weight time
says 'gait.data: an exact profile has no times'
status 2 'threads of an exact profile' "$gait" export --format collapsed --pid 1
says 'do not tell threads apart'
status 2 'unknown module' "$gait" export --format collapsed --module nowhere
says 'no module nowhere'
status 1 'no folder' "$gait" export --format collapsed -o none/out
says 'none/out'
status 1 'full disk' bash -c "'$gait' export --format callgrind >/dev/full"

echo kept >out
status 2 'a failure' "$gait" export --format collapsed --weight time -o out
same 'a file that could not be replaced' kept "$(cat out)"
# What is no regular file is written into, not replaced.
mkfifo pipe
cat pipe >piped &
status 0 'a pipe' "$gait" export --format collapsed -o pipe
wait $!
[ -p pipe ] || bad 'a pipe was replaced'
"$gait" export --format collapsed | cmp -s - piped || bad 'through a pipe comes something else'
if command -v script >/dev/null; then
    script -qec "'$gait' export --format pprof" /dev/null >typed 2>&1 </dev/null
    grep -q 'not for terminals' typed || bad 'pprof is written to a terminal'
fi

# A part is less than the whole, and not nothing.
whole=$("$gait" export --format collapsed | awk '{ n += $NF } END { print n }')
same 'all of it' "$("$gait" info --json | sed -nE 's/.*"instructions": *([0-9]+).*/\1/p')" "$whole"
part=$("$gait" export --format collapsed --module libc.so.6 | awk '{ n += $NF } END { print n }')
[ "$part" -gt 0 ] && [ "$part" -lt "$whole" ] || bad "--module: $part of $whole"

# Threads of a plain recording; the program ends with 7.
crowd=$(cd "$OLDPWD" && program crowd)
"$gait" record -q --plain -F 2000 -o plain -- "$crowd" 60000 >log 2>&1
same 'the status of a plain recording' 7 $?
readable plain
for format in $formats; do
    case $format in
    collapsed | pprof | otlp | callgrind | speedscope | html)
        status 0 "$format of a plain profile" "$gait" export --format "$format" -o out plain
        [ -s out ] || bad "$format of a plain profile: nothing was written" ;;
    *) # counts of executions
        status 2 "$format of a plain profile" "$gait" export --format "$format" -o none plain
        [ ! -e none ] || bad "$format of a plain profile: a file was left"
        case $format in gcda | llvm-contexts | llvm-prefetch | perfetto) continue ;; esac # has no notes here; is of walks
        says 'a plain profile has samples and no counts'
        status 0 "$format of a plain profile, inferred" "$gait" export --inferred=levin --format "$format" -o out plain
        [ -s out ] || bad "$format of a plain profile, inferred: nothing was written" ;;
    esac
done
"$gait" export --format collapsed plain >folded
grep -q '^crowd;.*;toil;descend;.* [0-9]*$' folded || bad 'no stack of toil and descend'
all=$(awk '{ n += $NF } END { print n }' folded) sum=0
for tid in $("$gait" info --json plain | grep -o '"tid": *[0-9]*' | grep -o '[0-9]*' | sort -u); do
    part=$("$gait" export --format collapsed --tid "$tid" plain 2>/dev/null | awk '{ n += $NF } END { print n + 0 }')
    sum=$((sum + part))
done
same 'the threads together' "$all" "$sum"
status 2 'no such thread' "$gait" export --format collapsed --tid 4294967295 plain
says 'no such thread'
status 2 'executions of a plain profile' "$gait" export --format collapsed --weight count plain
finish
