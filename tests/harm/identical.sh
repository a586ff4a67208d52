#!/bin/bash
# Takes long
# identical.sh [NAME...]: a recorded program does what it does alone: it prints the same to stdout and stderr and ends
# with the same status. tests/truth/lib/commands/*.sh list the commands.
#   (default)      the quick ones, each in one sampled and one exact mode that change from command to command
#   GAIT_LONG=1    all of them with every trigger, --exact=counts and one more exact mode; parts of the test suites of
#                  bench programs; bench programs for 5 s. `make deps-long` installs what they need.
#   GAIT_MODES=    these modes instead (tests/truth/lib/modes.sh); "all" is every mode
#   GAIT_JOBS=     this many commands at once
#   GAIT_SHOW=1    print what each does natively; with GAIT_MODES=native only whether it is steady
# With names only those commands, in every mode.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/modes.sh
. tests/truth/lib/sources.sh
. tests/truth/lib/bench-suites.sh
programs='lua bzip2 gzip' size=tiny
[ -z "$GAIT_LONG" ] || { programs=$(ls bench/programs) size=medium; }
only=" $* "
[ $# = 0 ] || { programs='' GAIT_LONG=1 GAIT_MODES=${GAIT_MODES:-all}; }
jobs=${GAIT_JOBS:-1} limit=100
[ -z "$GAIT_LONG" ] || { jobs=${GAIT_JOBS:-$(nproc)} limit=600; }

top=$PWD work=$(mktemp -d) absent='' required='' folder=$work/files
trap 'rm -rf "$work"' EXIT
triggers=$(triggers)

# modes_of N: the modes of the Nth command.
modes_of() {
    case ${GAIT_MODES:-${GAIT_LONG:+long}} in
    all) echo $triggers fast $modes_exact ;;
    long) echo $triggers counts "$(rotate "$1" paths contexts trace)" ;;
    '') rotate "$1" $triggers fast; rotate "$1" counts paths counts contexts counts trace ;;
    *) echo "$GAIT_MODES" ;;
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

# attempt_HOW AT MODE NAME...: one run, whose outputs go to files AT/MODE.*.
attempt_program() {
    GAIT_PREFIX=$(mode_prefix "$2" "$1/data") timeout 200 bench/run-program "$3" "$size" measure "$1/$2.stdout" 2>"$1/$2.stderr" </dev/null
    echo "exit $?" >"$1/$2.status"
}
attempt_command() {
    local at=$1 mode=$2
    shift 3
    rm -rf "$at/cwd" && cp -a "$from" "$at/cwd" && cd "$at/cwd" || exit 1
    status_of "$at/$mode.status" timeout -s KILL "$limit" $(mode_prefix "$mode" "$at/data") "$@" >"$at/$mode.stdout" 2>"$at/$mode.stderr" <"$work/files/text"
    cd "$top" || exit 1
}

# Threads that are not walked must at least be counted as such.
recorded_something() { "$gait" info --json "$1" | grep -qE '"(instructions|thread_native)": *[1-9]'; }

# differences AT MODE HOW NAME: what differs from the first native run, as words.
differences() {
    local part
    for part in status stdout stderr; do
        cmp -s "$1/first.$part" "$1/$2.$part" || echo "$part"
    done
    [ "$2" != native ] || return
    # A run that was not recorded at all would be identical, too; short ones may see no sample, and exact runs
    # of programs without a loader see nothing.
    case "$3 $2 $4" in
    "command cputime "* | "command perf "* | "command fast "* | *' go'* | *' busybox'* | *-static) ;;
    *) recorded_something "$1/data" || echo nothing-recorded ;;
    esac
    "$gait" verify "$1/data" >"$1/verify" 2>&1 || echo verify
}

# report AT MODE NAME WRONG: what a failure looked like.
report() {
    local part
    echo "$3, $2: not identical: $4"
    echo "    native: $(cat "$1/first.status"), $2: $(cat "$1/$2.status"); repeat: GAIT_MODES=$2 tests/harm/identical.sh $3"
    case $4 in *verify*) tail -n 3 "$1/verify" | sed 's/^/    verify: /' ;; esac
    for part in stderr stdout; do
        diff <(head -c 4000 "$1/first.$part" | cat -v) <(head -c 4000 "$1/$2.$part" | cat -v) | head -n 6 | cut -c1-150 | sed "s/^/    $part: /"
    done
}

# A command that differs from itself proves nothing.
steady() {
    local wrong
    attempt_command "$1" native "${@:2}"
    wrong=$(differences "$1" native command "$2" | xargs)
    [ -z "$wrong" ] || echo "$2: differs natively from itself: $wrong"
}

# show AT NAME: what a command does natively, for whoever writes one.
show() { echo "== $2: $(cat "$1/first.status"), $(wc -c <"$1/first.stdout") bytes"; head -n 4 "$1/first.stdout" | cut -c1-150 | cat -v; head -n 3 "$1/first.stderr" | cut -c1-150 | sed 's/^/! /'; }

# compare N HOW NAME...: natively, then in each mode, with attempt_HOW. What it has to say goes to N.said, one word a
# comparison to N.done.
compare() {
    local at=$work/$1 how=$2 mode wrong start=$EPOCHREALTIME word part
    mkdir "$at"
    "attempt_$how" "$at" native "${@:3}"
    for part in status stdout stderr; do mv "$at/native.$part" "$at/first.$part"; done
    [ -z "$GAIT_SHOW" ] || show "$at" "$3"
    for mode in $(modes_of "$1"); do
        rm -f "$at"/data*
        "attempt_$how" "$at" "$mode" "${@:3}"
        wrong=$(differences "$at" "$mode" "$how" "$3" | xargs)
        word=same
        if [ -n "$wrong" ]; then
            word=known
            expected "$3" "$mode" || { word=differ; report "$at" "$mode" "$3" "$wrong"; }
        elif expected "$3" "$mode"; then echo "$3, $mode: does not differ, though it is known to"; fi
        echo "$word" >>"$work/$1.done"
    done >"$work/$1.said"
    ! [ -s "$work/$1.said" ] || [ "$how" = program ] || steady "$at" "${@:3}" >>"$work/$1.said"
    awk -v a="$start" -v b="$EPOCHREALTIME" -v n="$3" 'BEGIN { printf "%.1f %s\n", b - a, n }' >"$work/$1.time"
    cat "$work/$1.said"
    rm -rf "$at"
}

# What the lists of commands say:
#   with PROGRAM...         programs that the commands from here on need besides their first word
#   quick NAME COMMAND...   in every run
#   slow  NAME COMMAND...   with GAIT_LONG=1
with() { required=$*; }
names=() lines=() folders=()
quick() {
    local program
    case $only in '  ' | *" $1 "*) ;; *) return ;; esac
    for program in $required "${2/#.\//$folder/}"; do
        command -v "$program" >/dev/null || { absent="$absent $1"; return; }
    done
    names+=("$1") lines+=("$(printf '%q ' "${@:2}")") folders+=("$folder")
}
slow() { [ -z "$GAIT_LONG" ] || quick "$@"; }

run_all() {
    local n=0 name
    for n in "${!names[@]}"; do
        while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n; done
        from=${folders[n]} && eval "compare $n command ${names[n]} ${lines[n]}" &
    done
    wait
    n=${#names[@]}
    for name in $programs; do ! suite_built "$name" || compare $((n++)) program "$name"; done
}

mkdir "$work/files"
seq 1 30000 | awk '{ print $1 * 7919 % 30011, "word" $1 % 97, $1 * $1 % 1009 }' >"$work/files/text"
mkdir -p "$work/files/tree/a/b" "$work/files/tree/c"
for i in 1 2 3 4 5 6 7 8; do head -n $((i * 100)) "$work/files/text" >"$work/files/tree/a/b/f$i"; ln -s ../text "$work/files/tree/c/l$i"; done
prepare_sources "$work/files" ${GAIT_LONG:+all}
find "$work/files" -exec touch -h -d @1000000000 {} +

python=/usr/bin/python3
for list in tests/truth/lib/commands/*.sh; do required='' && . "$list"; done
# Their programs take minutes to build: not for names that are found above.
[ -z "$GAIT_LONG" ] || { [ $# -gt 0 ] && [ "${#names[@]}" = $# ]; } || commands_suites
twice=$(printf '%s\n' "${names[@]}" | sort | uniq -d | xargs)
[ -z "$twice" ] || fail "two commands have the same name: $twice"
run_all
[ -z "$absent" ] || echo "not installed here, not tested (make deps-long):$absent"
count() { cat "$work"/*.done | grep -c "^$1$"; }
unsteady=$(cat "$work"/*.said | grep -c 'differs natively from itself')
echo "slowest: $(sort -rn "$work"/*.time | head -n 5 | awk '{ printf "%s%s %s s", n++ ? ", " : "", $2, $1 }')"
echo "${#names[@]} commands, $(cat "$work"/*.done | wc -l) comparisons (modes: ${GAIT_MODES:-${GAIT_LONG:+long}}): $(count differ) not identical, $unsteady unsteady, $(count known) more are known not to be"
[ "$(count differ)$unsteady" = 00 ]
