#!/bin/bash
# A recorded program does what it does alone: the same stdout, stderr and exit status natively, sampled
# at 20 % with each trigger, and exact. Real programs, and commands with odd habits.
# GAIT_LONG=1: all bench programs, runs of 5 s.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
if [ -n "$GAIT_LONG" ]; then programs=$(ls bench/programs) size=medium
else programs='lua bzip2 gzip python3 git' size=small; fi
need_programs $programs

top=$PWD work=$(mktemp -d) failures=0 compared=0
trap 'rm -rf "$work"' EXIT
modes="$(triggers | xargs) exact"

prefix_of() {
    case $1 in
    native) ;;
    exact) echo "$gait record -q --exact=counts -o $work/data --" ;;
    *) echo "$gait record -q --overhead 20% --trigger $1 -o $work/data --" ;;
    esac
}

# status_of FILE COMMAND...: writes how it ended, telling a signal from an exit status of 128 and more.
status_of() {
    perl -e '$f = shift; system { $ARGV[0] } @ARGV; $s = $?; open F, ">", $f; printf F "exit %d signal %d\n", $s >> 8, $s & 127' "$@"
}

attempt_program() {
    GAIT_PREFIX=$(prefix_of "$1") timeout 200 bench/run-program "$2" "$size" measure "$work/$1.stdout" 2>"$work/$1.stderr" </dev/null
    echo "exit $?" >"$work/$1.status"
}

attempt_command() {
    local mode=$1
    shift 2
    rm -rf "$work/cwd" && cp -r "$work/files" "$work/cwd" && cd "$work/cwd" || exit 1
    status_of "$work/$mode.status" $(prefix_of "$mode") "$@" >"$work/$mode.stdout" 2>"$work/$mode.stderr" <text
    cd "$top" || exit 1
}

# Threads that are not walked must at least be counted as such.
recorded_something() { "$gait" info --json "$work/data" | grep -qE '"(instructions|thread_native)": *[1-9]'; }

# compare HOW NAME...: runs natively, then in each mode, with attempt_HOW.
compare() {
    local mode part wrong
    "attempt_$1" native "${@:2}"
    for mode in $modes; do
        rm -f "$work/data" "$work/data.old"
        "attempt_$1" "$mode" "${@:2}"
        wrong=''
        for part in status stdout stderr; do
            cmp -s "$work/native.$part" "$work/$mode.$part" || wrong="$wrong $part"
        done
        # A run that was not recorded at all would be identical, too; short ones may see no sample.
        [ "$1 $mode" = "command cputime" ] || [ "$1 $mode" = "command perf" ] || recorded_something || wrong="$wrong nothing-recorded"
        "$gait" verify "$work/data" >"$work/verify" 2>&1 || wrong="$wrong verify"
        compared=$((compared + 1))
        [ -z "$wrong" ] && continue
        failures=$((failures + 1))
        echo "$2, $mode: not identical:$wrong"
        echo "    native: $(cat "$work/native.status"), $mode: $(cat "$work/$mode.status"); prefix: $(prefix_of "$mode")"
        case $wrong in *verify*) tail -n 3 "$work/verify" | sed 's/^/    verify: /' ;; esac
        diff <(head -c 4000 "$work/native.stderr") <(head -c 4000 "$work/$mode.stderr") | head -n 6 | sed 's/^/    stderr: /'
        diff <(head -c 4000 "$work/native.stdout" | cat -v) <(head -c 4000 "$work/$mode.stdout" | cat -v) | head -n 6 | cut -c1-150 | sed 's/^/    stdout: /'
    done
}

odd() { compare command "$@"; }

mkdir "$work/files"
seq 1 30000 | awk '{ print $1 * 7919 % 30011, "word" $1 % 97, $1 * $1 % 1009 }' >"$work/files/text"
mkdir -p "$work/files/tree/a/b" "$work/files/tree/c"
for i in 1 2 3 4 5 6 7 8; do head -n $((i * 100)) "$work/files/text" >"$work/files/tree/a/b/f$i"; ln -s ../text "$work/files/tree/c/l$i"; done
cat >"$work/files/source.c" <<'C'
#include <stdio.h>
static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
int main(void) { int unused; for (int i = 0; i < 20; i++) printf("%d %d\n", i, f(i)); return 0; }
C
find "$work/files" -exec touch -h -d @1000000000 {} +

odd pipes sh -c 'seq 1 20000 | sort -rn | sed -n 5p; ls /nonexistent-thing | wc -l; echo oops >&2; exit 3'
odd exits-with-143 sh -c 'exit 143'
odd dies-of-term sh -c 'echo before; kill -TERM $$; echo after'
odd dies-of-segv sh -c 'kill -SEGV $$'
odd dies-of-kill sh -c 'echo before; kill -KILL $$'
odd dies-of-pipe sh -c 'trap - PIPE; yes | head -n 1; kill -PIPE $$'
odd reads-stdin cat
odd digests-stdin sha256sum
odd sort sort -k3,3n -k1,1 text
odd sort-threads sort --parallel=2 -S 1M text
odd grep grep -cE '(7|9)+ word(1|2)' text
odd grep-no-match grep nothing-like-this text
odd sed sed -E 's/([0-9]+) (word[0-9]+)/\2-\1/; /word13/d; y/w/W/' text
odd awk awk '{ n[$2] += $1 * $3 % 13 } END { for (k in n) print k, n[k] | "sort"; close("sort"); exit 5 }' text
odd tar tar --sort=name --owner=0 --group=0 --mtime=@0 -cf - tree
odd find find tree -type f -size +1k -newermt 2001-01-01 -exec wc -l {} +
odd xargs sh -c 'find tree -name "f*" | sort | xargs -n 2 -P 2 cksum | sort'
odd perl perl -ne '@f = split; $h{$f[1]} .= chr(65 + $f[0] % 26); END { print map { "$_ " . reverse($h{$_}) =~ s/(.)\1/<$1>/gr . "\n" } sort keys %h; die "done\n" }' text
odd perl-alarm perl -e '$SIG{ALRM} = sub { $n++; alarm 0 }; use Time::HiRes "ualarm"; ualarm 20000; 1 until $n; print "alarm\n"'
odd bash-traps bash -c 'trap "echo got usr1" USR1; trap "echo bye" EXIT; (sleep 0.05; kill -USR1 $$) & wait; wait; f() { ((${1} < 2)) && echo 1 || echo $(($(f $(($1 - 1))) + 1)); }; f 12'
odd timeout timeout 0.3 sleep 5
odd python-raises /usr/bin/python3 -c 'import sys; print(sum(i * i for i in range(200000))); sys.stdout.flush(); raise ValueError("as meant")'
odd python-threads /usr/bin/python3 -c 'import threading; r = []; t = [threading.Thread(target=lambda n=n: r.append(sum(range(n * 90000)))) for n in range(4)]; [x.start() for x in t]; [x.join() for x in t]; print(sorted(r))'
odd compiler gcc -O1 -Wall -S -o - source.c
odd empty-environment env -i /bin/sh -c 'echo $PATH; env | wc -l'

for name in $programs; do compare program "$name"; done
echo "$compared comparisons in modes: $modes; $failures not identical"
[ "$failures" = 0 ]
