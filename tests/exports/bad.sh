#!/bin/bash
# What cannot be exported is refused by every format, with status 2, a reason, and no file; what still can is.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
rounds=$(program rounds)
damages=yes
cd "$work" || exit 1
counts='bolt bolt-preagg llvm llvm-raw gcc autofdo-text'
stacks='collapsed pprof otlp callgrind speedscope'
mkdir notes
# refused WHAT FILE REASON FORMAT...
refused() {
    local what=$1 file=$2 reason=$3 format
    for format in "${@:4}"; do
        status 2 "$what, $format" "$gait" export --format "$format" --gcc-version 12 $([ "$format" != gcda ] || echo --notes notes) -o none "$file"
        says "$file: "
        [ -z "$reason" ] || says "$reason"
        [ ! -e none ] || { bad "$what, $format: a file was left"; rm -rf none; }
    done
}
# taken WHAT FILE FORMAT...
taken() {
    local what=$1 file=$2 format
    for format in "${@:3}"; do
        rm -f out
        status 0 "$what, $format" "$gait" export -q --format "$format" --gcc-version 12 -o out "$file"
        [ -s out ] || bad "$what, $format: nothing was written"
    done
}

cp "$rounds" prog
"$gait" record -q --no-names --exact=counts -o whole -- ./prog >/dev/null || bad 'record'

# No profile at all, another kind of file, one that was cut off.
echo 'not a profile' >text
: >nothing
head -c 40 whole >head
for file in text nothing head prog; do refused "$file" "$file" '' $counts $stacks gcda; done
size=$(stat -c %s whole)
head -c $((size / 2)) whole >half
for format in $counts $stacks; do
    rm -f out
    "$gait" export --format "$format" --gcc-version 12 -o out half 2>stderr
    case $? in
    0) [ -s out ] && grep -q 'half' stderr || bad "half a profile, $format: not a word of what is missing" ;;
    2) [ ! -e out ] || bad "half a profile, $format: a file was left" ;;
    *) bad "half a profile, $format: status $?" ;;
    esac
done

# Nothing was seen to run.
"$gait" record -q --exact=counts --only libnone.so -o empty -- ./prog >/dev/null 2>&1
[ -e empty ] && refused 'an empty profile' empty '' $counts $stacks gcda
"$gait" record -q --duration 0.01 -F 1 -o unseen -- ./prog >/dev/null 2>&1
[ -e unseen ] && [ "$("$gait" report --json unseen 2>/dev/null | grep -c '"linkage"')" = 0 ] && refused 'an unseen run' unseen 'empty' $counts

# Counts of executions that nobody took.
if "$gait" record -q --plain -F 2000 -o plain -- ./prog >/dev/null 2>&1; then
    for format in $counts; do
        rm -f out
        "$gait" export --format "$format" --gcc-version 12 -o out plain 2>stderr
        case $? in
        0) [ -s out ] || bad "a plain profile, $format: an empty file" ;;
        2) grep -q 'plain' stderr && [ ! -e out ] || bad "a plain profile, $format: not refused well" ;;
        *) bad "a plain profile, $format: crashed" ;;
        esac
    done
fi

# Without lines: what is about addresses can be had, what is about source is refused with what to do.
strip -g prog
"$gait" record -q --no-names --exact=counts -o nolines -- ./prog >/dev/null
taken 'a program without lines' nolines bolt bolt-preagg llvm-raw autofdo-text $stacks
refused 'a program without lines' nolines '-g' llvm gcc
refused 'a program without lines' nolines '' gcda

# Without symbols, too: branches by address are still whole.
strip -s prog
"$gait" record -q --no-names --exact=counts -o stripped -- ./prog >/dev/null
taken 'a stripped program' stripped bolt-preagg llvm-raw autofdo-text $stacks
refused 'a stripped program' stripped '' llvm gcc gcda

# The program is another by now, or gone.
cp "$gait" prog
refused 'another build' stripped 'is not the build that ran' $counts
rm prog
refused 'a program that is gone' stripped 'prog' $counts
finish
