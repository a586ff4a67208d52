#!/bin/bash
# Values can be secrets: who does not ask for them does not get them, nobody else can read the files, and of all commands only gait values, and it
# alone without --no-values, shows one that a program is known to have.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cat >"$work/keeper.c" <<'EOF'
#include <stdint.h>
#include <stdio.h>
static volatile uint64_t secret;
static volatile double real;
__attribute__((noinline)) uint64_t keep(uint64_t x) { return (secret ^ x) * 3; }
__attribute__((noinline)) double weigh(double x) { return real * x; }
int main(void)
{
    uint64_t sum = 0, key;
    double reals = 0;
    if (scanf("%lx", &key) != 1)
        return 1;
    secret = key, real = 3.25;
    for (uint64_t i = 0; i < 4000000; i++)
        sum += keep(i), reals += weigh(1);
    return sum == 1 || reals < 0;
}
EOF
gcc -O1 -g -o "$work/keeper" "$work/keeper.c" && gcc -shared -fPIC -O1 -Isrc/wire -o "$work/lines.so" examples/modules/lines.c || { bad 'not built'; exit 1; }
# What it is known by: hexadecimal, as bytes of a file, and what the module says of its place.
secret=5ec2e75ec2e75a17
shown="$secret|$((0x$secret))|page 0x|7fff[0-9a-f]{8}"
umask 000
record() { "$gait" record -q -F 2000 --seed 1 "$@" -- "$work/keeper" <<<"$secret" || bad "record $1: status $?"; }
record --events edge,call,address,value,latency,stack --module "$work/lines.so" -o "$work/data"
record -o "$work/usual"
"$gait" values "$work/data" >"$work/out" && grep -q "0x$secret" "$work/out" && "$gait" values --kind module "$work/data" | grep -q 'page 0x' || bad 'the secret is not seen at all: nothing is tested'
"$gait" merge -q -o "$work/twice" "$work/data" "$work/data" || bad "merge: status $?"
: >"$work/there" && chmod 666 "$work/there" && "$gait" merge -q -o "$work/there" "$work/data" || bad "merge onto a file: status $?"
: >"$work/dump" && chmod 666 "$work/dump"
record --events edge,call,value --dump-events "$work/dump" -o "$work/dumped"
grep -q "$secret" "$work/dump" || bad 'the dump is empty'
for file in data usual twice there dump dumped; do same "rights of $file" 600 "$(stat -c %a "$work/$file")"; done

# quiet WHAT COMMAND...: it says nothing of the secret.
quiet() {
    local what=$1
    shift
    "$@" >"$work/out" 2>&1 || bad "$what: status $?"
    grep -Eaq "$shown" "$work/out" && { bad "$what shows it"; grep -Ea "$shown" "$work/out" | head -n 3; }
}
for json in '' --json; do
    for view in 'values --no-values' 'values --no-values --kind address+latency,lock,thread,module' 'latencies --no-values' info report 'report --by instruction' \
        'report --by call' 'annotate keep' conflicts contexts 'compare DATA' 'diff DATA'; do
        set -- ${view/DATA/$work\/data}
        case $json$1 in --jsonannotate) continue ;; esac
        quiet "$view $json" "$gait" "$@" $json "$work/data"
    done
done
quiet verify "$gait" verify "$work/data"
quiet list "$gait" list
for format in collapsed pprof callgrind speedscope llvm bolt; do
    quiet "export $format" "$gait" export --format $format -o "$work/exported" "$work/data"
    zcat -f "$work/exported" | grep -Eaq "$shown" && bad "export $format has it"
done
# What is given away has none of it.
"$gait" merge -q --no-values -o "$work/given" "$work/data" || bad "merge --no-values: status $?"
"$gait" verify "$work/given" >"$work/out" || bad 'verify what is given away'
for file in given usual; do status 2 "values of $file" "$gait" values "$work/$file"; done
quiet 'latencies of what is given away' "$gait" latencies --json "$work/given"
same 'what was counted' "$("$gait" report --json "$work/data" | md5sum)" "$("$gait" report --json "$work/given" | md5sum)"
# Nor have records of a modelled core the addresses of what was loaded: an index can be a secret.
"$gait" record -q --exact --core zen4 --pairs 100 -o "$work/paired" -- true && "$gait" merge -q --no-values -o "$work/given" "$work/paired" || bad "pairs: status $?"
"$gait" verify "$work/given" >"$work/out" || bad 'verify pairs that are given away'
for by in page line object; do
    for file in paired given; do "$gait" pipeline --json --by $by "$work/$file" | grep -cE '^\{"(data|region)"' >"$work/$file.rows"; done
    [ "$(cat "$work/paired.rows")" -gt 0 ] || bad "pairs by $by: nothing is tested"
    same "rows by $by of what is given away" 0 "$(cat "$work/given.rows")"
done
finish
