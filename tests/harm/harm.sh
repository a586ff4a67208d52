#!/bin/bash
# harm.sh [NAME...]: programs that a profiler may harm (tests/truth/lib/harm.sh), natively and in every mode, many times
# each: they must print the same and end the same. A table at the end says for each program and mode how many runs
# differed, and how long a run took compared with a native one. Programs that are known to differ
# (tests/truth/lib/known.sh) are counted apart. Profiles that do not verify are counted, but are no
# failure here: tests/harm/programs.sh checks them. It takes long: only with GAIT_LONG=1 or `make check-harm`.
#   ROUNDS=N         runs a program and mode (1)
#   HARM_MODES=...   these modes only (tests/truth/lib/modes.sh)
#   HARM_SECONDS=N   starts nothing new after that many seconds, and says what was left
#   GAIT_JOBS=N      programs at once
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/modes.sh
. tests/truth/lib/sources.sh
. tests/truth/lib/harm.sh
. tests/truth/lib/known.sh
[ -n "$GAIT_LONG" ] || [ $# -gt 0 ] || skip 'harm.sh takes half an hour and more: GAIT_LONG=1 or make check-harm runs it'

only=" $* " rounds=${ROUNDS:-1} limit=60 times=100
work=$(mktemp -d) folder=$work/files kept=$(realpath "$out")/harm
trap 'rm -rf "$work"' EXIT
rm -rf "$kept" && mkdir -p "$kept" "$folder"
modes=${HARM_MODES:-$(triggers | xargs) fast $modes_exact}

names=() lines=() absent='' required=''
with() { required=$*; }
harm() {
    case $only in '  ' | *" $1 "*) ;; *) return ;; esac
    command -v "${2/#.\//$folder/}" >/dev/null || { absent="$absent $1"; return; }
    names+=("$1") lines+=("$(printf '%q ' "${@:2}")")
}

# run AT MODE COMMAND...: prints the milliseconds it took; what it printed and how it ended go to AT.
run() {
    local at=$1 mode=$2 start=${EPOCHREALTIME/./}
    shift 2
    rm -rf "$at" "$at.cwd" && mkdir "$at" && cp -rl "$folder" "$at.cwd"
    (cd "$at.cwd" && timeout -s KILL "$limit" $(mode_prefix "$mode" "$at.data") "$@" >"$at/stdout" 2>"$at/stderr" <text; echo "status $?" >"$at/status") 2>/dev/null
    rm -rf "$at.cwd"
    echo $(((${EPOCHREALTIME/./} - start) / 1000))
}

# report N MODE AT: keeps what a wrong run printed, and says how to repeat it.
report() {
    local name=${names[$1]} part
    [ -e "$kept/$name.$2" ] || cp -r "$3" "$kept/$name.$2"
    printf '%s\n' "$name, $2: differs: native $(cat "$work/$1.first/status"), $2 $(cat "$3/status")" \
        "    repeat: ROUNDS=20 HARM_MODES=$2 tests/harm/harm.sh $name    (gait record $(mode_options "$2") -- ${lines[$1]}); kept in $kept/$name.$2"
    for part in stderr stdout; do
        diff <(head -c 4000 "$work/$1.first/$part" | cat -v) <(head -c 4000 "$3/$part" | cat -v) | head -n 5 | cut -c1-150 | sed "s/^/    $part: /"
    done
}

# native N: what all runs of a program are compared with: two native ones in a row that were the same. On a busy machine a
# timer may come before the call that it is to end. And the seconds after which a run is late: there even a quick program
# may get little time, so not before it took `times` as long as natively.
native() {
    local at=$work/$1.reference first=$work/$1.first try ms
    eval "run $(printf '%q' "$first") native ${lines[$1]}" >/dev/null
    for try in 1 2 3 4; do
        ms=$(eval "run $(printf '%q' "$at") native ${lines[$1]}")
        diff -rq "$first" "$at" >/dev/null && break
        rm -rf "$first" && mv "$at" "$first"
    done
    rm -rf "$at"
    [ $((ms * times / 1000)) -le "$limit" ] || limit=$((ms * times / 1000))
}

# round N: one run in every mode. A line a run: name, mode, what came of it, milliseconds.
round() {
    local n=$1 mode at ms word
    for mode in native $modes; do
        at=$work/$n.$mode
        rm -f "$at.data"*
        ms=$(eval "run $(printf '%q' "$at") $mode ${lines[n]}")
        word=same
        if ! diff -rq "$work/$n.first" "$at" >/dev/null; then
            word=differs
            case $(cat "$at/status") in 'status 137') word=late ;; esac
            if [ "$mode" != native ] && known "${names[n]#p-}" "$mode" output; then
                word=known
            else
                report "$n" "$mode" "$at"
            fi
        elif [ "$mode" != native ] && ! "$gait" verify "$at.data" >"$at.verify" 2>&1; then
            word=unverified
            echo "${names[n]}, $mode: the profile does not verify: $(grep -m 1 ' x ' "$at.verify")"
        fi
        echo "${names[n]} $mode $word $ms" >>"$work/results"
        rm -rf "$at" "$at.data"*
    done
}

prepare_sources "$folder" all 2>/dev/null
seq 1 30000 | awk '{ print $1 * 7919 % 30011, "word" $1 % 97, $1 * $1 % 1009 }' >"$folder/text"
for list in signals reproducers go sanitizers jits others; do "harm_$list"; done
left=''
for n in "${!names[@]}"; do
    while [ "$(jobs -pr | wc -l)" -ge "${GAIT_JOBS:-$(nproc)}" ]; do wait -n; done
    [ "$SECONDS" -le "${HARM_SECONDS:-100000}" ] || { left="$left ${names[n]}"; continue; }
    { native "$n"; for ((i = 0; i < rounds; i++)); do round "$n"; done; } &
done
wait

# A cell: runs that differ of all runs, and the median time as a multiple of the native median.
awk -v modes="$modes" '
    { key = $1 " " $2; runs[key]++; time[key] = time[key] " " $4; if ($3 == "unverified") unverified++; else if ($3 == "known") known++; else if ($3 != "same") bad[key]++; if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 } }
    function median(text, v, k, i, j, t) { k = split(text, v, " "); for (i = 2; i <= k; i++) { t = v[i] + 0; for (j = i - 1; j > 0 && v[j] + 0 > t; j--) v[j + 1] = v[j]; v[j + 1] = t } return v[int((k + 1) / 2)] + 0 }
    END {
        k = split("native " modes, m, " ")
        printf "%-28s %14s", "differing/runs, time", "native"; for (j = 2; j <= k; j++) printf " %15s", m[j]; print ""
        for (i = 1; i <= n; i++) {
            base = median(time[order[i] " native"])
            printf "%-28s", order[i]
            for (j = 1; j <= k; j++) { key = order[i] " " m[j]; t = median(time[key]); cell = bad[key] + 0 "/" runs[key] + 0 " " (j == 1 ? sprintf("%.2fs", t / 1000) : sprintf("%.1fx", base ? t / base : 0)); printf " %*s", 14 + (j > 1), cell; all += runs[key]; wrong += bad[key] }
            print ""
        }
        print n " programs, " all " runs: " wrong + 0 " differ or end late, " known + 0 " more are known to (tests/truth/lib/known.sh), " unverified + 0 " left a profile that does not verify"
        exit wrong > 0
    }' "$work/results"
status=$?
[ -z "$absent" ] || echo "not installed here, not tested (make deps-long):$absent"
[ -z "$left" ] || { echo "not run within HARM_SECONDS:$left"; status=1; }
exit $status
