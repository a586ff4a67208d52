# The ways to record a program that tests compare with a native run. $gait is the tool.
#   native           not recorded
#   cputime, perf    sampled at 20 % with that trigger
#   fast             sampled 2,000 times a second
#   counts, paths, contexts, trace   exact

modes_exact='counts paths contexts trace'

# Reading the debug information of libc takes 0.12 s after each exact run. What is kept of the files that ran is for
# other tests: here only with GAIT_LONG.
unnamed=--no-names
[ -z "$GAIT_LONG" ] || unnamed=

# mode_options MODE: the options of gait record.
mode_options() {
    case $1 in
    cputime | perf) echo "--overhead 20% --trigger $1" ;;
    fast) echo "-F 2000" ;;
    *) echo "--exact=$1" ;;
    esac
}

# mode_prefix MODE FILE: the words that go before the program; none for native.
mode_prefix() {
    [ "$1" = native ] || echo "$gait record -q $unnamed $(mode_options "$1") -o $2 --"
}

# rotate N WORD...: the word whose turn it is the Nth time.
rotate() {
    local n=$1
    shift
    echo "${@:n % $# + 1:1}"
}
