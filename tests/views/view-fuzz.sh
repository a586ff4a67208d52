#!/bin/bash
# gait view gets odd requests for five seconds: it answers to the end, and no analysis crashes. make fuzz-serve does it for longer.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
ldconfig -p | grep -q 'libmicrohttpd\.so\.12' || skip 'libmicrohttpd12 is not installed (apt-get install libmicrohttpd12)'
program orders >/dev/null
tests/fuzz/serve.py "$out" 5 1 || bad 'odd requests'
finish
