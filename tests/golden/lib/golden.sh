# What the golden tests share: a folder of their own, in which they then stand, and ways to say what was expected.
# Sourced by tests that were started in the top folder; they end with: exit $bad

top=$PWD
gait=$(cd "${GAIT_OUT:-o/rel}" && pwd)/gait || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

fail() { echo "${0##*/}: $1" >&2; bad=1; }
# expect STATUS COMMAND...: runs it, output to out and err.
expect() {
    want=$1; shift
    "$@" >out 2>err
    got=$?
    [ "$got" = "$want" ] || fail "$*: status $got instead of $want: $(cat err)"
}
# has TEXT, fits REGEX: the last output does.
has() { grep -qF -- "$1" out || { fail "no '$1' in:"; head -n 40 out >&2; }; }
fits() { grep -qE -- "$1" out || { fail "nothing fits '$1' in:"; head -n 40 out >&2; }; }
# same WANT GOT WHAT: the files are.
same() { diff -u "$1" "$2" >&2 || fail "$3"; }
