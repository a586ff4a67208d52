#!/bin/bash
# Stacks of goroutines begin by hand, and a goroutine that is preempted continues in a function that nobody called: profiles of
# Go programs verify all the same.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v go >/dev/null || skip 'no Go compiler here'
GOCACHE=$work/cache go build -o "$work/hello" tests/truth/lib/sources/hello.go || skip 'the Go program could not be built'
for what in compute preempts preempts routines; do
    status 0 "$what" "$gait" record -q -F 3000 -o "$work/data" -- "$work/hello" "$what"
    readable "$work/data"
done
finish
