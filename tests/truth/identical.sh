#!/bin/bash
# identical.sh [NAME...]: a recorded program does what it does alone: the same stdout, stderr and exit status
# natively, sampled at 20 % with each trigger, and exact. Real programs, and commands with odd habits.
# tests/truth/lib/commands.sh lists the commands. GAIT_LONG=1: all of them, test suites of bench programs, and
# bench programs for 5 s. With names only those commands.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/commands.sh
. tests/truth/lib/sources.sh
. tests/truth/lib/suites.sh
if [ -n "$GAIT_LONG" ]; then programs=$(ls bench/programs) size=medium
else programs='lua bzip2 gzip python3 git' size=small; fi
only=" $* "
[ $# = 0 ] || programs=''
[ -z "$programs" ] || need_programs $programs

top=$PWD work=$(mktemp -d) failures=0 compared=0 commands=0 known=0 absent=''
trap 'rm -rf "$work"' EXIT
modes="$(triggers | xargs) exact"

prefix_of() {
    case $1 in
    native) ;;
    exact) echo "$gait record -q --exact=counts -o $work/data --" ;;
    *) echo "$gait record -q --overhead 20% --trigger $1 -o $work/data --" ;;
    esac
}

# Known to differ, each with the reason: "COMMAND MODE|any reason". Must become empty.
expected() {
    grep -Eq "^$1 (any|$2) " <<'LIST'
LIST
}

# status_of FILE COMMAND...: writes how it ended, telling a signal from an exit status of 128 and more.
status_of() {
    perl -e '$f = shift; system { $ARGV[0] } @ARGV; $s = $?; open F, ">", $f; printf F "exit %d signal %d\n", $s >> 8, $s & 127' "$@"
}

attempt_program() {
    GAIT_PREFIX=$(prefix_of "$1") timeout 200 bench/run-program "$2" "$size" measure "$work/$1.stdout" 2>"$work/$1.stderr" </dev/null
    echo "exit $?" >"$work/$1.status"
}

attempt_command() {
    local mode=$1
    shift 2
    rm -rf "$work/cwd" && cp -r "$work/files" "$work/cwd" && cd "$work/cwd" || exit 1
    status_of "$work/$mode.status" timeout -s KILL 150 $(prefix_of "$mode") "$@" >"$work/$mode.stdout" 2>"$work/$mode.stderr" <text
    cd "$top" || exit 1
}

# Threads that are not walked must at least be counted as such.
recorded_something() { "$gait" info --json "$work/data" | grep -qE '"(instructions|thread_native)": *[1-9]'; }

# compare HOW NAME...: runs natively, then in each mode, with attempt_HOW.
compare() {
    local mode part wrong
    "attempt_$1" native "${@:2}"
    for mode in $modes; do
        rm -f "$work/data" "$work/data.old"
        "attempt_$1" "$mode" "${@:2}"
        wrong=''
        for part in status stdout stderr; do
            cmp -s "$work/native.$part" "$work/$mode.$part" || wrong="$wrong $part"
        done
        # A run that was not recorded at all would be identical, too; short ones may see no sample, and exact runs
        # of programs without a loader see nothing.
        case "$1 $mode $2" in "command cputime "* | "command perf "* | *' go'* | *' busybox'*) ;; *) recorded_something || wrong="$wrong nothing-recorded" ;; esac
        "$gait" verify "$work/data" >"$work/verify" 2>&1 || wrong="$wrong verify"
        compared=$((compared + 1))
        if [ -z "$wrong" ]; then
            ! expected "$2" "$mode" || echo "$2, $mode: does not differ, though it is known to"
            continue
        fi
        ! expected "$2" "$mode" || { known=$((known + 1)); continue; }
        failures=$((failures + 1))
        echo "$2, $mode: not identical:$wrong"
        echo "    native: $(cat "$work/native.status"), $mode: $(cat "$work/$mode.status"); prefix: $(prefix_of "$mode")"
        case $wrong in *verify*) tail -n 3 "$work/verify" | sed 's/^/    verify: /' ;; esac
        diff <(head -c 4000 "$work/native.stderr") <(head -c 4000 "$work/$mode.stderr") | head -n 6 | sed 's/^/    stderr: /'
        diff <(head -c 4000 "$work/native.stdout" | cat -v) <(head -c 4000 "$work/$mode.stdout" | cat -v) | head -n 6 | cut -c1-150 | sed 's/^/    stdout: /'
    done
}

# A command that differs from itself proves nothing.
steady() {
    local part
    for part in status stdout stderr; do cp "$work/native.$part" "$work/first.$part"; done
    attempt_command native "$@"
    for part in status stdout stderr; do
        cmp -s "$work/native.$part" "$work/first.$part" || { echo "$1: differs natively from itself: $part"; failures=$((failures + 1)); return; }
    done
}

quick() {
    case $only in '  ' | *" $1 "*) ;; *) return ;; esac
    command -v "${2/#.\//$work/files/}" >/dev/null || { absent="$absent $1"; return; }
    local before=$failures
    compare command "$@"
    commands=$((commands + 1))
    [ "$failures" = "$before" ] || steady "$@"
}
slow() { [ -z "$GAIT_LONG" ] || quick "$@"; }

mkdir "$work/files"
seq 1 30000 | awk '{ print $1 * 7919 % 30011, "word" $1 % 97, $1 * $1 % 1009 }' >"$work/files/text"
mkdir -p "$work/files/tree/a/b" "$work/files/tree/c"
for i in 1 2 3 4 5 6 7 8; do head -n $((i * 100)) "$work/files/text" >"$work/files/tree/a/b/f$i"; ln -s ../text "$work/files/tree/c/l$i"; done
prepare_sources "$work/files" ${GAIT_LONG:+all}
find "$work/files" -exec touch -h -d @1000000000 {} +

commands_all
[ -z "$GAIT_LONG" ] || commands_suites
for name in $programs; do compare program "$name"; done
[ -z "$absent" ] || echo "not installed here, not tested:$absent"
echo "$commands commands, $compared comparisons in modes: $modes; $failures not identical, $known more are known not to be"
[ "$failures" = 0 ]
