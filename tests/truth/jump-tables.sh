#!/bin/bash
# Jump tables are those that the compiler wrote into its assembly: bench/graph-tables has the bar, and
# `make bench-cfg` more programs and another compiler.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command dpkg-source dpkg-dev
need_command g++ g++
make -s MODE="$(basename "$out")" "$out/bench/graphs" || fail "bench/src/graphs.c does not build"
bench/graph-tables --quick --compilers gcc "$out"
