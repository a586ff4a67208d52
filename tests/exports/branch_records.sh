#!/bin/bash
# Branch records of hardware (perf record -b): from the same file gait and llvm-profgen make the same profile for clang, to
# the byte, of a real machine's records and of those that single steps of a program give; AutoFDO gets the same straight runs
# as it finds itself, and makes the same of them; and gait counts each branch as often as it is in the records. The same of
# what perf script prints of them, and of records that are damaged.
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
    "$gait" import -q --binary "$3" -o "$work/text" - < <(cat "$work/script") || fail "$1: import of what perf script printed: status $?"
    "$gait" export --raw --format llvm --module "${3##*/}" -o "$work/printed" "$work/text" || fail "$1: export: status $?"
    cmp "$work/ours" "$work/printed" || fail "$1: what perf script printed is read otherwise than perf.data"
    echo "$1: $(wc -l <"$work/ours") lines as llvm-profgen has them, from perf.data and as perf script printed it"
}

# runs NAME FILE BINARY: of the profile of the last `same`. perf script does not say which file an address is in, so the
# runs are those whose ends lie in the mapped code.
runs() {
    "$gait" merge -q -o "$work/merged" "$work/data" "$work/data" || fail "$1: merge: status $?"
    "$gait" export --raw --format autofdo-text --module "${3##*/}" -o "$work/twice" "$work/merged" || fail "$1: export: status $?"
    "$gait" export --raw --format autofdo-text --module "${3##*/}" -o "$work/runs" "$work/data" || fail "$1: export: status $?"
    perf script -i "$2" -F brstack 2>/dev/null >"$work/records"
    perf script -i "$2" --show-mmap-events 2>/dev/null | grep "PERF_RECORD_MMAP.* x .*/${3##*/}\$" >"$work/maps"
    /usr/bin/python3 - "$work" <<'CHECK' || fail "$1: these are not the straight runs of the records"
import collections, re, sys
work = sys.argv[1]
start, size, offset = (int(n, 0) for n in re.search(r"\[(0x\w+)\((0x\w+)\) @ (\w+)\]", open(f"{work}/maps").read()).groups())
wanted = collections.Counter()
for line in open(f"{work}/records"):
    last = None
    for record in line.split():
        source, target = (int(part, 16) for part in record.split("/")[:2])
        if last is not None and start <= target <= last < start + size:
            wanted[target - start + offset, last - start + offset] += 1
        last = source
for name, times in ("runs", 1), ("twice", 2):
    lines = open(f"{work}/{name}").read().split("\n")
    found = {tuple(int(part, 16) for part in re.split("[-:]", line)[:2]): int(line.split(":")[1]) for line in lines[1:int(lines[0]) + 1]}
    if found != {run: n * times for run, n in wanted.items()}:
        print(name, len(found), len(wanted), sorted(set(found.items()) ^ set(wanted.items()))[:10])
        sys.exit(1)
print(f"{len(wanted)} straight runs as in the records")
CHECK
}

# autofdo NAME FILE BINARY: all code of the file must be mapped in it, or AutoFDO leaves samples out.
autofdo() {
    command -v create_llvm_prof >/dev/null || { echo 'no create_llvm_prof (autofdo): not compared with it'; return; }
    create_llvm_prof --binary="$3" --profile="$2" --out="$work/theirs" --format=text >"$work/log" 2>&1 || { cat "$work/log"; fail "$1: create_llvm_prof"; }
    create_llvm_prof --binary="$3" --profile="$work/runs" --profiler=text --out="$work/ours" --format=text >"$work/log" 2>&1 || { cat "$work/log"; fail "$1: create_llvm_prof"; }
    # Debian's writes freed memory where names of inlined functions should be.
    for side in ours theirs; do LC_ALL=C sed -E 's/^( *[0-9.]+: )[^ ].*:([0-9]+)$/\1NAME:\2/' "$work/$side" >"$work/$side.names"; done
    [ -s "$work/theirs" ] || fail "$1: AutoFDO makes nothing of it"
    diff -a "$work/ours.names" "$work/theirs.names" >"$work/diff" || { head -n 20 "$work/diff"; fail "$1: AutoFDO makes something else"; }
    echo "$1: $(wc -l <"$work/theirs") lines as AutoFDO has them"
}

# Older perf fills build-ids up with zeros and does not say how long they are: of one that ends in them that is not known.
"$llvm/clang" -O2 -gline-tables-only -fdebug-info-for-profiling -Wl,--build-id=0x5ca1ab1e0ddba100 -o "$work/program" tests/truth/lib/export/{one,two}.c || fail "clang: status $?"
samples=$(/usr/bin/python3 tests/truth/lib/hardware/branches.py "$work/program" "$work/perf.data" "$work/counts") || fail 'single steps'
same "$samples samples by single steps" "$work/perf.data" "$work/program"
runs "$samples samples by single steps" "$work/perf.data" "$work/program"

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

# odd NAME PROGRAM SEED: records that cannot have happened are no excuse.
odd() {
    /usr/bin/python3 tests/truth/lib/hardware/odd_branches.py "$2" "$work/odd" "$3" || fail "$1: odd_branches.py"
    "$gait" import -q --binary "$2" -o "$work/data" "$work/odd" || fail "$1: import: status $?"
    "$gait" export --raw --format llvm --module "${2##*/}" -o "$work/ours" "$work/data" || fail "$1: export: status $?"
    "$llvm/llvm-profgen" --perfscript="$work/odd" --binary="$2" --format=text --output="$work/theirs" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "$1: llvm-profgen: status $?"; }
    diff "$work/ours" "$work/theirs" >"$work/diff" || { head -n 20 "$work/diff"; fail "$1: llvm-profgen makes something else"; }
    "$gait" export --raw --format llvm-raw --module "${2##*/}" -o "$work/ours.raw" "$work/data" || fail "$1: export: status $?"
    "$llvm/llvm-profgen" --perfscript="$work/odd" --binary="$2" --skip-symbolization --use-offset=0 --output="$work/theirs.raw" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "$1: llvm-profgen: status $?"; }
    # What comes from elsewhere comes from 1 there, which may be code to others.
    diff <(sed 's/^f\{16\}->/1->/' "$work/ours.raw" | sort) <(sort "$work/theirs.raw") >"$work/diff" ||
        { head -n 20 "$work/diff"; fail "$1: other runs or branches than llvm-profgen's"; }
    /usr/bin/python3 tests/truth/lib/hardware/split_processes.py "$work/odd" "$work/processes" || fail "$1: split_processes.py"
    "$gait" import -q --binary "$2" -o "$work/split" "$work/processes" || fail "$1: import of three processes: status $?"
    "$gait" export --raw --format llvm --module "${2##*/}" -o "$work/ours.split" "$work/split" || fail "$1: export: status $?"
    diff "$work/ours" "$work/ours.split" >"$work/diff" || { head -n 20 "$work/diff"; fail "$1: three processes make something else"; }
    "$gait" info "$work/data" | grep -q branch_broken || fail "$1: does not say what contradicts the code"
    echo "$1: $(wc -l <"$work/ours") lines and $(wc -l <"$work/ours.raw") counts as llvm-profgen has them"
}
for kind in '' -no-pie -fpseudo-probe-for-profiling '-mllvm -enable-fs-discriminator'; do
    "$llvm/clang" -O2 -gline-tables-only -fdebug-info-for-profiling $kind -o "$work/program" tests/truth/lib/export/{one,two}.c || fail "clang: status $?"
    odd "odd records${kind:+, $kind}" "$work/program" 1
done
"$llvm/clang++" -O2 -gline-tables-only -fdebug-info-for-profiling -pthread -o "$work/exceptions" tests/programs/exceptions.cc || fail "clang++: status $?"
odd 'odd records of C++' "$work/exceptions" 2
# Its debug information calls some functions by names with spaces.
g++ -O2 -g -pthread -o "$work/gcc" tests/programs/exceptions.cc || fail "g++: status $?"
odd 'odd records of C++ by gcc' "$work/gcc" 3

fixture=../shared/fixtures/lbr
if [ -r $fixture/test.lbr ]; then
    same 'LBR of a real machine' $fixture/test.lbr "$(realpath $fixture/test.binary)"
    runs 'LBR of a real machine' $fixture/test.lbr "$(realpath $fixture/test.binary)"
    autofdo 'LBR of a real machine' $fixture/test.lbr "$(realpath $fixture/test.binary)"
    grep -qx 4e80-4e8e:1134 "$work/runs" && [ "$(head -n 1 "$work/runs")" = 357 ] || fail 'AutoFDO has 357 runs, and 1134 of 4e80-4e8e'
else
    echo "SKIPPED: a real machine's records: there is no $fixture"
fi
