#!/bin/bash
# The problem of gprof (gait lab paths-gprof): what is given to callers in proportion to calls, against measured contexts, of a program
# that knows both. Both callers call work(); one 99 times for one round each, the other once for 9,901 rounds.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cat >"$work/unequal.c" <<'END'
static volatile unsigned sink;
#define KEPT __attribute__((noinline, noclone))
KEPT void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink += i;
}
KEPT void often(void)
{
    for (int i = 0; i < 99; i++)
        work(1);
    sink++;
}
KEPT void seldom(void)
{
    work(9901);
    sink++;
}
/* These call each other: a circle, of which calls inside say nothing. */
KEPT void odd(unsigned n);
KEPT void even(unsigned n)
{
    work(100);
    if (n)
        odd(n - 1);
    sink++;
}
KEPT void odd(unsigned n)
{
    if (n)
        even(n - 1);
    sink++;
}
KEPT void equal(void)
{
    even(9);
    sink++;
}
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < (argc == 1 ? 100 : 2000); i++) { /* start-up is below a hundredth of the second */
        if (argc == 1) {
            often();
            seldom();
        } else
            equal();
    }
    return 0;
}
END
gcc -O1 -g -o "$work/unequal" "$work/unequal.c" || { bad 'the test program could not be built'; exit 1; }
"$gait" record -q --exact=trace+contexts -o "$work/unequal.data" -- "$work/unequal" || bad "record: status $?"
"$gait" record -q --exact=trace+contexts -o "$work/equal.data" -- "$work/unequal" equal || bad "record: status $?"
"$gait" lab --csv paths-gprof "$work/unequal.data" >"$work/csv" || bad "paths-gprof: status $?"
cat "$work/csv"
# of CALLER LOW HIGH COLUMN: what of work() is the caller's, of all instructions
of() {
    awk -F, -v caller="$1" -v low="$2" -v high="$3" -v column="$4" '
        $2 == caller && $3 == "work" { found = 1; value = $column + 0; exit !(value >= low && value <= high) }
        END { exit !found || !(value >= low && value <= high) }' "$work/csv" || bad "$1: column $4 is not $2 to $3"
}
# By calls 99 of 100 are often()'s, by rounds 99 of 10,000; what is not in work() is start-up and the two callers: less than a tenth.
of often 90 99 6
of often 0.5 5 7
of seldom 0.5 1 6
of seldom 90 99 7
# The worst of the rows is what the verdict says.
"$gait" lab paths-gprof "$work/unequal.data" >"$work/text" || bad "paths-gprof: status $?"
most=$(awk -F, 'NR > 1 { off = $6 - $7; if (off < 0) off = -off; if (off > most) most = off } END { printf "%.0f", most }' "$work/csv")
said=$(sed -n 's/.*misleads: holds: of [0-9]* calls .* at most by \([0-9.]*\)$/\1/p' "$work/text")
awk "BEGIN { exit !($most > 90 && $most - ${said:-0} < 1 && ${said:-0} - $most < 1) }" || bad "off by $most, said $said: $(cat "$work/text")"
# Where calls are alike, nothing misleads; the circle has one caller.
"$gait" lab paths-gprof "$work/equal.data" >"$work/text" || bad "paths-gprof: status $?"
grep -q 'misleads: does not hold' "$work/text" || bad "equal calls: $(cat "$work/text")"
"$gait" record -q --exact=contexts -o "$work/calls" -- "$work/unequal" || bad "record: status $?"
status 2 'no instructions' "$gait" lab paths-gprof "$work/calls"
finish
