# What the tests of the command line share: a folder of their own, and ways to say what was expected.
# Sourced by tests that stand in the top folder.

built=$(cd "${GAIT_OUT:-o/rel}" && pwd) || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Tests make command lines of words: where the clone's path has spaces they go by a link.
out=$built
case $built in *[[:space:]]*) out=$(mktemp -d)/out && ln -s "$built" "$out" && trap 'rm -rf "$work" "${out%/out}"' EXIT ;; esac
gait=$out/gait
failures=0

[ -x "$gait" ] || { echo "FAILED: $gait is not built"; exit 1; }

skip() { echo "$*"; exit 77; }
bad() { echo "FAILED: $*"; failures=$((failures + 1)); }
finish() { profiles_verify; [ "$failures" = 0 ] && echo ok; exit $((failures > 0)); }
# Every profile that a test leaves behind holds together, unless it was damaged on purpose: damages=yes.
profiles_verify() {
    local file first LC_ALL=C
    [ -z "$damages" ] || return
    while read -rd '' file; do
        # No process for each: some tests leave hundreds of files. A zero byte ends it: -N would read on, 200 MB of them.
        { IFS= read -rd '' -n 5 first <"$file"; } 2>/dev/null
        [ "${first:1:4}" = gait ] && readable "$file"
    done < <(find "$work" -type f -readable ! -name '*.old' -print0)
}

# same WHAT EXPECTED GOT
same() { [ "$2" = "$3" ] || bad "$1: expected '$2', got '$3'"; }
# status EXPECTED WHAT COMMAND...: output goes to $work/stdout and $work/stderr.
status() {
    local expected=$1 what=$2
    shift 2
    "$@" >"$work/stdout" 2>"$work/stderr"
    local got=$?
    [ "$got" = "$expected" ] || { bad "$what: expected status $expected, got $got"; sed 's/^/    | /' "$work/stderr"; }
}
# says TEXT: the last status command said so on stderr.
says() { grep -qF -- "$1" "$work/stderr" || { bad "expected to be told '$1'"; sed 's/^/    | /' "$work/stderr"; }; }
silent() { [ ! -s "$work/stderr" ] || { bad "$1: expected silence"; sed 's/^/    | /' "$work/stderr"; }; }
# readable FILE: a profile that holds together.
readable() { "$gait" verify "$1" >"$work/verify" 2>&1 || { bad "$1 does not verify"; sed 's/^/    | /' "$work/verify"; }; }
# program NAME: a test program of ours, built.
program() { [ -x "$out/programs/$1" ] || make -s "${built#"$PWD"/}/programs/$1" >&2; echo "$out/programs/$1"; }
# thrice WHAT FUNCTION: the function holds in one of three tries: what others do to a machine's caches is not in all of them, what is wrong is.
thrice() {
    local i
    for i in 1 2 3; do
        "$2" && return
        echo "$1: not in try $i"
    done
    bad "$1"
}
# latencies_known JSON: gait latencies tells near from far. Where it does not, a program that times loads itself must not either, and the test ends.
latencies_known() {
    grep -q '"bins_told": false' "$1" || return 0
    local near far
    read -r near far < <("$(program latencies)" told)
    [ "$far" -gt "$((near + near / 16))" ] && { bad "near and far are not told apart; natively $near and $far ticks: $(grep -o '"bins_why": "[^"]*"' "$1")"; return; }
    skip "near and far loads take $near and $far ticks here: the machine is too busy to tell them apart"
}

modes='sampled exact'
# Where the kernel refuses samples, plain recordings are what tests/live/plain.sh says of them.
"$gait" record -e cpu-clock -q -o "$work/try" -- true 2>/dev/null && modes="$modes plain"
rm -f "$work/try"
# options_of MODE: how to record; rates high enough that short programs are hit.
options_of() { case $1 in sampled) echo '-F 2000' ;; exact) echo --exact=counts ;; plain) echo '--plain -F 2000' ;; esac; }
