# What the tests on bench programs share. The caller stands in the top folder.

out=${GAIT_OUT:-o/rel}
gait=$(realpath -m "$out")/gait
# Prefixes are made of words: where the clone's path has spaces they go by a link.
case $gait in *[[:space:]]*)
    link=$(mktemp -d) && ln -s "${gait%/gait}" "$link/out" && gait=$link/out/gait ;;
esac
. bench/lib/debian.sh

skip() { echo "$*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }

[ -x "$gait" ] || fail "$gait is not built"

# need_command COMMAND PACKAGE: installed when it may be.
need_command() {
    command -v "$1" >/dev/null && return
    packages_install "$2" || skip "no $1, and its package $2 could not be installed"
}

need_programs() {
    bench/build "$@" || skip "these bench programs could not be built: $* (bench/build says why)"
}

# program_binary NAME: the file that bench/run-program runs.
program_binary() (
    bench=$PWD/bench
    . bench/lib/recipe.sh
    recipe_load "$1" && echo "$prefix/bin/$1"
)

# triggers: those the machine grants. A refused perf event is a fact of the machine, and said.
triggers() {
    local at
    echo cputime
    at=$(mktemp -d)
    "$gait" record -q --trigger perf -o "$at/data" -- true
    if "$gait" info --json "$at/data" | grep -q '"trigger": *\["perf"\]'; then echo perf
    else echo "note: --trigger perf is refused here and not tested" >&2; fi
    rm -rf "$at"
}
