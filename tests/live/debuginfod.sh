#!/bin/bash
# Debug files come from debuginfod only if DEBUGINFOD_URLS is set; what it has kept needs no server; a server that
# does not answer costs no more than DEBUGINFOD_TIMEOUT.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
ldconfig -p | grep -q libdebuginfod.so.1 || skip 'libdebuginfod is not installed'
export DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_TIMEOUT=1
unset DEBUGINFOD_URLS

echo 'int walk(int a) { return a * 3; } int main(int c, char **v) { (void)v; return walk(c); }' >"$work/a.c"
gcc -O1 -g -o "$work/whole" "$work/a.c"
cp "$work/whole" "$work/stripped" && strip "$work/stripped"
at=$(nm "$work/whole" | awk '$3 == "walk" {print $1}')
id=$(readelf -n "$work/whole" | sed -n 's/.*Build ID: //p')
mkdir -p "$work/cache/$id" && cp "$work/whole" "$work/cache/$id/debuginfo"

"$gait" symbols -q "$work/stripped" "$at" | grep -q walk && bad 'asked without DEBUGINFOD_URLS'
DEBUGINFOD_URLS=http://127.0.0.1:9/ "$gait" symbols -q "$work/stripped" "$at" | grep -q 'a.c:1:' || bad 'what is kept was not used'
rm -rf "$work/cache"
DEBUGINFOD_URLS=http://127.0.0.1:9/ "$gait" symbols "$work/stripped" "$at" 2>&1 | grep -q 'debuginfod at http://127.0.0.1:9/' ||
    bad 'a server that refuses is not named'

# One that has the file, as its protocol says: a recording of the stripped program keeps the names for a store.
rm -rf "$work/cache"
mkdir -p "$work/served/buildid/$id" && cp "$work/whole" "$work/served/buildid/$id/debuginfo"
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/served" 0 >"$work/served-at" 2>"$work/asked" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 50); do grep -q 'port [0-9]' "$work/served-at" && break; sleep 0.1; done
export DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$work/served-at")/
"$gait" symbols -q "$work/stripped" "$at" | grep -q 'a.c:1:' || bad 'what a server has was not used'
rm -rf "$work/cache"
cp "$work/stripped" "$work/run"
"$gait" record -q --exact=counts -o "$work/r" -- "$work/run" >/dev/null 2>&1
"$gait" push -q -s "sqlite:$work/store" "$work/r" || bad 'it cannot be sent'
unset DEBUGINFOD_URLS
rm -rf "$work/cache" "$work/run"
"$gait" report --json -i "sqlite:$work/store" | grep -q '"name": "main"' || bad 'a store has no names out of a debug file of a server'
kill "$server"
rm -rf "$work/cache"

# One that takes the question and says nothing.
python3 -c 'import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(60)' >"$work/port" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 50); do [ -s "$work/port" ] && break; sleep 0.1; done
rm -rf "$work/cache"
DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$work/port")/ timeout 20 "$gait" symbols -q "$work/stripped" "$at" >/dev/null ||
    bad "a silent server: status $?"
finish
