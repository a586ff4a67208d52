# What bench/build and bench/run-program know about a recipe (bench/programs/NAME).
#
# A recipe sets
#   source    Debian source package to unpack, or nothing
#   suite     another release of Debian to take the source from, if that of the machine has lost it
#   debs      Debian binary packages unpacked privately, not installed (no service is started)
#   needs     what building needs, as COMMAND:PACKAGE or /FILE:PACKAGE
#   inputs    generators of bench/inputs whose output it reads
#   sizes     repetitions for tiny (0.1 s), small (1 s), medium (5 s), large (12 s and more of CPU)
# and defines build(), train() and measure(). A build is known by its text: two recipes with the
# same source, debs, flags and build() share one.

cache=${GAIT_CACHE:-$HOME/.cache/gait}/bench
# Relocations are kept (-q) for tools that rewrite binaries. BENCH_FLAGS makes other builds beside them, BENCH_SUITE builds of what
# another release of Debian has.
export CFLAGS="-O2 -g${BENCH_FLAGS:+ $BENCH_FLAGS}" LDFLAGS='-Wl,-q'
export CXXFLAGS=$CFLAGS

recipe_names() { ls "$bench/programs"; }

recipe_load() {
    name=$1 source='' suite='' debs='' needs='' inputs='' sizes='1 10 50 120'
    [ -r "$bench/programs/$name" ] || { echo "bench: no program '$name' (there are: $(recipe_names | xargs))" >&2; return 2; }
    . "$bench/programs/$name"
    build_key=$({ echo "$source${BENCH_SUITE:+@$BENCH_SUITE} $debs $CFLAGS $LDFLAGS"; declare -f build; } | sha256sum | cut -c1-12)
    prefix=$cache/programs/${source:-$name}-$build_key
}

# input_folder GENERATOR: where its output lives; known by the generator's text.
input_folder() {
    echo "$cache/inputs/$1-$(cat "$bench/inputs/words.py" "$bench/inputs/$1.py" | sha256sum | cut -c1-12)"
}

recipe_ready() {
    local generator
    [ -e "$prefix/done" ] || return 1
    for generator in $inputs; do [ -e "$(input_folder "$generator")/done" ] || return 1; done
}

# times SIZE: repetitions of that size; a number stands for itself.
recipe_times() {
    local all
    read -ra all <<<"$sizes"
    case $1 in
    tiny) echo "${all[0]}" ;;
    small) echo "${all[1]}" ;;
    medium) echo "${all[2]}" ;;
    large) echo "${all[3]}" ;;
    *[!0-9]* | '') echo "bench: size '$1' is none of tiny, small, medium, large or a number" >&2; return 2 ;;
    *) echo "$1" ;;
    esac
}

# files N FOLDER: N files of the folder, from the first again when it has fewer.
files() {
    local all=("$2"/*) i
    for ((i = 0; i < $1; i++)); do echo "${all[i % ${#all[@]}]}"; done
}

# again N WORD: the word N times.
again() {
    local i
    for ((i = 0; i < $1; i++)); do echo "$2"; done
}
