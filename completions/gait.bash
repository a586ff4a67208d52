# bash completion of gait. What can be completed is read from --help, so that it is never out of date.

# The options that `gait COMMAND --help` shows, one a line.
_gait_options() {
    "$1" "$2" --help 2>/dev/null | sed -n 's/^  \(-.*\)/\1/p' |
        sed 's/   *.*//' | tr ',' '\n' | sed -n 's/^ *\(-[-A-Za-z]*\)\(=[a-z+]*\)\{0,1\}.*/\1\2/p'
    printf '%s\n' --help
}
# The words that an option's value can be, where its help starts with a list of them: "perf, cputime or auto".
_gait_words() {
    "$1" "$2" --help 2>/dev/null | sed -n '/^  -/,$p' | awk -v option="$3" '
        /^  -/ { found = 0 }
        /^  -/ {
            names = $0
            sub(/   .*/, "", names)
            sub(/^ */, "", names)
            n = split(names, part, /[, ]+/)
            for (i = 1; i <= n; i++) if (part[i] == option) found = 1
            text = substr($0, index($0, names) + length(names))
        }
        found && !/^  -/ { text = $0 }
        found && /^ / { sub(/^ */, " ", text); all = all text }
        !/^ / { found = 0 }
        END {
            sub(/^ */, "", all)
            if (!match(all, /^[a-z][a-z+-]*(, [a-z][a-z+-]*)*,? or [a-z][a-z+-]*/)) exit
            list = substr(all, 1, RLENGTH)
            gsub(/,? or |, /, "\n", list)
            print list
        }'
}
# The words that a help lists by themselves, one a line: commands, formats, kinds.
_gait_list() {
    "$@" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}
# Whether an option takes a value: its help has a word in capitals behind it.
_gait_takes_value() {
    "$1" "$2" --help 2>/dev/null | grep -qE "^  (-.*, )?${3//-/\\-} [A-Z]"
}
_gait_reply() {
    local IFS=$'\n'
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}
_gait() {
    local gait=${COMP_WORDS[0]} command=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words i
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        _gait_reply "$(_gait_list "$gait"; printf '%s\n' --help --version)" "$cur"
        return
    fi
    # "--exact=c" comes as three words.
    if [ "$cur" = = ]; then
        cur= prev=$prev=
    elif [ "$prev" = = ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}=
    fi
    case $prev in
    --color) _gait_reply $'auto\nalways\nnever' "$cur"; return ;;
    -e)
        if [ "$command" = record ]; then
            _gait_reply "$("$gait" list events 2>/dev/null | sed -n 's/^  \([^ ]*\)  *good .*/\1/p')" "$cur"
            return
        fi ;;
    --format) _gait_reply "$(_gait_list "$gait" "$command")" "$cur"; return ;;
    -*=)
        _gait_reply "$(_gait_options "$gait" "$command" | sed -n "s/^$prev//p")" "$cur"
        return ;;
    esac
    # Behind the program of record, or --, everything is the program's own.
    if [ "$command" = record ]; then
        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            --) i=$((i + 1)); break ;;
            =) i=$((i + 1)) ;;
            -*) _gait_takes_value "$gait" record "${COMP_WORDS[i]}" && i=$((i + 1)) ;;
            *) break ;;
            esac
        done
        if ((i < COMP_CWORD)); then
            compopt -o default 2>/dev/null
            return
        elif ((i == COMP_CWORD)) && [[ $cur != -* || ${COMP_WORDS[i - 1]} = -- ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "$cur"; compgen -f -- "$cur")
            compopt -o filenames 2>/dev/null
            return
        fi
    fi
    if [[ $prev = -* ]] && _gait_takes_value "$gait" "$command" "$prev"; then
        words=$(_gait_words "$gait" "$command" "$prev")
        if [ -n "$words" ]; then _gait_reply "$words" "$cur"; else compopt -o default 2>/dev/null; fi
        return
    fi
    if [[ $cur = -* ]]; then
        _gait_reply "$(_gait_options "$gait" "$command")" "$cur"
        [[ ${COMPREPLY[*]} = *= ]] && compopt -o nospace 2>/dev/null
        return
    fi
    [ "$command" = list ] && _gait_reply "$(_gait_list "$gait" list)" "$cur"
    compopt -o default 2>/dev/null
}
complete -F _gait gait
