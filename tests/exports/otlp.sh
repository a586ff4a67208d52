#!/bin/bash
# A decoder made from OpenTelemetry's profiles.proto finds in our export the stacks, threads and weights of the collapsed one.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh

for mode in $modes; do
    "$gait" record -q $(options_of "$mode") -o "$work/data" -- "$(program orders)" >/dev/null 2>&1 || bad "$mode is not recorded"
    status 0 "$mode" "$gait" export --format otlp -o "$work/otlp" "$work/data"
    status 0 "$mode again" "$gait" export --format otlp -o "$work/again" "$work/data"
    cmp "$work/otlp" "$work/again" || bad "$mode: not the same twice"
    "$gait" export --format collapsed -o "$work/folded" "$work/data"
    "$gait" info --json "$work/data" >"$work/info"
    tests/exports/lib/otlp.py "$work" || bad "$mode: the decoder found something else"
done
# A store of several machines.
status 0 push "$gait" push -q -s "sqlite:$work/store" "$work/data"
status 0 'out of a store' "$gait" export --format otlp -o "$work/of-store" "sqlite:$work/store"
finish
