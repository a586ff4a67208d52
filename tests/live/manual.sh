#!/bin/bash
# Every command has a manual page, and every option that its --help shows is in it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
commands=$("$gait" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$commands" ] || bad '--help names no commands'
for command in $commands; do
    page=man/gait-$command.1.md
    [ -e "$page" ] || { bad "$command has no $page"; continue; }
    options=$("$gait" "$command" --help | sed -n 's/^  \(-.*\)/\1/p' | grep -oE '^(-[-A-Za-z]+)|, -[-A-Za-z]+' | tr -d ', ')
    [ -n "$options" ] || bad "$command --help shows no options"
    for option in $options; do
        grep -qF -e "\`$option\`" "$page" || bad "$page lacks $option"
    done
done
finish
