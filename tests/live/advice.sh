#!/bin/bash
# Runs with others
# What a report says of recordings in which little or nothing was seen, and what to type then.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
top=$PWD
cd "$work" || exit 1
cat >spin.c <<'C'
__attribute__((noinline)) unsigned spin(unsigned n, unsigned x)
{
    while (n--)
        x = (x ^ x << 13) * 5;
    return x;
}
int main(void) { return spin(100000000, 1) & 1; }
C
gcc -O1 -g -o spin spin.c || exit 77

# A program that the agent cannot get into.
python3 "$top/tests/live/lib/foreign.py" foreign
"$gait" record -q -o foreign.data -- ./foreign 2>err
"$gait" report foreign.data >out || bad 'report of a program without the agent'
grep -q 'gait record --plain -- ./foreign' out || { bad 'advice does not say --plain'; cat out; }
grep -q 'record for longer' out && bad 'longer would not help'

# A binary that is another one by now: a module is no function.
if "$gait" record -e cpu-clock -q -F 1000 -o spin.data -- ./spin 2>err; then
    "$gait" report spin.data >out
    grep -q 'is in main and its callees' out && bad 'advice to look at main'
    sed -i s/100000000/99999999/ spin.c
    gcc -O2 -o spin spin.c
    "$gait" report spin.data >out || bad 'report of a binary that changed'
    grep -q '^ *[0-9.]*% .* \[spin\] ' out || { bad 'the module is not marked as one'; cat out; }
    grep -q 'spin.*is the hottest function' out && bad 'a module as hottest function'
    grep -q 'is not the build that ran' out || bad 'it does not say that the binary changed'
    "$gait" annotate spin spin.data >out 2>err
    [ $? = 2 ] && grep -q 'is not the build that ran' err || { bad 'annotate does not say that the binary changed'; cat err; }
fi
# A function of C++ goes by the name that is read, not by a line of what it is linked as; unless another goes by it, too.
cat >names.cc <<'C'
#include <map>
#include <string>
template <class T, class U> struct table { __attribute__((noinline)) static unsigned spin(T n, U x) { while (n--) x = (x ^ x << 13) * 5; return x; } };
int main(int n, char **) { unsigned x = table<unsigned, unsigned>::spin(100000000, 1); if (n > 1) x += table<unsigned, unsigned long>::spin(50000000, 1); return x == 1; }
C
if g++ -O1 -o names names.cc 2>/dev/null; then
    "$gait" record -q --exact=counts -o names.data -- ./names && "$gait" report names.data >out || bad 'names of C++'
    grep -qx ' *gait annotate table::spin -i names.data' out || { bad 'a name that is read'; cat out; }
    "$gait" annotate table::spin -i names.data >out || bad 'a name that is read cannot be typed'
    "$gait" record -q --exact=counts -o names.data -- ./names both && "$gait" report names.data >out || bad 'names of C++'
    grep -qx ' *gait annotate _ZN5tableIjjE4spinEjj -i names.data' out || { bad 'a name of two'; cat out; }
fi
# An event that only the kernel has.
if "$gait" record -q -e context-switches -o switches.data -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' 2>err; then
    "$gait" report switches.data >out || bad 'report of context switches'
    if grep -q ' 0 samples' out; then
        echo 'no context switches were sampled'
    else
        grep -q "gait contexts --kernel -i switches.data" out || { bad 'it does not say where they are'; cat out; }
        grep -q ' 0\.00%' out && bad 'rows without figures'
    fi
fi
finish
