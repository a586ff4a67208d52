#!/bin/bash
# Static graphs, told of no run, have the edges that callgrind sees in real programs: bench/graph-edges has the
# bar, and `make bench-cfg` more programs.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command valgrind valgrind
need_command setarch util-linux
need_programs lua gzip
make -s MODE="$(basename "$out")" "$out/bench/graphs" || fail "bench/src/graphs.c does not build"
bench/graph-edges --programs lua,gzip "$out"
