#!/bin/bash
# Jump tables are those that the compiler wrote into its assembly, for lua as PIE: bench/graph-tables has the bar.
# GAIT_LONG=1: all its programs, both kinds of code; `make bench-cfg` has another compiler, too.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command dpkg-source dpkg-dev
need_command g++ g++
make -s MODE="$(basename "$out")" "$out/bench/graphs" || fail "bench/src/graphs.c does not build"
quick=--quick
[ -z "$GAIT_LONG" ] || quick=
bench/graph-tables $quick --compilers gcc "$out"
