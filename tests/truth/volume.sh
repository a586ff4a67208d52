#!/bin/bash
# Superblocks against superblocks of one instruction, which tests/truth/steps.sh holds to the processor: the same
# output, the same status, and every instruction counted as often. GAIT_LONG=1: more than 10^9 instructions.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel} top=$PWD
case $out in /*) ;; *) out=$top/$out ;; esac
gait=$out/gait work=$(mktemp -d) failures=0 total=0
trap 'rm -rf "$work"' EXIT
if [ -n "$GAIT_LONG" ]; then lines=40000; else lines=2000; fi

# volume COMMAND...: fixed addresses and seeds, so that two runs are one.
volume() {
    local how
    command -v "$1" >/dev/null || { echo "$1: not here"; return; }
    for how in counts single; do
        PYTHONHASHSEED=0 PERL_HASH_SEED=0 setarch -R "$gait" record -q --exact=$how -o $how.data -- "$@" >$how.out 2>$how.err
        echo "status $?" >>$how.err
        "$gait" verify $how.data >verify 2>&1 || { echo "$1, $how: does not verify"; tail -n 4 verify; failures=$((failures + 1)); }
        "$gait" report --by instruction --json $how.data >$how.json || failures=$((failures + 1))
    done
    if ! cmp counts.out single.out || ! cmp counts.err single.err || ! python3 "$top/tests/truth/lib/volume.py" counts.json single.json >said; then
        failures=$((failures + 1))
        echo "differs: $*"
        cat said
        return
    fi
    read -r n addresses <said
    echo "${1##*/}: $n instructions at $addresses addresses"
    total=$((total + n))
}

cd "$work" || exit 1
seq 1 $lines | awk '{ print $1 * 7919 % 30011, "word" $1 % 97, $1 * $1 % 1009 }' >text
volume sort -k3,3n -k1,1 text
volume gzip -9c text
volume bzip2 -9c text
volume "$out/programs/branches"
volume "$out/programs/jumps"
if [ -n "$GAIT_LONG" ]; then
    # Not python3, whose table of the environment depends on numbers of processes in it.
    volume sha512sum text
    volume awk '{ n[$2] += $1 * $3 % 13; gsub(/o/, "0"); t = t substr($0, 1, 2) } END { for (k in n) print k, n[k]; print length(t) }' text
    volume perl -ne '@f = split; $h{$f[1]} .= chr(65 + $f[0] % 26); s/(.)\1/<$1>/g; END { print map { "$_ $h{$_}\n" } sort keys %h }' text
    volume xz -T1 -3c text
    volume sqlite3 :memory: "create table t(a, b); with recursive c(x) as (values(1) union all select x + 1 from c where x < $lines) insert into t select x * 7919 % 1009, hex(x) from c; create index i on t(a); select sum(a), max(b), count(distinct a) from t where a between 3 and 900;"
fi
echo "$total instructions, each counted alike; $failures failures"
[ "$failures" = 0 ] && { [ -z "$GAIT_LONG" ] || [ "$total" -gt 1000000000 ]; }
