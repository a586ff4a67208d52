#!/bin/bash
# Every command has a manual page, every option that its --help shows is in it, and what is installed says the same.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
commands=$("$gait" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$commands" ] || bad '--help names no commands'
for command in $commands; do
    page=man/gait-$command.1.md
    [ -e "$page" ] || { bad "$command has no $page"; continue; }
    # Options as help shows them: -o, or --name where there is no letter.
    options=$("$gait" "$command" --help=options | cut -d ' ' -f 1 | cut -f 1 | sort -u)
    [ -n "$options" ] || bad "$command has no options"
    terms=$(awk '/^:/ && term ~ /^`-/ { print term } { term = $0 }' "$page" | grep -oE '`--?[A-Za-z][-a-z]*`' | tr -d '`' | sort -u)
    for option in $options; do
        grep -qxF -e "$option" <<<"$terms" || bad "$page lacks $option"
    done
    # What the page has, the command takes; with a value, if it has one.
    for option in $terms; do
        "$gait" "$command" "$option" x --help >/dev/null 2>"$work/stderr" </dev/null
        ! grep -q 'unknown option' "$work/stderr" || bad "$page has $option, which $command does not take"
    done
done
for page in man/*.md; do
    command=${page#man/gait-} command=${command%.1.md}
    [ "$page" = man/gait.1.md ] || [[ " ${commands//$'\n'/ } " = *" $command "* ]] || bad "$page is of no command"
done

# Every variable that the tool looks at is in the page of gait.
for variable in $(grep -ohE 'getenv\("[A-Z_]+"\)' src/*/*.c | sed 's/.*"\(.*\)".*/\1/' | sort -u); do
    grep -qF -e "\`$variable\`" man/gait.1.md || bad "man/gait.1.md lacks $variable"
done

# The pages that are installed: what a page's text shows, its roff shows, and no formatter complains.
rendered() { MANWIDTH=500 groff -man -ww -K utf8 -T utf8 -P -c -rLL=500n -rHY=0 "$1" 2>"$work/complaints" | sed 's/.\x08//g'; }
for page in man/*.md; do
    roff=$work/$(basename "${page%.md}")
    tools/manpage -v version=0 "$page" >"$roff" || { bad "$page cannot be converted"; continue; }
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$roff" | grep -v 'missing date' >"$work/complaints" && { bad "$page: mandoc"; cat "$work/complaints"; }
    fi
    command -v groff >/dev/null || continue
    rendered "$roff" >"$work/text"
    [ ! -s "$work/complaints" ] || { bad "$page: groff"; cat "$work/complaints"; }
    # Every word of the source, in order; marks and the heading apart.
    words() { tr -s ' \n' '\n\n' | grep -v '^$'; }
    sed -n '/^## NAME/,$p' "$page" | while IFS= read -r line; do
        case $line in '<!-- src/cmd/commands.def -->') "$gait" --help | sed -n 's/^  \([a-z]*  .*\)/\1/p' ;; *) printf '%s\n' "$line" ;; esac
    done | sed 's/^## //; s/^:   //; s/^- //; s/[`*]//g; s/^```.*//' | words >"$work/source"
    sed 's/\xe2\x80\xa2//g; s/\xe2\x88\x92/-/g; s/\xe2\x80\x90/-/g; s/\xe2\x80\x99/\x27/g; s/\*//g' "$work/text" | sed '1d;$d' | words >"$work/shown"
    diff "$work/source" "$work/shown" >"$work/diff" || { bad "$page: text and roff differ"; head -20 "$work/diff"; }
done
for text in '# x' '## NAME' '# x(1)
### deep' '# x(1)

| a | b |' '# x(1)

an `open mark'; do
    printf '%s\n' "$text" >"$work/odd.md"
    tools/manpage "$work/odd.md" >/dev/null 2>&1 && bad "converted without complaint: $text"
done
finish
