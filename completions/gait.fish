# fish completion of gait. What can be completed comes from the tool itself: a line of
# `gait COMMAND --help=options` is "NAMES<tab>VALUE<tab>WORDS<tab>HELP".

# The words that a help lists by themselves, with what it says of them: commands, formats, kinds.
function __gait_list
    $argv --help 2>/dev/null | string match -r '^  [a-z][a-z-]* .*' | string replace -r '^  ([^ ]+) +' '$1\t'
end
# The fields of the option that a word is; none: it is no option.
function __gait_option --argument-names gait command word
    for line in ($gait $command --help=options 2>/dev/null)
        set -l fields (string split \t -- $line)
        if contains -- $word (string split ' ' -- $fields[1])
            printf '%s\n' $fields
            return
        end
    end
end
function __gait_options --argument-names gait command
    for line in ($gait $command --help=options 2>/dev/null)
        set -l fields (string split \t -- $line)
        for name in (string split -n ' ' -- $fields[1])
            switch $fields[2]
                case '=*'
                    printf '%s%s\t%s\n' $name $fields[2] $fields[4]
                case '[=*'
                    printf '%s\t%s\n' $name $fields[4]
                    for word in (string split -n ' ' -- $fields[3])
                        printf '%s=%s\t%s\n' $name $word $fields[4]
                    end
                case '*'
                    printf '%s\t%s\n' $name $fields[4]
            end
        end
    end
    printf '%s\t%s\n' --help 'show the options'
end
# Where the program of `record` and `stat` stands among the words; nothing: it is not there yet.
function __gait_program
    set -l words $argv
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case --
                test (math $i + 1) -le (count $words); and math $i + 1
                return
            case '-*'
                set -l fields (__gait_option $words[1] $words[2] $words[$i])
                string match -qr '^[A-Z]' -- "$fields[2]"; and set i (math $i + 1)
            case '*'
                echo $i
                return
        end
        set i (math $i + 1)
    end
end
function __gait_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l gait $words[1]
    if test (count $words) = 1
        __gait_list $gait
        printf '%s\t%s\n' --help 'show the commands' --version 'show the version'
        return
    end
    set -l command $words[2]
    set -l fields (__gait_option $gait $command $words[-1])
    if string match -qr '^[A-Z]' -- "$fields[2]"
        switch "$command $words[-1]"
            case 'record -e' 'record --event'
                $gait list events 2>/dev/null | string replace -rf '^  ([^ ]+) +good +(.*)' '$1\t$2'
            case '* --format'
                __gait_list $gait $command
            case '*'
                if test -n "$fields[3]"
                    string split -n ' ' -- $fields[3]
                else
                    __fish_complete_path $current
                end
        end
        return
    end
    if contains -- $command record stat
        if test -n "$(__gait_program $words)"
            __fish_complete_path $current
            return
        else if not string match -q -- '-*' $current
            __fish_complete_command
            return
        end
    end
    if string match -q -- '-*' $current
        __gait_options $gait $command
        return
    end
    test $command = list; and __gait_list $gait list
    __fish_complete_path $current
end
complete -c gait -f -a '(__gait_complete)'
