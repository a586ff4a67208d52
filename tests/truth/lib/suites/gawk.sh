# gawk's own tests that are a program, an input and what it prints (test/NAME.awk, .in, .ok of Debian's source), those
# with the same first letter at once.

suite_ready() {
    command -v gawk >/dev/null || { echo 'gawk is not installed'; return 1; }
    source_unpack gawk "$1/source" >"$1/log" 2>&1 || { echo "gawk: its source could not be had: $(tail -n 1 "$1/log")"; return 1; }
}

suite_tests() { (cd "$1/source/test" && ls ./*.ok | sed 's|^\./\(.\).*|\1|' | sort -u); }

suite_run() {
    local folder=$1 letter=$2 to=$3 name
    shift 3
    cp -a "$folder/source/test" t && cd t || return
    for name in $(ls "$letter"*.ok | sed 's/\.ok$//'); do
        [ -e "$name.awk" ] || continue
        # Programs that gawk is to print; executed, some never end. timeout: a race of 0.1 s and more.
        case $name in profile* | timeout) continue ;; esac
        LC_ALL=C AWKPATH=. "$@" gawk -f "$name.awk" <"$([ -e "$name.in" ] && echo "$name.in" || echo /dev/null)" >"_$name" 2>&1
        echo "$name status $? $(cmp -s "_$name" "$name.ok" && echo ok || sed 's/0x[0-9a-f]*//g; s/[0-9]\{4,\}//g' "_$name" | md5sum)" >>"$to"
    done
}
