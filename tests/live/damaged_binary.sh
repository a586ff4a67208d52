#!/bin/bash
# A damaged binary or debug file: the profile is still shown, with what could be read of the program; no
# view crashes on it, and each ends. With GAIT_LONG hundreds of copies for each part of the file.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
copies=1
[ -z "$GAIT_LONG" ] || copies=40
seed=${GAIT_SEED:-$$}
top=$PWD
cd "$work" || exit 1
cat >work.cc <<'CC'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual unsigned area(unsigned n) const = 0; };
struct Square : Shape { unsigned area(unsigned n) const override { return n * n; } };
struct Other : Shape { unsigned area(unsigned n) const override {
    switch (n % 9) { case 0: return n + 1; case 1: return n ^ 5; case 2: return n * 3; case 3: return n / 7; case 4: return ~n;
                     case 5: return n << 3; case 6: return n - 2; case 7: return n | 1; default: throw n; } } };
static unsigned sum(const Shape &shape, unsigned n) try { return shape.area(n); } catch (unsigned x) { return x; }
int main() {
    std::map<std::string, unsigned> names;
    std::vector<unsigned> all;
    Square square; Other other;
    for (unsigned i = 0; i < 3000; i++) {
        names[std::to_string(i % 97)] += sum(i & 1 ? static_cast<Shape &>(square) : other, i);
        all.push_back(names.size() * i);
    }
    std::sort(all.begin(), all.end(), [](unsigned a, unsigned b) { return (a ^ 21) < (b ^ 21); });
    return all[5] == 77;
}
CC

# damage FILE HOW COUNT STATUSES VIEW...: FILE.whole is damaged into FILE.
damage() {
    /usr/bin/python3 "$top/tests/live/lib/damage.py" "$2" "$3" "$seed" "$1.whole" "$1" "$4" "$gait" "${@:5}" data --module binary >said ||
        bad "$1, $2, gait ${*:5}: $(cat said)"
    tried=$((tried + $3))
    cp "$1.whole" "$1"
}
# symbols FILE HOW COUNT: the same, asked for some addresses of the binary.
symbols() {
    /usr/bin/python3 "$top/tests/live/lib/damage.py" "$2" "$3" "$seed" "$1.whole" "$1" 0,2 "$gait" symbols binary $addresses >said ||
        bad "$1, $2, gait symbols: $(cat said)"
    tried=$((tried + $3))
    cp "$1.whole" "$1"
}
# sections FILE: name, offset and size of each that has bytes
sections() { readelf -SW "$1" 2>/dev/null | sed -n 's/^ *\[ *[0-9]*\] *\(\S*\) *\S* *\S* *\(\S*\) *\(\S*\).*/\1 0x\2 0x\3/p' | grep -v '^NULL\|\.bss\|note.gnu.build-id\| 0x0*$'; }

# all FILE: every way of damaging it, seen by every view that opens it
all() {
    cp "$1" "$1.whole"
    damage "$1" cut $copies 0 report --by line
    for view in function inline block instruction call; do damage "$1" patch $copies 0 report --by $view; done
    damage "$1" aim=0:64 $((4 * copies)) 0 report --by line
    # Of the sections every second, those that are left the next time; GAIT_LONG: all.
    while read -r name at bytes; do
        turn=$((1 - ${turn:-$((seed % 2))}))
        [ "$turn" = 1 ] && [ -z "$GAIT_LONG" ] || damage "$1" "aim=$at:$bytes" $copies 0 report --by inline
    done < <(sections "$1")
    # The section headers are the last thing in the file.
    headers=$(readelf -hW "$1" 2>/dev/null | sed -n 's/ *Start of section headers: *\([0-9]*\).*/\1/p')
    damage "$1" "aim=$headers:$(($(stat -c %s "$1") - headers))" $((4 * copies)) 0 report --by line
    addresses=$(nm -D --defined-only binary 2>/dev/null | awk '$2 == "T" { print "0x" $1 }' | head -3; echo 0x1200 0x401200)
    symbols "$1" cut $((2 * copies))
    symbols "$1" patch $((4 * copies))
    damage "$1" patch $copies 0,2 annotate --all main -i
    # What verify finds are contradictions, status 1; it must not stumble over them.
    damage "$1" patch $copies 0,1 verify
}

tried=0
for flags in '-gdwarf-5 -O2' '-gdwarf-4 -O1 -fno-pie -no-pie' '-gdwarf-5 -O2 -gz=zlib'; do
    g++ $flags -o binary work.cc || skip "g++ $flags does not work"
    "$gait" record -q --exact=counts -o data -- ./binary
    all binary
done
# Symbols and lines in a file of their own, found beside the binary.
g++ -gdwarf-5 -O2 -o binary work.cc && objcopy --only-keep-debug binary binary.debug &&
    strip -g --strip-unneeded binary && objcopy --add-gnu-debuglink=binary.debug binary
"$gait" record -q --exact=counts -o data -- ./binary
all binary.debug
all binary
echo "$tried damaged copies looked at, seed $seed"
finish
