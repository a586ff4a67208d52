#!/bin/bash
# Takes long
# Functions, inlined functions and lines are those of llvm-symbolizer, frame by frame, however a program was
# compiled and wherever its debug information lies. Sources: Lua's core, and C++ of our own.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command llvm-symbolizer-19 llvm-19
need_command clang++-19 clang-19
need_command objdump binutils
need_command dwz dwz
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gait/bench
mkdir -p "$cache"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source_unpack lua5.4 "$work/lua" || skip "lua's source could not be fetched"
echo '#define DEB_HOST_MULTIARCH ""' >"$work/lua/src/lua5.4-deb-multiarch.h"
sed -i 's/__attribute__((visibility("internal"))) extern/extern/' "$work/lua/src/luaconf.h" # what is left out may be missing
cp tests/truth/lib/inlines.cc "$work/lua/src"
bad=0

# compile NAME CC CXX FLAGS: a shared object of some of Lua and the C++ file; of less of it (units, and no cpp) where only
# the form of debug information is another: reading C++ headers takes a compiler most of its time.
compile() {
    local name=$1 cc=$2 cxx=$3
    shift 3
    mkdir -p "$work/$name"
    (cd "$work/$name" && for file in $units; do
        $cc -O2 -fPIC "$@" -c -o $file.o "$work/lua/src/$file.c" || exit 1
    done && { [ -z "$cpp" ] || $cxx -O2 -fPIC "$@" -c -o inlines.o "$work/lua/src/inlines.cc"; } &&
        $cxx -O2 -fPIC "$@" -shared -o lib.so ./*.o) >"$work/$name.log" 2>&1 || fail "$name: $(tail -5 "$work/$name.log")"
}

# addresses BINARY: every fifth instruction.
addresses() {
    objdump -d --no-show-raw-insn -j .text "$1" | sed -nE 's/^ +([0-9a-f]+):.*/0x\1/p' | awk 'NR % 5 == 1'
}

# check NAME BINARY [ORACLE]: ORACLE is what llvm-symbolizer is asked about.
check() {
    local oracle=${3:-$2}
    addresses "$2" >"$work/addresses"
    "$gait" symbols -q --linkage "$2" <"$work/addresses" >"$work/ours" || { echo "$1: status $?"; bad=1; }
    llvm-symbolizer-19 --no-demangle -i -e "$oracle" <"$work/addresses" >"$work/theirs"
    echo "$1: $(wc -l <"$work/addresses") addresses"
    tests/truth/lib/frames.py "$2" "$work/addresses" "$work/ours" "$work/theirs" || bad=1
}

# lines_everywhere NAME BINARY: most addresses have one; no check of equality is worth much without.
lines_everywhere() {
    local known
    known=$("$gait" symbols -q "$2" <"$work/addresses" | grep -cE ':[1-9][0-9]*:[0-9]+$')
    [ "$known" -gt "$(wc -l <"$work/addresses")" ] || { echo "$1: only $known lines are known"; bad=1; }
}

units='ltable lgc' cpp=yes
[ -z "$GAIT_LONG" ] || units='lvm ltable lgc lparser'
for version in 5 4; do
    compile gcc-$version gcc g++ -g -gdwarf-$version
    compile clang-$version clang-19 clang++-19 -g -gdwarf-$version
    check "gcc, DWARF $version" "$work/gcc-$version/lib.so"
    lines_everywhere "gcc, DWARF $version" "$work/gcc-$version/lib.so"
    check "clang, DWARF $version" "$work/clang-$version/lib.so"
    lines_everywhere "clang, DWARF $version" "$work/clang-$version/lib.so"
    [ -n "$GAIT_LONG" ] || units=lgc cpp=
done
cpp=yes compile lto gcc g++ -g -flto
check 'gcc -flto' "$work/lto/lib.so"
compile g1 gcc g++ -g1
check 'gcc -g1' "$work/g1/lib.so"
compile tables clang-19 clang++-19 -gline-tables-only
check 'clang -gline-tables-only' "$work/tables/lib.so"

# GAIT_LONG=1: of DWARF 4 as well.
for version in ${GAIT_LONG:+4} 5; do
    cpp=yes compile split-gcc-$version gcc g++ -g -gdwarf-$version -gsplit-dwarf
    check "gcc -gsplit-dwarf, DWARF $version, .dwo" "$work/split-gcc-$version/lib.so"
    lines_everywhere "gcc -gsplit-dwarf, DWARF $version" "$work/split-gcc-$version/lib.so"
    compile split-clang-$version clang-19 clang++-19 -g -gdwarf-$version -gsplit-dwarf
    check "clang -gsplit-dwarf, DWARF $version, .dwo" "$work/split-clang-$version/lib.so"
done
(cd "$work/split-clang-5" && llvm-dwp-19 -e lib.so -o lib.so.dwp && rm ./*.dwo) || fail 'llvm-dwp'
check 'clang -gsplit-dwarf, .dwp' "$work/split-clang-5/lib.so"
lines_everywhere 'clang -gsplit-dwarf, .dwp' "$work/split-clang-5/lib.so"

# The same code, its debug information elsewhere or otherwise: what the plain file answers.
variant() {
    mkdir -p "$work/$1"
    cp "$work/gcc-5/lib.so" "$work/$1/lib.so"
}
variant zlib && objcopy --compress-debug-sections=zlib "$work/zlib/lib.so" && check 'compressed by zlib' "$work/zlib/lib.so"
variant old && objcopy --compress-debug-sections=zlib-gnu "$work/old/lib.so" && check 'compressed in the old way' "$work/old/lib.so" "$work/gcc-5/lib.so"
variant zstd && objcopy --compress-debug-sections=zstd "$work/zstd/lib.so" 2>/dev/null &&
    check 'compressed by zstd' "$work/zstd/lib.so"
variant dwz && cp "$work/dwz/lib.so" "$work/dwz/other.so" && (cd "$work/dwz" && dwz -m shared.debug lib.so other.so) &&
    check 'dwz, with a supplementary file' "$work/dwz/lib.so" "$work/gcc-5/lib.so"
variant dwz1 && dwz "$work/dwz1/lib.so" && check 'dwz of one file' "$work/dwz1/lib.so" "$work/gcc-5/lib.so"
variant link && (cd "$work/link" && mkdir .debug && objcopy --only-keep-debug lib.so .debug/lib.debug &&
    strip lib.so && cd .debug && objcopy --add-gnu-debuglink=lib.debug ../lib.so) &&
    check 'stripped, .gnu_debuglink' "$work/link/lib.so" "$work/gcc-5/lib.so"

# Names that a stripped file carries packed in itself.
if command -v xz >/dev/null; then
    (cd "$work/gcc-5" && cp lib.so mini.so && nm -f posix --defined-only lib.so | awk '{print $1}' | sort >all &&
        nm -D -f posix --defined-only lib.so | awk '{print $1}' | sort >exported && comm -13 exported all >kept &&
        objcopy --only-keep-debug lib.so mini.debug && objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept mini.debug mini_debug &&
        strip mini.so && rm -f mini_debug.xz && xz mini_debug && objcopy --add-section .gnu_debugdata=mini_debug.xz mini.so) || fail 'no .gnu_debugdata'
    at=$(nm "$work/gcc-5/lib.so" | awk '$2 == "t" && $3 ~ /^[a-z]/ && $3 !~ /[.]|clones/ {print $1, $3; exit}')
    [ "$("$gait" symbols -q --linkage "$work/gcc-5/mini.so" "${at% *}" | head -1)" = "${at#* }" ] || { echo ".gnu_debugdata does not name ${at#* }"; bad=1; }
fi

# A debug file of another build is refused, and said so.
printf 'x' | dd of="$work/link/.debug/lib.debug" bs=1 conv=notrunc oflag=append status=none
note=$(objcopy --remove-section .note.gnu.build-id "$work/link/lib.so" && "$gait" symbols "$work/link/lib.so" 0 2>&1 >/dev/null)
case $note in *checksum*) ;; *) echo "a debug file with another checksum was taken: $note"; bad=1 ;; esac
exit $bad
