#!/bin/bash
# What functions cost with all that they called, of a traced exact run, is what callgrind has on the same run.
# GAIT_LONG=1: of five programs.
cd "$(dirname "$0")/../.." || exit 1
if [ -n "$GAIT_LONG" ]; then exec bench/inclusive; else exec bench/inclusive gzip; fi
