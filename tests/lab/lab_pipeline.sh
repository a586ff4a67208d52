#!/bin/bash
# What is sampled of a modelled core against what the model did: claims of papers that must hold of loops, and of a command.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# table NAME HOLDS WORDS...: of its claims at least so many hold.
table() {
    local name=$1 least=$2 holds
    shift 2
    "$gait" lab "$name" "$@" >"$work/$name" 2>"$work/log" || { cat "$work/log"; fail "lab $name: status $?"; }
    holds=$(grep -c '^- .*: holds$' "$work/$name")
    [ "$holds" -ge "$least" ] || { cat "$work/$name"; fail "lab $name: $holds claims hold, not $least"; }
}
table pipeline-2 3
table pipeline-7 3
table counters-1 3
table counters-2 3
seq 1 20000 >"$work/text"
table pipeline-time 2 --steps 2000000 -- gzip -c "$work/text"
awk '/retires  / { next_ = $4 + 0 } /dispatch  / { tagged = $4 + 0 } END { exit !(next_ > 0 && 2 * next_ < tagged) }' "$work/pipeline-time" ||
    { cat "$work/pipeline-time"; fail 'who retires next is not told from who is dispatched'; }
table pipeline-slots 1 --core 21264 --steps 2000000 -- gzip -c "$work/text"
table pipeline-ipc 0 --core inorder --steps 1000000 -- gzip -c "$work/text"
# Two a cycle is all that it can do.
awk 'NR == 4 && ($3 > 2 || $3 <= 0 || $6 > 2.1) { exit 1 }' "$work/pipeline-ipc" || { cat "$work/pipeline-ipc"; fail 'more retire than can'; }
"$gait" lab pipeline-3 2>/dev/null && fail 'lab pipeline-3 of nothing'
"$gait" lab pipeline-3 --steps 1x -- true 2>/dev/null && fail '--steps 1x'
"$gait" lab pipeline-3 --core nosuch -- true 2>/dev/null && fail '--core nosuch'
true
