#!/bin/bash
# gait optimize: a program that BOLT made of a profile, those that compilers built anew, and what is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
unset CC # the compiler that optimize would ask for its flags; each build here has one of its own
sources=$PWD/tests/truth/lib/export
export TMPDIR=$work
cd "$work" || exit 1
cp "$sources"/{one,two}.c .
cat >build <<'END'
#!/bin/sh
$COMPILER $CFLAGS -c one.c && $COMPILER $CFLAGS -c two.c && $COMPILER $CFLAGS -Wl,-q -o prog one.o two.o
END
chmod +x build
llvm=$(ls -d /usr/lib/llvm-*/bin 2>/dev/null | sort -V | tail -n 1)

status 129 'with nothing' "$gait" optimize prog
says 'bolt, clang, gcc or specialise'
status 129 'with something else' "$gait" optimize --with magic prog
status 129 'no program' "$gait" optimize --with bolt
status 129 'a build of BOLT' "$gait" optimize --with bolt --build make prog
status 129 'one run' "$gait" optimize --with bolt --runs 1 prog
status 2 'a program that is not there' "$gait" optimize --with bolt ./none
says 'no such program'
status 2 'a script' "$gait" optimize --with bolt ./build
says 'not an ELF file'

COMPILER=gcc CFLAGS='-O2 -g' ./build
expected=$(./prog 900)
if [ -x "$llvm/llvm-bolt" ]; then
    status 0 'BOLT' "$gait" optimize --with bolt --runs 3 -- ./prog 900
    cp stdout new.text
    grep -q 'prog.bolt: .* gain .* 3 pairs of runs' stdout || bad "BOLT: $(cat stdout)"
    grep -q '^executed instructions .* -> .* million (.*), taken branches .* -> ' stdout || bad "BOLT's counts: $(cat stdout)"
    same 'what the new program does' "$expected" "$(./prog.bolt 900)"
    cmp -s prog prog.bolt && bad 'BOLT changed nothing'
    cat >switches.c <<'END'
#include <stdio.h>
__attribute__((noipa)) unsigned run(const unsigned char *code, unsigned value)
{
    for (;;)
        switch (*code++) {
        case 0: value += 3; break;
        case 1: value *= 2; break;
        case 2: value /= 3; break;
        case 3: value ^= 5; break;
        case 4: value -= code[0]; break;
        case 5: value |= 64; break;
        case 6: return value;
        }
}
int main(void)
{
    static const unsigned char code[] = {0, 1, 2, 0, 4, 1, 5, 2, 3, 6};
    unsigned sum = 0;
    for (unsigned i = 0; i < 20000; i++)
        sum += run(code, i);
    printf("%u\n", sum);
}
END
    gcc -O2 -Wl,-q -o switches switches.c
    status 0 'BOLT, switches' "$gait" optimize -q --with bolt --runs 2 ./switches
    grep -q 'BOLT left as they are.*: run ([0-9]* %)' stdout || bad "a function that BOLT left: $(cat stdout)"
    status 0 'BOLT, JSON' "$gait" optimize -q --json --with bolt --runs 2 -o new ./prog 900
    silent 'BOLT, JSON'
    for build in ./prog ./new; do "$gait" record -q --exact=counts -o "${build#./}.exact" -- $build 900 >/dev/null; done
    "$gait" info --json prog.exact >prog.info && "$gait" info --json new.exact >new.info || bad 'info'
    /usr/bin/python3 -c 'import json, math; r = json.load(open("stdout"))
for side, name in (("before", "prog"), ("after", "new")):
    count = json.load(open(name + ".info"))["rows"][0]["instructions"]
    assert abs(r["instructions_" + side] / count - 1) < 1e-3 and 0 < r["taken_" + side] < count, (side, count, r)
assert r["schema"] == "gait/optimize/1" and r["checked"] and r["runs"] == 2 and r["gain_lo"] <= r["gain"] <= r["gain_hi"], r
assert abs(r["gain"] - math.log(r["before"] / r["after"])) < 1e-6, r' || bad 'JSON'
    [ -x new ] || bad 'no new program'
    # One that sees whether it has been changed, and then does something else.
    cat >judge.c <<'END'
#include <stdio.h>
#include <sys/stat.h>
int main(int n, char **words)
{
    struct stat self;
    volatile long sum = 0;
    for (int i = 0; i < 100000 * n; i++)
        sum += i % 7;
    stat("/proc/self/exe", &self);
    printf("%ld %ld %s\n", sum, (long)self.st_size, words[0]);
}
END
    gcc -O2 -g -Wl,-q -o judge judge.c
    status 1 'a program that does something else' "$gait" optimize --with bolt --runs 2 ./judge
    says 'does not do the same'
    [ ! -e judge.bolt ] || bad 'it was left'
    grep -q 'blocks aligned to 32 bytes: gain\|blocks not aligned' new.text || bad 'nothing about alignment'
    # What alignment brings depends on the machine. One that says itself what it gets: slow, and fast or wrong if blocks are
    # aligned; slow is also what costs less than fast does.
    cat >works.c <<'END'
#include <stdio.h>
int main(void) { volatile long sum = 0; for (long i = 0; i < 4000000L * TURNS; i++) sum += i % 7; puts(SAYS); return 0; }
END
    for made in 'slow 12 "done"' 'fast 4 "done"' 'wrong 1 "other"'; do
        set -- $made
        gcc -O2 "-DTURNS=$2" "-DSAYS=$3" -Wl,-q -o "$1" works.c
    done
    mkdir fake
    cat >fake/llvm-bolt <<END
#!/bin/sh
made=\$PLAIN
for word; do
    [ "\$last" = -o ] && out=\$word
    [ "\$word" = -align-blocks ] && made=\$ALIGNED
    last=\$word
done
cp "$work/\$made" "\$out"
END
    chmod +x fake/llvm-bolt
    for made in 'slow fast fast' 'fast slow fast' 'slow wrong slow' 'slow none slow'; do
        set -- $made
        rm -f works.bolt && cp slow works
        PLAIN=$1 ALIGNED=$2 PATH=$work/fake:$PATH status 0 "aligned: $made" "$gait" optimize --with bolt --runs 5 ./works
        cmp -s works.bolt "$3" || { bad "of $1, and $2 if aligned, not $3 was kept"; cat stdout stderr; }
        case $2 in
        fast) grep -q 'with blocks aligned to 32 bytes: gain [0-9]' stdout ;;
        slow) grep -q 'blocks not aligned, which does not pay: gain -' stdout ;;
        *) ! grep -q aligned stdout ;;
        esac || bad "$made: $(cat stdout)"
    done
else
    echo 'note: no llvm-bolt: programs made by BOLT are not tested'
    status 2 'no BOLT' "$gait" optimize --with bolt ./prog 900
    says 'Debian has it in the package'
fi

# The tool that is missing is named, whatever this machine has.
mkdir empty
PATH=$work/empty status 2 'no gcc' "$gait" optimize --with gcc ./prog 900
says 'gcc is missing; Debian has it in the package gcc'

COMPILER=gcc status 0 'gcc' "$gait" optimize --with gcc --build ./build --runs 2 ./prog 900
same 'what gcc made' "$expected" "$(./prog 900)"
cmp -s prog prog.before && bad 'gcc made the same'
[ -s one.gcda ] && [ -s two.gcda ] || bad 'gcc had no counts of its own graphs'
rm -f ./*.gcda ./*.gcno
status 0 'gcc without a build' "$gait" optimize -q --with gcc -o profile ./prog 900
grep -q -e "-fauto-profile=$work/profile" stdout && [ -s profile ] || bad "flags for gcc: $(cat stdout)"
COMPILER=true status 2 'a build of nothing' "$gait" optimize --with gcc --build ./build ./prog 900
says 'made the same program again'
COMPILER='echo oh no; exit 3;' status 1 'a build that fails' "$gait" optimize --with gcc --build 'eval $COMPILER' ./prog 900
says 'status 3: oh no'
if [ -x "$llvm/clang" ]; then
    COMPILER=$llvm/clang CFLAGS=-O2 ./build # without lines: it is built with them first
    COMPILER=$llvm/clang status 0 'clang' env "PATH=$llvm:$PATH" "$gait" optimize --with clang --build ./build --runs 2 ./prog 900
    same 'what clang made' "$expected" "$(./prog 900)"
    [ -s prog.prof ] || bad 'no profile'
    grep -q '^ !CFGChecksum: ' prog.prof || bad 'clang got lines where probes could be had'
    # What gcc made has no marks that clang knows: it is built by clang before it is recorded.
    COMPILER=gcc CFLAGS='-O2 -g' ./build
    unset CC
    status 0 'clang after gcc' env "PATH=$llvm:$PATH" COMPILER="$llvm/clang" "$gait" optimize --with clang --build ./build --runs 2 ./prog 900
    says 'building with GAIT_CFLAGS='"'-gline-tables-only -fdebug-info-for-profiling -fpseudo-probe-for-profiling'"
    grep -q 'fpseudo-probe-for-profiling.*-fprofile-sample-use=' stderr || bad 'the profile is by probes, and the build that uses it has none'
else
    echo 'note: no clang: programs that it builds are not tested'
fi
same 'folders that were left' '' "$(ls -d gait-optimize-* 2>/dev/null)"
finish
