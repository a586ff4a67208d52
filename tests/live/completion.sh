#!/bin/bash
# bash, zsh and fish complete every command, every option that --help shows, and the words that options can be.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. completions/gait.bash || bad 'completions/gait.bash cannot be sourced'
compopt() { wanted="$*"; } # a builtin that works only while completing

# completed WORD...: what the last of the words can become, one a line.
completed() {
    COMP_WORDS=("$gait" "$@") COMP_CWORD=$# wanted=
    COMPREPLY=()
    _gait
    printf '%s\n' "${COMPREPLY[@]}"
}
# offers EXPECTED WORD...: all of the expected, in any order, and nothing else.
offers() {
    local expected=$1
    shift
    same "completion of '$*'" "$(tr ' ' '\n' <<<"$expected" | sort | xargs)" "$(completed "$@" | sort | xargs)"
}

commands=$("$gait" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
offers "$(echo $commands --help --version)" ''
for command in $commands; do
    [[ " $(completed "${command:0:3}" | xargs) " = *" $command "* ]] || bad "'${command:0:3}' does not become $command"
    options=$("$gait" "$command" --help | sed -n 's/^  \(-[-A-Za-z]*\).*/\1/p')
    [ -n "$options" ] || bad "$command --help shows no options"
    got=" $(completed "$command" - | sed 's/=.*//' | xargs) "
    for option in $options --help; do
        [[ $got = *" $option "* ]] || bad "$command: $option is not completed"
    done
done

offers 'perf cputime auto' record --trigger ''
offers 'cputime' record --trigger c
offers '--exact=contexts --exact=counts --exact=paths --exact=paths+contexts --exact=trace --exact=trace+contexts --exact=trace+loops --exact=trace+paths --exact=trace+paths+contexts' record --ex
offers 'contexts counts paths paths+contexts trace trace+contexts trace+loops trace+paths trace+paths+contexts' record --exact = ''
offers 'contexts counts' record --exact = co
offers 'auto always never' report --color ''
offers 'confidence levin profi static classes perfect' report --inferred = ''
offers '16 32 64 128 224 512' conflicts --within ''
offers 'weighed' export --votes w
offers "$(sed -n 's/^FORMAT[A-Z_]*([a-z_, ]*"\([^"]*\)",.*/\1/p' src/export/job/formats.def | xargs)" export --format ''
events=" $(completed record -e '' | xargs) "
[[ $("$gait" list events | grep -c ' good ') = $(wc -w <<<"$events") ]] || bad "-e offers other events than list: $events"
offers 'task-clock' record -e task
# The words of --by: gait takes each, and no other.
words=$(completed report --by '')
[ "$(wc -l <<<"$words")" -ge 6 ] || bad "--by offers only: $(xargs <<<"$words")"
for word in $words; do
    "$gait" report --by "$word" /no/such/file 2>/dev/null
    same "report --by $word" 2 $?
done

# Files where files go, programs where a program goes, and nothing of ours behind it.
completed report '' >/dev/null
same 'files for report' '-o default' "$wanted"
completed record -o '' >/dev/null
same 'files for -o' '-o default' "$wanted"
[[ " $(completed record -o data mkte | xargs) " = *' mktemp '* ]] || bad 'programs are not completed'
[[ " $(completed record -- mkte | xargs) " = *' mktemp '* ]] || bad 'programs are not completed behind --'
same 'options of the program' '' "$(completed record -q -- ls -)"
same 'options of the program, without --' '' "$(completed record -F 100 ls -)"

# As bash itself sees it.
bash --norc -c ". completions/gait.bash; complete -p gait" | grep -qx "complete -F _gait gait" || bad "bash does not know the completion"

# all_offered SHELL COMMAND OFFERED: every option of the command is among what is offered.
all_offered() {
    local option
    for option in $("$gait" "$2" --help | sed -n 's/^  \(-[-A-Za-z]*\).*/\1/p') --help; do
        [[ " $3 " = *" $option "* ]] || bad "$1: $2: $option is not completed"
    done
}
# has WHAT EXPECTED WORDS: the expected words are among these.
has() {
    local word
    for word in $2; do [[ " $3 " = *" $word "* ]] || bad "$1: '$word' is not offered, but: $3"; done
}
# fish tells what it would offer.
if command -v fish >/dev/null; then
    fish_offers() { PATH=$out:$PATH fish --no-config -c "source completions/gait.fish; complete -C '$1'" 2>&1 | cut -f 1 | xargs; }
    has 'fish: commands' "$(echo $commands)" "$(fish_offers 'gait ')"
    all_offered fish record "$({ fish_offers 'gait record --'; fish_offers 'gait record -'; } | sed 's/=[^ ]*//g' | xargs)"
    same 'fish: --trigger' 'auto cputime perf' "$(fish_offers 'gait record --trigger ')"
    has 'fish: --exact' '--exact=counts --exact=trace+loops' "$(fish_offers 'gait record --ex')"
    has 'fish: --format' 'collapsed pprof' "$(fish_offers 'gait export --format ')"
    has 'fish: programs' mktemp "$(fish_offers 'gait record -q mkte')"
    same 'fish: options of the program' '' "$(fish_offers 'gait record -o data ls --')"
else
    echo 'no fish: not tested'
fi
# zsh: what is handed to its own functions, which show it.
if command -v zsh >/dev/null; then
    zsh_offers() {
        PATH=$out:$PATH zsh -f -c '_arguments() { print -rl -- "$@"; }; _describe() { print -rl -- ${(P)2}; }
            words=("$@") CURRENT=$# ; . completions/_gait' zsh gait "$@" 2>&1
    }
    has 'zsh: commands' "$(echo $commands)" "$(zsh_offers '' | cut -d : -f 1 | xargs)"
    for command in record report; do
        all_offered zsh $command "$(zsh_offers $command - | sed -n 's/^\*\{0,1\}\(-[-a-zA-Z]*\).*\[.*/\1/p' | xargs)"
    done
    zsh_offers record - | grep -q '^\*--trigger\[.*\]:KIND:(perf cputime auto)$' || { bad 'zsh: --trigger'; zsh_offers record - | grep trigger; }
    zsh_offers record - | grep -q '^\*--exact=-\[.*(counts .*trace+loops.*)$' || { bad 'zsh: --exact'; zsh_offers record - | grep exact; }
    zsh_offers export - | grep -q '^\*--format\[.*(collapsed .*)$' || { bad 'zsh: --format'; zsh_offers export - | grep format; }
else
    echo 'no zsh: not tested'
fi
finish
