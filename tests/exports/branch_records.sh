#!/bin/bash
# Branch records of hardware (perf record -b): from the same file gait and llvm-profgen make the same profile for clang, to
# the byte, of a real machine's records and of those that single steps of a program give; and gait counts each branch
# as often as it is in the records.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/llvm.sh
need_command perf linux-perf
need_command objdump binutils
need_llvm llvm-profgen llvm
need_llvm clang clang
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# same NAME FILE BINARY
same() {
    "$gait" import -q --binary "$3" -o "$work/data" "$2" || fail "$1: import: status $?"
    "$gait" verify "$work/data" >"$work/log" 2>&1 || { cat "$work/log"; fail "$1: does not verify"; }
    "$gait" export --raw --format llvm --module "${3##*/}" -o "$work/ours" "$work/data" || fail "$1: export: status $?"
    perf script -i "$2" -F ip,brstack --show-mmap-events 2>/dev/null | sed -E "s@ x \S*/?${3##*/}\$@ x $3@" >"$work/script"
    "$llvm/llvm-profgen" --perfscript="$work/script" --binary="$3" --format=text --output="$work/theirs" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "$1: llvm-profgen: status $?"; }
    diff "$work/ours" "$work/theirs" >"$work/diff" || { head -n 20 "$work/diff"; fail "$1: llvm-profgen makes something else"; }
    [ -s "$work/ours" ] || fail "$1: nothing in it"
    echo "$1: $(wc -l <"$work/ours") lines as llvm-profgen has them"
}

"$llvm/clang" -O2 -gline-tables-only -fdebug-info-for-profiling -o "$work/program" tests/truth/lib/export/{one,two}.c || fail "clang: status $?"
samples=$(/usr/bin/python3 tests/truth/lib/hardware/branches.py "$work/program" "$work/perf.data" "$work/counts") || fail 'single steps'
same "$samples samples by single steps" "$work/perf.data" "$work/program"

"$gait" report --json --raw --by edge --limit 100000 -i "$work/data" >"$work/edges" || fail "report: status $?"
"$gait" report --json --raw --by call --limit 100000 -i "$work/data" >"$work/calls" || fail "report: status $?"
/usr/bin/python3 - "$work" <<'CHECK' || fail 'branches do not have the counts of the records'
import json, sys
work, rows = sys.argv[1], {}
for name in "edges", "calls":
    for row in json.load(open(f"{work}/{name}"))["rows"]:
        rows[tuple(int(row[end].partition("+")[2] or "0", 16) for end in ("from", "to"))] = row["count"]
wrong, right = [], 0
for line in open(f"{work}/counts"):
    at, to, n = line.split()
    found = rows.get((int(at, 16), int(to, 16)))
    if found is None:
        continue
    if round(found) != int(n):
        wrong.append((at, to, n, found))
    right += round(found) == int(n)
print(f"{right} branches with the counts of the records")
print(*wrong[:10], sep="\n")
sys.exit(bool(wrong) or right < 20)
CHECK

fixture=../shared/fixtures/lbr
if [ -r $fixture/test.lbr ]; then
    same 'LBR of a real machine' $fixture/test.lbr "$(realpath $fixture/test.binary)"
else
    echo "SKIPPED: a real machine's records: there is no $fixture"
fi
