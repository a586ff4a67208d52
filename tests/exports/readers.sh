#!/bin/bash
# Readers of other makers find in our exports what the profile holds: protoc with pprof's own definition of its format,
# and the importers of the released speedscope, which also reads collapsed stacks, pprof's and callgrind's files. Of exact, sampled
# and plain recordings.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command protoc protobuf-compiler
need_programs lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cache=${GAIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gait}/readers
proto=$cache/usr/share/gocode/src/github.com/google/pprof/proto/profile.proto
[ -e "$proto" ] || debs_unpack "$cache" golang-github-google-pprof-dev >/dev/null 2>&1 ||
    skip 'no profile.proto: the package golang-github-google-pprof-dev could not be fetched'
bundle() { ls "$cache"/package/dist/release/speedscope-*.js 2>/dev/null; }
if ! command -v node >/dev/null; then
    echo 'note: no node: speedscope is not asked'
elif [ -z "$(bundle)" ]; then
    (cd "$cache" && npm pack --silent speedscope@1.25.0 >/dev/null 2>&1 && tar xzf speedscope-1.25.0.tgz) ||
        echo 'note: speedscope could not be fetched with npm: it is not asked'
fi

# ask MODE TOTAL stacks|flat
ask() {
    local format
    for format in collapsed pprof callgrind speedscope; do
        "$gait" export --format "$format" -o "$work/$format" "$work/data" || fail "$1: export $format: status $?"
        "$gait" export --format "$format" "$work/data" | cmp - "$work/$format" || fail "$1: $format: not the same twice"
    done
    zcat "$work/pprof" | protoc -I"$(dirname "$proto")" --decode=perftools.profiles.Profile profile.proto >"$work/pprof.txt" ||
        fail "$1: protoc: status $?"
    if [ "$1" = sampled ] && [ -z "$GAIT_LONG" ]; then # flat as exact ones, and node takes a second
        rm -f "$work/seen.json"
    elif [ -n "$(bundle)" ]; then
        node tests/truth/lib/speedscope.js "$(bundle)" "$work"/{collapsed,pprof,callgrind,speedscope} >"$work/seen.json" ||
            fail "$1: speedscope"
    fi
    printf '%s: ' "$1"
    tests/truth/lib/export_readers.py "$work" "$2" "$3" || fail "$1"
}

number() { "$gait" info --json "$work/data" | sed -nE "s/.*\"$1\": *([0-9.]+).*/\1/p" | head -n 1; }
GAIT_PREFIX="$gait record -q --exact=counts -o $work/data --" bench/run-program lua tiny measure "$work/out" || fail "exact: status $?"
ask exact "$(number instructions)" flat
GAIT_PREFIX="$gait record -q -F 4000 -o $work/data --" bench/run-program lua 3 measure "$work/out" || fail "sampled: status $?"
ask sampled - flat
GAIT_PREFIX="$gait record -q --plain -F 4000 -o $work/data --" bench/run-program lua 3 measure "$work/out" || fail "plain: status $?"
ask plain - stacks
