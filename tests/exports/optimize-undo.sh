#!/bin/bash
# gait optimize that does not get to its end leaves all as it was; folders may have spaces; what the command writes and what it calls are looked at.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v gcc >/dev/null || skip 'no gcc'
mkdir "$work/a folder" && cd "$work/a folder" || exit 1
export TMPDIR=$work
unset CC CFLAGS
cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **words)
{
    unsigned sum = 0;
    FILE *file = n > 1 ? fopen(words[1], "w") : stdout;
    for (unsigned i = 0; i < 3000000; i++)
        sum = sum * 31 + (i % 3 ? i : sum >> 7);
#ifdef WRONG
    sum++;
#endif
    fprintf(file, "%u %d\n", sum, getenv("CFLAGS") != NULL);
    return 0;
}
END
build='gcc $CFLAGS -c prog.c && gcc -o prog prog.o'
gcc -O2 -g -c prog.c && gcc -o prog prog.o
cp prog kept

# as_before WHAT: the same program, and no file more than there was.
as_before() {
    cmp -s prog kept || bad "$1: the program is not what it was"
    same "$1: files" 'kept prog prog.c prog.o' "$(ls | tr '\n' ' ' | sed 's/ $//')"
    same "$1: folders that were left" '' "$(ls -d "$work"/gait-optimize-* 2>/dev/null)"
}
status 1 'a build that fails' "$gait" optimize --with gcc --build 'rm prog; exit 3' ./prog
says 'status 3'
as_before 'a build that fails'
status 2 'a build that makes nothing' "$gait" optimize --with gcc --build 'rm -f prog' ./prog
says 'did not make'
as_before 'a build that makes nothing'
status 2 'a build without a tool' "$gait" optimize --with gcc --build 'PATH=/nowhere; cmake .' ./prog
says 'cmake is missing; Debian has it in the package cmake'
as_before 'a build without a tool'
status 1 'a build that fails with counts' "$gait" optimize --with gcc --build "case \$CFLAGS in *test-coverage*) ;; *-fprofile-use*) seq 7; exit 3 ;; esac; $build" ./prog
for words in 'status 3' 'the build: 3' 'the build: 7' "all that the build said: $work/gait-build-"; do says "$words"; done
grep -q 'the build: 2' "$work/stderr" && bad 'more than five lines of the build'
same 'what the build said' '1 2 3 4 5 6 7' "$(xargs <"$work"/gait-build-*.log)"
as_before 'a build that fails with counts'
echo instrumented >prog.gcda
status 1 'counts that were there' "$gait" optimize --with gcc --build "case \$CFLAGS in *test-coverage*) ;; *-fprofile-use*) exit 3 ;; esac; $build" ./prog
same 'counts that were there' instrumented "$(cat prog.gcda)"
rm -f prog.gcda
as_before 'counts that were there'
status 1 'a program that does something else' "$gait" optimize --with gcc --build "CFLAGS=\"\$CFLAGS -DWRONG\"; $build" ./prog
says 'standard output differs'
as_before 'a program that does something else'
status 1 'a file that differs' "$gait" optimize --with gcc --writes "$work/out put" --build "CFLAGS=\"\$CFLAGS -DWRONG\"; $build" ./prog "$work/out put"
says 'the file that it writes differs'
as_before 'a file that differs'
status 1 'a file that is not written' "$gait" optimize --with gcc --writes none --build "$build" ./prog
says '--writes'
status 129 'the program as its own result' "$gait" optimize --with gcc -o ./prog ./prog
as_before 'what is refused'

# Told to stop in the midst of a build, which is told, too.
for signal in INT TERM; do
    # What a shell starts in the background ignores SIGINT, unless it is told not to.
    env --default-signal=INT "$gait" optimize -q --with gcc --build "rm prog; echo \$\$ >'$work/building'; sleep 60; touch '$work/went on'" ./prog 2>"$work/stderr" &
    for ((i = 0; i < 400; i++)); do [ -s "$work/building" ] && break; sleep 0.05; done
    kill -$signal $!
    wait $!; got=$?
    same "status after SIG$signal" $((128 + $(kill -l $signal))) $got
    says 'stopped'
    as_before "SIG$signal"
    kill -0 "$(cat "$work/building")" 2>/dev/null && bad 'the build goes on'
    rm -f "$work/building"
done

# What was there is moved away; the program that was made stays.
echo mine >prog.before
status 0 'a folder with spaces' "$gait" optimize --with gcc --build "$build" --runs 2 ./prog
cmp -s prog prog.before && bad 'the program is what it was'
cmp -s prog.before kept || bad 'prog.before is not the program from before'
same 'what was there' mine "$(cat prog.before.old)"
[ -s prog.gcda ] || bad 'no counts of graphs'
[ -e prog.afdo ] && bad 'a profile that is not used'
grep -q 'the profile: 1 .gcda file beside' "$work/stdout" || bad "what was used: $(cat "$work/stdout")"
grep -q 'speed (.* to .*), gain' "$work/stdout" || bad "the result: $(cat "$work/stdout")"

# One whose work is done elsewhere.
cat >library.c <<'END'
unsigned work(unsigned n) { unsigned sum = 0; for (unsigned i = 0; i < n; i++) sum = sum * 31 + (i % 3 ? i : sum >> 7); return sum; }
END
echo 'unsigned work(unsigned); int main(void) { return (int)(work(3000000) & 1); }' >small.c
gcc -O2 -g -shared -fPIC -o libwork.so library.c && gcc -O2 -g -o small small.c ./libwork.so
status 0 'work done elsewhere' "$gait" optimize -q --with gcc ./small
grep -q 'only .* % of what it executes is its own .*libwork.so' "$work/stdout" || bad "a library: $(cat "$work/stdout")"
finish
