# perl's own tests (t/ of Debian's source), run by the installed perl of the same version, a file a test.

suite_ready() {
    source_unpack perl "$1/source" >"$1/log" 2>&1 || { echo "perl: its source could not be had: $(tail -n 1 "$1/log")"; return 1; }
    # Tests take modules from ../lib only, where a build would have put them.
    rm -rf "$1/source/lib" && mkdir "$1/source/lib" || return 1
    local folder
    for folder in $(perl -MConfig -e 'print "$Config{privlibexp} $Config{archlibexp}"') "$(perl -MConfig -e 'print $INC{"Config.pm"} =~ s|/Config.pm$||r')"; do
        cp -asn "$folder/." "$1/source/lib/" 2>/dev/null
    done
    ln -s "$(command -v perl)" "$1/source/t/perl"
}

suite_tests() { (cd "$1/source/t" && ls base/*.t cmd/*.t comp/*.t io/*.t mro/*.t op/*.t re/*.t uni/*.t | grep -vE 'uniprops|re/bigfuzzy|op/(sleep|time|alarm)|io/(socket|perlio_leaks)|re/speed'); }

suite_run() {
    local folder=$1 test=$2 to=$3
    shift 3
    cp -a "$folder/source/t" t && ln -s "$folder/source/lib" lib && cd t || return
    "$@" perl $(sed -n '1s/^#!.*perl *\(.*\)/\1/p' "$test" | sed 's/-[^TtWw ]*[^TtWw ].*//') "$test" >../out 2>../err
    echo "status $?" >>"$to"
    grep -aE '^ *(not )?ok' ../out | sed 's/0x[0-9a-f]*//g; s/#.*//' >>"$to"
    tail -n 3 ../err
}
