#!/bin/bash
# A profile explains itself: where the program and its libraries do not exist, every view and export says what it said beside them.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
command -v g++ >/dev/null || skip 'no g++'

cat >lib.cc <<'C'
#include <cstring>
__attribute__((noinline)) unsigned mixed(const char *text, unsigned seed)
{
    unsigned sum = seed;
    for (size_t i = 0; i < strlen(text); i++)
        sum = sum * 31 + (unsigned char)text[i];
    return sum;
}
C
cat >prog.cc <<'C'
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
unsigned mixed(const char *text, unsigned seed);
template <typename T> static inline T stirred(T x, int by) { for (int i = 0; i < by; i++) x = x * 5 + (T)i; return x; }
__attribute__((noinline)) static unsigned turn(unsigned x)
{
    switch (x % 11) {
    case 0: return stirred(x, 3);
    case 1: return x + 9;
    case 2: return x ^ 0x1234;
    case 3: return x * 5;
    case 4: return stirred(x + 1, 5);
    case 5: return x - 77;
    case 6: return x >> 2;
    case 7: return mixed("some letters", x);
    default: return x + 1;
    }
}
__attribute__((noinline)) static void never(int argc) { if (argc > 100) throw argc; }
struct Shape { virtual unsigned area(unsigned x) { return x; } virtual ~Shape() {} };
struct Square : Shape { unsigned area(unsigned x) override { return turn(x) * 3; } };
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    Shape *shapes[2] = {new Shape, new Square};
    std::map<std::string, unsigned> counts;
    unsigned x = 1, all = 0;
    for (int i = 0; i < rounds; i++) {
        std::vector<unsigned> row;
        for (int k = 0; k < 100; k++) row.push_back(x = turn(x + (unsigned)k));
        std::sort(row.begin(), row.end());
        counts[std::to_string(row[50] % 1000)] += shapes[i & 1]->area(row[3]);
        try { never(argc); } catch (int) { return 1; }
    }
    for (auto &each : counts) all += each.second;
    printf("%u\n", all);
}
C

# The program has its own copies of all libraries, and a loader: nothing that runs is the system's.
mkdir app
loader=$(readelf -p .interp /bin/true | grep -o '/[^ ]*ld-linux[^ ]*') || skip 'no loader in /bin/true'
g++ -g -O2 -fPIC -shared -o app/libmixed.so lib.cc &&
    g++ -g -O2 -o app/prog prog.cc -Lapp -lmixed "-Wl,-rpath,$work/app" "-Wl,--dynamic-linker,$work/app/loader" || skip 'cannot be built'
cp -L "$loader" app/loader
for lib in $(ldd app/prog 2>/dev/null | grep -o '/[^ ]*\.so[^ ]*' | grep -v "$work"); do cp -L "$lib" app/; done
app/prog 10 >/dev/null || skip 'the copied loader does not run the program'

# How to get debug information of a file is for the machine that has the file.
advice_drop() { sed -i 's/\(no lines\): [^"]*/\1/; /^set DEBUGINFOD_URLS/d; /-v says where gait looked/d' "$@"; }
# take FILE FOLDER: everything that can be said of it.
take() {
    local file=$1 to=$2 view
    mkdir -p "$to"
    for by in function line inline block edge instruction call loop; do
        "$gait" report --by $by --limit 200 "$file" >"$to/report.$by" 2>&1
    done
    "$gait" report --json "$file" >"$to/json" 2>&1
    for view in contexts values paths verify annotate; do "$gait" $view "$file" >"$to/$view" 2>&1; done
    "$gait" annotate -i "$file" turn >"$to/annotate.turn" 2>&1
    for format in collapsed pprof callgrind speedscope llvm llvm-raw gcc; do
        "$gait" export --format $format -o "$to/$format" "$file" 2>"$to/$format.err" || echo "status $?" >>"$to/$format.err"
    done
    advice_drop "$to"/json "$to"/report.*
    [ -f "$to/pprof" ] && gzip -dc "$to/pprof" >"$to/pprof.plain" && rm "$to/pprof"
}
# brief FILE FOLDER: what a recording that did not read lines has, too.
brief() {
    mkdir -p "$2"
    for view in 'report' 'report --by call' 'report --json' 'contexts --no-inline' paths verify 'export --format collapsed --no-inline'; do
        "$gait" $view "$1" >"$2/${view//[ -]/}" 2>&1
    done
    sed -i '/^ *lines /d' "$2/paths"
    advice_drop "$2"/report*
}
# Half of what views say must be there at all, or nothing was compared.
enough() { [ "$(find "$1" -type f -size +200c | wc -l)" -ge 12 ] || bad "$1: views say little: $(ls -s "$1" | tr '\n' ' ')"; }

"$gait" record -q --names -F 2000 -o sampled -- app/prog 30000 >/dev/null || bad 'sampled'
"$gait" record -q --names --exact -o exact -- app/prog 30 >/dev/null || bad 'exact'
"$gait" record -q --exact=paths+contexts -o paths -- app/prog 30 >/dev/null || bad 'paths'
"$gait" record -q --names -F 500 --events edge,call,value -o values -- app/prog 10000 >/dev/null || bad 'values'
files='sampled exact paths values'
"$gait" record -q -F 2000 -o quick -- app/prog 20000 >/dev/null || bad 'quick'
"$gait" record -q --exact -o counted -- app/prog 30 >/dev/null || bad 'counted'
briefly='quick counted'
[[ $modes = *plain* ]] && "$gait" record -q --plain -F 2000 -o plain -- app/prog 20000 >/dev/null && briefly="$briefly plain"
"$gait" record -q --no-names --exact -o bare -- app/prog 30 >/dev/null || bad 'without names'

for file in $files; do take $file there/$file; done
"$gait" record -q --names --exact -o shorter -- app/prog 1 >/dev/null || bad 'another run'
pairs() { for view in diff compare; do "$gait" $view shorter exact 2>&1; done; }
for file in $briefly; do brief $file there/$file; done
# A recording in haste, packed where the files are: whole, and no mixture of both.
cp quick packed.quick && "$gait" pack -q packed.quick || bad 'pack quick'
take packed.quick there/packed.quick
pairs >pairs.there
mv app moved
for file in $briefly; do brief $file gone/$file; done
pairs >pairs.gone
cmp -s pairs.there pairs.gone || { bad 'diff and compare: not the same where the binaries do not exist'; diff pairs.there pairs.gone | head -20; }
for file in $briefly; do
    diff -r there/$file gone/$file >"$work/differences" ||
        { bad "$file, without --names: not the same where the binaries do not exist"; cut -c 1-200 "$work/differences" | head -20 | sed 's/^/    | /'; }
done
mkdir -p gone/bare
"$gait" report bare >gone/bare/report.function 2>&1
for file in $files packed.quick; do
    take $file gone/$file
    diff -r there/$file gone/$file >"$work/differences" ||
        { bad "$file: not the same where the binaries do not exist"; cut -c 1-200 "$work/differences" | head -20 | sed 's/^/    | /'; }
done
enough there/sampled
enough there/exact
grep -q 'turn' gone/sampled/report.function || bad 'no name of a function'
grep -q 'prog.cc:' gone/sampled/report.line || bad 'no lines'
grep -q 'inlined' gone/sampled/report.inline || bad 'no inlined functions'
# The same builds, but stripped: the profile tells more than they do. Packing there forgets nothing.
if command -v strip >/dev/null; then
    cp -r moved app && strip app/prog app/libmixed.so && cmp -s app/prog moved/prog && bad 'strip does nothing'
    for file in sampled packed.quick; do
        take $file stripped/$file
        diff -r there/$file stripped/$file >"$work/differences" ||
            { bad "$file: not the same where the binaries are stripped"; cut -c 1-200 "$work/differences" | head -20 | sed 's/^/    | /'; }
    done
    cp exact exact.unpacked && "$gait" pack -q exact || bad 'pack beside stripped binaries'
    rm -r app
    take exact stripped/exact.packed
    mv exact.unpacked exact
    diff -r there/exact stripped/exact.packed >"$work/differences" ||
        { bad 'packing beside stripped binaries forgets something'; cut -c 1-200 "$work/differences" | head -20 | sed 's/^/    | /'; }
fi

# Without names: the rows stay, by module.
grep -q '\[prog\]' gone/bare/report.function || bad "--no-names: no row for what has no name: $(head -20 gone/bare/report.function)"
! grep -q 'turn' gone/bare/report.function || bad '--no-names kept names'

# BOLT has names of its own, which only the file tells.
status 2 'bolt without the file' "$gait" export --format bolt --module prog exact
says '--symfs'

# Merging keeps what both kept.
"$gait" merge -q -o both exact exact 2>/dev/null || "$gait" merge -o both exact exact || bad merge
"$gait" report both 2>&1 | grep -q turn || bad 'merge forgets names'

# The file, where it lies now, before what was kept; another build never.
for where in "--binary $work/app=$work/moved" "--binary prog=$work/moved/prog" "--symfs $work/moved"; do
    "$gait" report $where bare 2>&1 | grep -q turn || bad "not found with $where"
done
mkdir root && mkdir -p "root$work" && mv moved "root$work/app"
"$gait" report --symfs "$work/root" bare 2>&1 | grep -q turn || bad 'not found below --symfs'
"$gait" export --format collapsed --symfs "$work/root" bare 2>/dev/null | grep -q turn || bad 'export does not find it below --symfs'
g++ -g -O1 -o other prog.cc "root$work/app/libmixed.so" "-Wl,-rpath,root$work/app" &&
    { "$gait" report --binary "prog=$work/other" bare 2>&1 | grep -q 'is not the build that ran' || bad 'another build is not told'; }
status 129 'a wrong --binary' "$gait" report --binary nothing bare
says 'OLD=NEW'

# pack: names, lines and sources of a profile that has none.
cp bare packed
status 0 pack "$gait" pack --sources --symfs "$work/root" packed
mv "root$work/app" elsewhere && mkdir src && mv prog.cc lib.cc src/
"$gait" report --by line packed 2>&1 | grep -q 'prog.cc:' || bad 'pack: no lines'
"$gait" annotate -i packed turn 2>&1 | grep -q 'switch (x % 11)' || bad 'pack --sources: no source'
cp packed again && status 0 'pack again' "$gait" pack -q again
cmp -s packed again || bad 'packing again, where nothing is, changes something'
finish
