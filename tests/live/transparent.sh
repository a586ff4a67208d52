#!/bin/bash
# A recorded program finds what it would find alone: input, output, descriptors, environment, signals.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh

# Names are read when the program has ended: nothing of it would change.
for mode in $modes; do
    record="$gait record --no-names $(options_of $mode) -q -o $work/data --"

    same "$mode, stdin" 'a line' "$(echo 'a line' | $record cat)"
    same "$mode, closed stdin" "$(cat <&- 2>&1)" "$($record cat <&- 2>&1)"
    same "$mode, stdout and stderr" "$(sh -c 'echo one; echo two >&2' 2>&1)" "$($record sh -c 'echo one; echo two >&2' 2>&1)"
    same "$mode, arguments" "$(printf '%s|' 'a b' '' '$x' "'" -v --)" "$($record printf '%s|' 'a b' '' '$x' "'" -v --)"
    same "$mode, summary on stdout" '' "$("$gait" record --no-names $(options_of $mode) -o "$work/data" -- true 2>/dev/null)"

    # The environment is as long in every recording, whatever the tool's process id: exact runs depend on where it ends.
    [ $mode = plain ] || same "$mode, length of the variable" 21 "$($record sh -c 'echo ${#GAIT_CHANNEL}' 3>&-)"

    # Only the agent's own perf event may be there, close-on-exec and far away from the low numbers.
    # The pipe of $() and the folder that ls itself opens differ from run to run; their numbers do not.
    fds='ls -l /proc/self/fd | sed -n "s/.* \([0-9]* -> .*\)/\1/p" | sed "s/\[[0-9]*\]//; s/proc\/[0-9]*/proc/" | sort -n'
    list() { env sh -c "exec 5</dev/null; $fds" 2>&1; }
    native=$(list)
    got=$($record sh -c "exec 5</dev/null; $fds" 2>&1 | grep -v 'anon_inode:.*perf_event')
    same "$mode, descriptors" "$native" "$got"
    $record ls -l /proc/self/fd | sed -n 's/.* \([0-9]*\) -> anon_inode:.*perf_event.*/\1/p' | while read -r fd; do
        [ "$fd" -ge 100 ] || echo low
    done | grep -q low && bad "$mode: the perf event has a low number"

    same "$mode, environment" "$(env | grep -v '^_=' | sort)" \
        "$($record env | grep -Ev '^(_|LD_PRELOAD|GAIT_CHANNEL)=' | sort)"
    if [ "$mode" = plain ]; then # no agent: nothing is added
        same 'plain, other preloads' libc.so.6 "$(LD_PRELOAD=libc.so.6 $record printenv LD_PRELOAD)"
        same "plain, the user's GAIT_CHANNEL" mine "$(GAIT_CHANNEL=mine $record printenv GAIT_CHANNEL)"
    else
        same "$mode, other preloads" "libgait.so:libc.so.6" "$(LD_PRELOAD=libc.so.6 $record printenv LD_PRELOAD | sed 's|.*/||')"
        same "$mode, the user's GAIT_CHANNEL" 1 "$(GAIT_CHANNEL=mine $record env | grep -c '^GAIT_CHANNEL=/proc/')"
    fi

    signals() { grep -E '^(SigBlk|SigIgn|ShdPnd|SigPnd):' /proc/self/status; }
    same "$mode, signals" "$(sh -c 'exec grep -E "^Sig(Blk|Ign|Pnd):" /proc/self/status')" \
        "$($record grep -E '^Sig(Blk|Ign|Pnd):' /proc/self/status)"
    same "$mode, ignored signals" \
        "$(trap '' INT QUIT HUP CHLD XFSZ; exec grep -E '^Sig(Blk|Ign|Pnd):' /proc/self/status)" \
        "$(trap '' INT QUIT HUP CHLD XFSZ; exec $record grep -E '^Sig(Blk|Ign|Pnd):' /proc/self/status)"
    same "$mode, limits" "$(ulimit -S -f 12345; sh -c 'ulimit -a')" "$(ulimit -S -f 12345; $record sh -c 'ulimit -a')"
    same "$mode, umask" "$(umask 027; sh -c umask)" "$(umask 027; $record sh -c umask)"
    same "$mode, folder" / "$(cd / && $record pwd)"
    # More processes than there are channels: those of processes that are gone are used again.
    status 0 "$mode, many processes" "$gait" record --no-names $(options_of $mode) -o "$work/data" -- \
        sh -c 'for i in $(seq 200); do /bin/true; sleep 0.002; done'
    ! grep 'process not recorded' "$work/stderr" || bad "$mode: channels were not freed"
    # So are they if all was quiet before, and the tool looks only now and then.
    status 0 "$mode, a burst" "$gait" record --no-names $(options_of $mode) -o "$work/burst" -- \
        sh -c 'sleep 2; for i in $(seq 200); do /bin/true; done'
    ! grep 'process not recorded' "$work/stderr" || bad "$mode: channels were not freed in a burst"
    "$gait" verify "$work/data" >"$work/verdict" 2>&1 || bad "$mode: many processes do not verify: $(grep -v '^ok' "$work/verdict" | head -n 12)"
done
finish
