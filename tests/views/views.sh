#!/bin/bash
# Every view of every kind of recording: text for people, JSON by the contract, or a refusal that says why.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
top=$PWD
tiers=$(program tiers)
cd "$work" || exit 1
for mode in $modes; do
    rounds=8000
    [ $mode = exact ] && rounds=5
    for file in $mode $mode.again; do
        "$gait" record $(options_of $mode) -q -o $file -- "$tiers" $rounds || bad "record of $mode"
    done
done

# good NAME MODE VIEW...: text and JSON, both with status 0 and silent; JSON by the contract.
good() {
    local name=$1 mode=$2
    shift 2
    status 0 "$mode: gait $*" timeout 60 "$gait" "$@"
    silent "$mode: gait $*"
    [ -s "$work/stdout" ] || bad "$mode: gait $* says nothing"
    ! grep -qi 'nan\|inf\b' "$work/stdout" || { bad "$mode: gait $*: a number that is none"; grep -i 'nan\|inf\b' "$work/stdout" | head -3; }
    status 0 "$mode: gait $* --json" timeout 60 "$gait" "$@" --json
    silent "$mode: gait $* --json"
    cp "$work/stdout" "$work/first"
    /usr/bin/python3 "$top/tests/live/lib/check_json.py" "$name" "$mode" <"$work/first" >"$work/breaches" 2>&1 ||
        { bad "$mode: gait $* --json"; sed 's/^/    | /' "$work/breaches" | cut -c 1-400; }
    [[ "$*" = *function* ]] || return 0 # some are enough to see whether bytes differ
    status 0 'again' timeout 60 "$gait" "$@" --json
    cmp -s "$work/stdout" "$work/first" || bad "$mode: gait $* --json: not the same bytes again"
}
# refused MODE WORD VIEW...: status 2, a sentence on stderr with that word, nothing on stdout.
refused() {
    local mode=$1 word=$2
    shift 2
    for json in '' --json; do
        status 2 "$mode: gait $* $json" timeout 60 "$gait" "$@" $json
        says "$word"
        [ ! -s "$work/stdout" ] || bad "$mode: gait $* $json: refused, and something on stdout"
    done
}

for mode in $modes; do
    for by in function line inline block instruction call; do good report $mode report --by $by $mode; done
    if [ $mode = plain ]; then
        refused $mode edge report --by edge $mode
    else
        good report $mode report --by edge $mode
    fi
    if [ $mode = exact ]; then
        refused $mode stacks contexts $mode
    else
        for form in --top-down --bottom-up --flat '--top-down --by-thread' '--bottom-up --no-inline' '--top-down --unfolded' \
            '--flat --module tiers' '--top-down --function fib' '--bottom-up --function leaf'; do
            good contexts $mode contexts $form $mode
        done
    fi
    for by in function line module; do good diff $mode diff --by $by $mode $mode.again; done
    for by in function block; do
        [ $mode = plain ] || good compare $mode compare --by $by $mode $mode.again
    done
    status 0 "$mode: verify" "$gait" verify $mode
    for view in info verify; do
        "$gait" $view --json $mode | /usr/bin/python3 -m json.tool >/dev/null || bad "$mode: $view --json is no JSON"
    done
    status 0 "$mode: annotate" "$gait" annotate leaf $mode
    "$gait" annotate leaf $mode --json | /usr/bin/python3 -m json.tool >/dev/null || bad "$mode: annotate --json is no JSON"
done
good diff plain diff sampled plain
"$gait" diff sampled plain | grep -q 'before is sampled, after is plain' || bad 'diff does not say that kinds differ'
refused 'exact and plain' counts diff exact plain
refused 'exact and sampled' 'gait compare' diff exact sampled
cat >other.c <<'C'
int main(void)
{
    unsigned x = 1;
    for (int i = 0; i < 300000000; i++)
        x = (x ^ x << 13) * 5;
    return x & 1;
}
C
gcc -O1 -o other other.c || exit 1
"$gait" record -q --plain -o other.data -- ./other; "$gait" diff plain other.data | grep -q 'DIFFERENT PROGRAMS' || bad 'diff takes one program for another'
"$gait" diff plain plain.again | grep 'DIFFERENT PROGRAMS' && bad 'diff takes a program for another'

# A longjmp arrives in the middle of a function: nobody called it.
cat >jumps.c <<'C'
#include <setjmp.h>
static jmp_buf place;
__attribute__((noinline)) void leap(void) { longjmp(place, 1); }
int main(void)
{
    volatile int n = 0;
    setjmp(place);
    if (n++ < 1000)
        leap();
    return 0;
}
C
gcc -O1 -o jumps jumps.c || exit 1
"$gait" record -q --exact=counts -o jumps.data -- ./jumps || bad 'record of jumps'
"$gait" report --by call jumps.data --limit 1000 >calls
grep -q '^1000 more jumps to where no function starts' calls || { bad 'jumps are not counted'; tail -5 calls; }
grep 'longjmp .* main .*-> jumps' calls && bad 'longjmp calls main'
"$gait" report jumps.data | grep 'calls to main' && bad 'advice takes longjmp for a caller'

# Every total and path, counted again from the stacks that export writes.
for inline in '' --no-inline; do
    "$gait" export --format collapsed $inline plain >stacks
    "$gait" contexts --flat $inline --json plain >flat.json
    "$gait" contexts --top-down --unfolded $inline --json plain >down.json
    "$gait" contexts --bottom-up --unfolded $inline --json plain >up.json
    /usr/bin/python3 "$top/tests/live/lib/check_contexts.py" flat.json down.json up.json <stacks >said ||
        bad "contexts $inline differ from the stacks: $(cat said)"
done
cat said
status 2 'no such module' "$gait" contexts --module nowhere plain
says nowhere
status 2 'no such function' "$gait" contexts --function nobody plain
says nobody

# What the program is made of is what contexts show: its recursion folded, its inlined functions by name.
"$gait" contexts --min 0 plain >tree
for what in 'main' 'fib \[recursive\]' 'even \[recursive\]' 'sorted' 'compare' 'stir_often \[inlined\]'; do
    grep -q "$what" tree || { bad "no $what in the contexts"; cat tree; }
done
"$gait" contexts --top-down --function fib plain | grep -q 'sorted' && bad 'sorted is not called by fib'
"$gait" contexts --bottom-up --function compare plain | grep -q 'compare .*< .*\|main' || bad 'nobody calls compare'
finish
