#!/bin/bash
# list: every word it calls good is taken, and what it says of events is what perf finds.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'python3 is not installed'

status 0 'list' "$gait" list
silent list
cp "$work/stdout" "$work/list"
for what in triggers modes events formats losses cores labs fields; do
    grep -q "^$what:" "$work/list" || bad "$what are not listed"
    status 0 "list $what" "$gait" list $what
    same "list $what alone" 1 "$(grep -c '^[a-z]*:' "$work/stdout")"
done
status 0 'list --json' "$gait" list --json
cp "$work/stdout" "$work/list.json"
# words KIND VERDICT
words() {
    python3 -c 'import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["schema"] == "gait/list/1"
for row in answer["rows"]:
    if row["kind"] == sys.argv[2] and row.get("verdict", "") == sys.argv[3]: print(row["name"])' "$work/list.json" "$1" "$2"
}
[ "$(words losses '' | wc -l)" = "$(grep -c '^ *LOSS(' src/wire/losses.h)" ] || bad 'not every loss is listed'
same formats "$(sed -n 's/^FORMAT[A-Z_]*([a-z_, ]*"\([^"]*\)",.*/\1/p' src/export/job/formats.def | xargs)" "$(words formats '' | xargs)"
same cores "$(cd cores && ls *.core | sed 's/\.core$//' | sort | xargs)" "$(words cores '' | grep -vx native | sort | xargs)"
same labs "$("$gait" lab | awk '{ print $1 }' | xargs)" "$(words labs '' | xargs)"
"$gait" record -q -F 2000 -o "$work/data" -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
status 0 'fields in an expression' "$gait" pipeline --limit 1 --metric "$(words fields '' | paste -sd+)" "$work/data"
for trigger in $(words triggers good); do
    status 0 "record --trigger $trigger" "$gait" record -q --trigger "$trigger" -o "$work/data" -- true
done

# perf is the oracle. It counts what we would sample: PMUs that count without interrupts are asked apart.
if command -v perf >/dev/null && perf stat -e cpu-clock -- true 2>/dev/null; then
    for verdict in good missing; do
        events=$(words events $verdict | grep -v '[:/]' | paste -sd,)
        [ -n "$events" ] || continue
        perf stat -x ';' -e "$events" -o "$work/stat" -- true || bad "perf stat -e $events"
        same "events that perf finds: $verdict" "$(tr ',' '\n' <<<"$events" | sort | xargs)" \
            "$(grep -v '^#' "$work/stat" | awk -F ';' -v good=$([ $verdict = good ]; echo $?) 'NF > 3 && (($1 == "<not supported>") == good) { sub(/:u$/, "", $3); print $3 }' | sort | xargs)"
        for event in $(words events $verdict | grep /); do
            perf record -q -c 1000003 -e "$event" -o "$work/perf.data" -- true >/dev/null 2>&1
            opened=$?
            same "perf on $event" "$([ $verdict = good ] && echo 0 || echo 255)" $opened
        done
    done
else
    echo 'perf does not work here: what list says of events was not compared'
fi

status 129 'nothing of that name' "$gait" list nonsense
status 129 'unknown option' "$gait" list --no-such
status 1 'a full disk' sh -c "'$gait' list >/dev/full"
finish
