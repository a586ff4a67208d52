#!/bin/bash
# Runs with others
# bash completes every command, every option that --help shows, and the words that options can be.
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
offers '--exact=contexts --exact=counts --exact=paths --exact=paths+contexts --exact=trace --exact=trace+contexts --exact=trace+loops --exact=trace+paths' record --ex
offers 'contexts counts paths paths+contexts trace trace+contexts trace+loops trace+paths' record --exact = ''
offers 'contexts counts' record --exact = co
offers 'auto always never' report --color ''
offers 'confidence levin profi static' report --inferred = ''
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
finish
