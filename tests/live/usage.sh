#!/bin/bash
# Every option that takes one of a few words refuses another, and says what it expects.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
checked=0
for command in $("$gait" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    refused=129
    [ "$command" = record ] && refused=125
    while IFS=$'\t' read -r names value words; do
        [ -n "$value" ] || continue
        for name in $names; do
            case $name:$value in
            --*:'['* | --*:=*) typed=("$name=no-such") ;;
            -?:'['* | -?:=*) continue ;;
            *) typed=("$name" no-such) ;;
            esac
            [ -n "$words" ] || continue
            status $refused "$command ${typed[*]}" "$gait" "$command" "${typed[@]}"
            says "no-such: expected ${words%% *}"
            for word in $words; do says "$word"; done
            checked=$((checked + 1))
        done
        # Without its value, nothing is taken for it.
        [[ $value = [A-Z]* ]] || continue
        status $refused "$command $names without a value" "$gait" "$command" "${names##* }"
        says "${names##* }: expected a value"
    done < <("$gait" "$command" --help=options | cut -f 1-3)
    status $refused "$command: unknown option" "$gait" "$command" --no-such-option
    says "--no-such-option: unknown option; see gait $command --help"
done
# A format may stand without its option; what is none is called one.
status 129 'export colapsed FILE' "$gait" export colapsed gait.data
says 'colapsed: no such format; see gait export --help'
status 2 'export collapsed FILE' "$gait" export collapsed /no/such/file
says '/no/such/file: no such file'
[ $checked -ge 20 ] || bad "only $checked options take words"
finish
