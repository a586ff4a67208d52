#!/bin/bash
# SIGKILL at any moment, of the recorder or of the program: what is on the disk can be read, an older
# profile is still there, and the program does not notice that its recorder is gone.
# 20 kills at moments picked at random; with GAIT_LONG 200.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
kills=20
[ -z "$GAIT_LONG" ] || kills=200
crowd=$(program crowd) rounds=1000000
expected=$("$crowd" $rounds)
RANDOM=${GAIT_SEED:-$$}
echo "seed ${GAIT_SEED:-$$}"
"$gait" record -q -o "$work/before" -- true

# one MODE VICTIM MS: a line for each thing that is wrong, then "hit" or "missed".
one() {
    local mode=$1 victim=$2 ms=$3 data=$work/$1.$2.$BASHPID pid target over i
    cp "$work/before" "$data"
    set -- "$crowd" $rounds
    # The shell stands between, to see how the program ends when gait is gone.
    [ $victim = program ] || set -- sh -c '"$@" >"$0.out" 2>&1; echo $? >"$0.status"' "$data" "$@"
    "$gait" record $(options_of $mode) -q -o "$data" -- "$@" >"$data.stdout" 2>"$data.stderr" &
    pid=$! target=$!
    sleep "$(printf '0.%03d' "$ms")"
    [ $victim = gait ] || target=$(pgrep -P $pid)
    [ -e "$data.status" ] && over=yes
    [ -z "$target" ] || kill -KILL $target 2>/dev/null
    wait $pid 2>/dev/null
    # Whether anyone was still alive when the signal came shows in how it ended.
    [ $? = 137 ] || { echo missed; return; }
    if [ $victim = gait ]; then
        for i in $(seq 300); do [ -s "$data.status" ] && break; [ -e "$data.out" ] || [ $i -lt 5 ] || break; sleep 0.1; done
        # Killed before it had started anything: there is no program to look at.
        if [ -e "$data.out" ]; then
            [ "$(cat "$data.out")" = "$expected" ] || echo "the program printed '$(head -c 200 "$data.out")'"
            [ -n "$over" ] || cmp -s "$work/before" "$data" || "$gait" info "$data" | grep -q 'not closed' ||
                echo 'the profile looks complete'
            [ "$(cat "$data.status")" = 7 ] || echo "the program ended with '$(cat "$data.status")'"
        fi
    elif "$gait" info "$data" 2>&1 | grep -q 'not closed'; then
        echo 'the recording was not closed'
    fi
    if [ -e "$data.old" ]; then cmp -s "$work/before" "$data.old" || echo 'the older profile was changed'
    else cmp -s "$work/before" "$data" || echo 'the older profile is gone'; fi
    [ ! -e "$data" ] || "$gait" verify "$data" >"$data.verify" 2>&1 || { echo 'it does not verify:'; cat "$data.verify"; }
    [ ! -e "$data" ] || "$gait" report "$data" >/dev/null 2>"$data.verify" || { echo 'no report:'; cat "$data.verify"; }
    echo hit
}

set -- $modes
hits=0 tries=0 slots=3
declare -A hit_of
while [ $hits -lt $kills ] && [ $tries -lt $((3 * kills)) ]; do
    for slot in $(seq $slots); do
        mode=${!#} # the last of the modes, in turn
        set -- "$mode" "${@:1:$#-1}"
        [ $((RANDOM % 2)) = 0 ] && victim=gait || victim=program
        # Half of them early, where memory and files are made.
        [ $((RANDOM % 2)) = 0 ] && ms=$((RANDOM % 60)) || ms=$((RANDOM % 900))
        echo "$mode $victim $ms" >"$work/what.$slot"
        one "$mode" $victim $ms >"$work/result.$slot" 2>&1 &
        jobs[slot]=$!
    done
    for slot in $(seq $slots); do
        wait "${jobs[slot]}" 2>/dev/null
        tries=$((tries + 1))
        what=$(cat "$work/what.$slot")
        if [ "$(tail -n 1 "$work/result.$slot")" = hit ]; then
            hits=$((hits + 1)) hit_of[${what% *}]=$((${hit_of[${what% *}]:-0} + 1))
        fi
        grep -vx 'hit\|missed' "$work/result.$slot" >"$work/wrong" && bad "$what ms: $(head -n 20 "$work/wrong")"
    done
    rm -f "$work"/*.[0-9]*.*
done
for key in "${!hit_of[@]}"; do echo "killed: $key ${hit_of[$key]} times"; done | sort
[ $hits -ge $kills ] || bad "only $hits of $tries tries hit a living process"
finish
