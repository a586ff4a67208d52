#!/bin/bash
# Takes long
# A damaged profile: every view reads what is whole and says what is not, or refuses naming file, place
# and reason; it never crashes and always ends. With GAIT_LONG every length and thousands of flips.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
damages=yes
cuts=12 flips=20
[ -z "$GAIT_LONG" ] || cuts=0 flips=1000
seed=${GAIT_SEED:-$$}
cd "$work" || exit 1
cat >small.c <<'C'
int main(int n, char **v) { unsigned s = 0; for (unsigned i = 0; i < 20000000; i++) s += i ^ (s >> 3); return (v[0][0] + s) == 1; }
C
gcc -O1 -g -o small small.c || skip 'no compiler'

# What a view may say. verify also says 1: damage is found; of a file that was only cut it is not.
may=0,2
# damage HOW COUNT VIEW...: PROFILE in the view stands for the damaged file.
damage() {
    /usr/bin/python3 "$OLDPWD/tests/live/lib/damage.py" "$1" "$2" "$seed" whole copy $may "$gait" "${@:3}" >said ||
        bad "$mode, $1, gait ${*:3}: $(cat said)"
    echo "$mode, $1, gait ${*:3}: $(tail -n 1 said)"
}

for mode in $modes; do
    "$gait" record $(options_of $mode) -q -o whole -- ./small
    # Something must be in it, or there is nothing to damage.
    "$gait" report --json whole | grep -q '"main"' || bad "$mode: main was not seen"
    damage cut $cuts report --json copy
    damage flip $flips report --by line copy
    damage flip $flips diff copy whole
    [ $mode != plain ] || damage patch $flips contexts --json copy
    damage patch $flips info copy
    may=0,1,2 damage patch $flips verify --json copy
    damage flip $flips merge -o sum copy whole
    # Only whole appends count, and nothing but the damaged end is lost: what is left still verifies.
    damage cut $cuts verify copy
done
# What the other recordings keep: numbers of paths, trees of calls, values.
mode=exact
"$gait" record --exact=paths+contexts -q -o whole -- ./small
damage cut $((cuts / 4)) paths --contexts --json copy
damage patch $((flips / 4)) paths --contexts --json copy
damage patch $((flips / 4)) contexts copy
mode=walk
"$gait" record --events edge,value --overhead 20% -q -o whole -- ./small
damage patch $((flips / 4)) values --json copy
"$gait" record $(options_of exact) -q -o whole -- ./small
# The message: file, offset, reason.
head -c -1 whole >copy
status 0 'one byte short' "$gait" info copy
says 'copy: cut short in the chunk at byte '
cp whole copy
at=$(($(wc -c <whole) - 30)) # in TOTALS, without which nothing counts
printf '\377' | dd of=copy bs=1 seek=$at conv=notrunc status=none
status 2 'nothing left, report' "$gait" report copy
says 'nothing is left that was counted'
status 1 'nothing left, verify' "$gait" verify copy
grep -q 'bytes of the file have changed' stdout || bad 'verify does not name the damage'
for at in $(seq 13 $(($(wc -c <whole) / 75)) $(wc -c <whole)); do # whichever byte: it is found
    cp whole copy
    printf "\\$(printf %03o $((($(od -An -tu1 -j$at -N1 whole) + 1) % 256)))" | dd of=copy bs=1 seek=$at conv=notrunc status=none
    "$gait" verify -q copy >/dev/null 2>&1 && bad "a change of byte $at goes unnoticed"
done
printf 'X' | dd of=copy bs=1 seek=40 conv=notrunc status=none
status 2 'a damaged header' "$gait" info copy
says 'copy: byte 12: the HEADER chunk is damaged'
finish
