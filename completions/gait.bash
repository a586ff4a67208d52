# bash completion of gait. What can be completed comes from the tool itself: a line of
# `gait COMMAND --help=options` is "NAMES<tab>VALUE<tab>WORDS<tab>HELP".

# The options of a command, one a line; "--exact=counts" is one of them.
_gait_options() {
    "$1" "$2" --help=options 2>/dev/null |
        awk -F '\t' '{ n = split($1, name, " "); for (i = 1; i <= n; i++) print name[i] ($2 ~ /^=/ ? $2 : "") }'
    printf '%s\n' --help
}
# A column of an option's line: 2, its value, or 3, the words that this can be.
_gait_column() {
    "$1" "$2" --help=options 2>/dev/null | awk -F '\t' -v option="$3" -v column="$4" '
        index(" " $1 " ", " " option " ") { gsub(/ +/, "\n", $column); print $column; exit }'
}
# The words that a help lists by themselves, one a line: commands, formats, kinds.
_gait_list() {
    "$@" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}
# Whether an option is followed by its value.
_gait_takes_value() {
    [[ $(_gait_column "$1" "$2" "$3" 2) = [A-Z]* ]]
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
    -e)
        if [ "$command" = record ]; then
            _gait_reply "$("$gait" list events 2>/dev/null | sed -n 's/^  \([^ ]*\)  *good .*/\1/p')" "$cur"
            return
        fi ;;
    --format) _gait_reply "$(_gait_list "$gait" "$command")" "$cur"; return ;;
    -*=)
        _gait_reply "$(_gait_options "$gait" "$command" | sed -n "s/^$prev//p")$(_gait_column "$gait" "$command" "${prev%=}" 3)" "$cur"
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
        words=$(_gait_column "$gait" "$command" "$prev" 3)
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
