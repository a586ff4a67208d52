#!/bin/bash
# Takes long
# Whatever is killed, sender or database, and whenever: what was acknowledged is stored, and nothing is stored twice.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/postgres.sh
kills=${GAIT_LONG:+100} kills=${kills:-3}

"$gait" record -q --exact=counts -o "$work/data" -- "$(program orders)" >/dev/null 2>&1 || bad 'nothing is recorded'
# The same recording of other moments, so that each is one of its own.
for ((i = 0; i < 8 * kills; i++)); do
    cp "$work/data" "$work/r$i" && printf 'a tail that no reader looks at: %d' "$i" >>"$work/r$i"
done

# sender_killed STORE: a push that is killed, and then again until it says it is done.
sender_killed() {
    local i
    for ((i = 0; i < kills; i++)); do
        "$gait" push -q -s "$1" "$work/r$((4 * i))" "$work/r$((4 * i + 1))" "$work/r$((4 * i + 2))" "$work/r$((4 * i + 3))" 2>/dev/null &
        local sender=$!
        sleep "0.0$((RANDOM % 9))"
        kill -9 $sender 2>/dev/null
        wait $sender 2>/dev/null
        status 0 "push $i after a kill" "$gait" push -q -s "$1" "$work/r$((4 * i))" "$work/r$((4 * i + 1))" "$work/r$((4 * i + 2))" "$work/r$((4 * i + 3))"
    done
}
# counted STORE N: so many recordings are in it, and sums to as much.
counted() {
    status 0 'show' "$gait" store show --json -s "$1"
    same 'recordings' "$2" "$(grep -o '"recordings": [0-9]*' "$work/stdout" | cut -d' ' -f2)"
    status 0 'check' "$gait" store check -q -s "$1"
    status 0 'the sum' "$gait" info --json "$1"
    grep -q "\"recordings\": $2" "$work/stdout" || bad "the sum is of $(grep -o '"recordings": [0-9]*' "$work/stdout"), not of $2"
}
sender_killed "sqlite:$work/store"
counted "sqlite:$work/store" $((4 * kills))

postgres_start || { echo 'PostgreSQL is not installed: its half was SKIPPED; type:  sudo apt-get install postgresql'; finish; }
store="postgresql://owner@/postgres?host=$pg_sockets"
sender_killed "$store"
counted "$store" $((4 * kills))
# The database: kill -9 of its first process and all others, while somebody sends.
acknowledged=0
for ((i = 0; i < kills; i++)); do
    for ((k = 0; k < 4; k++)); do
        "$gait" push -q -s "$store" "$work/r$((4 * kills + 4 * i + k))" 2>/dev/null && echo "r$((4 * kills + 4 * i + k))"
    done >"$work/said" &
    sender=$!
    sleep "0.$((RANDOM % 3))$((RANDOM % 9))"
    first=$(head -n 1 "$pg/data/postmaster.pid")
    others=$(ps -o pid= --ppid "$first")
    kill -9 $first $others 2>/dev/null
    wait $sender
    acknowledged=$((acknowledged + $(wc -l <"$work/said")))
    for process in $first $others; do while kill -0 "$process" 2>/dev/null; do sleep 0.02; done; done
    rm -f "$pg/data/postmaster.pid" "$pg"/.s.PGSQL.*
    postgres_run
    now=$(sql 'SELECT count(*) FROM gait_recordings')
    expected=$((4 * kills + 4 * i + $(wc -l <"$work/said")))
    [ "$now" -ge "$expected" ] || bad "kill $i: the store has $now recordings; $expected were acknowledged"
    for ((k = 0; k < 4; k++)); do status 0 'sent again' "$gait" push -q -s "$store" "$work/r$((4 * kills + 4 * i + k))"; done
done
counted "$store" $((8 * kills))
echo "$kills kills each of two senders and of the database; $acknowledged pushes were acknowledged before"
finish
