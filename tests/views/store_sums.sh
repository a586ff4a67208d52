#!/bin/bash
# Sums of hours and days say what their recordings said; a store is pruned, copied and checked; who may only insert can do no more.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/postgres.sh

hour=3600000000000 day=86400000000000
for i in 1 2 3; do
    "$gait" record -q --exact=counts -o "$work/r$i" -- "$(program orders)" >/dev/null 2>&1 || bad "r$i is not recorded"
    "$gait" record -q -F 2000 -o "$work/s$i" -- "$(program orders)" >/dev/null 2>&1 || bad "s$i is not recorded"
done

# rows STORE: what reports say of functions, whoever ran them.
rows() {
    local mode
    for mode in exact sampled; do
        "$gait" report --json -i "$1$2mode=$mode" | grep -v '"command":'
        "$gait" report --json --by line -i "$1$2mode=$mode" | grep -v '"command":'
        "$gait" export --format llvm -o - -i "$1$2mode=$mode" 2>&1
    done
}
# rolls STORE MARK RUN: RUN executes SQL on it. Two recordings are of this hour, two of the last, two of three days ago.
rolls() {
    local store=$1 mark=$2 run=$3
    status 0 push "$gait" push -q -s "$store" "$work"/[rs][123]
    "$run" "UPDATE gait_recordings SET begin_ns = begin_ns - $hour WHERE digest IN (SELECT digest FROM gait_recordings ORDER BY begin_ns LIMIT 2)"
    [ "$mark" = '?' ] || sql "SELECT gait_day($(($(date +%s) / 86400 - 3)))" >/dev/null
    "$run" "UPDATE gait_recordings SET day = day - 3, begin_ns = begin_ns - 3 * $day WHERE digest IN (SELECT digest FROM gait_recordings ORDER BY begin_ns DESC LIMIT 2)"
    rows "$store" "$mark" >"$work/before"
    status 0 'nothing is over for two hours' "$gait" store roll-up -s "$store"
    grep -q '^2 recordings rolled up; 4 sums written' "$work/stdout" || bad "roll-up: $(cat "$work/stdout")"
    rows "$store" "$mark" | diff "$work/before" - >"$work/diff" || { bad "a day says something else than its recordings"; head -n 5 "$work/diff"; }
    status 0 'all' "$gait" store roll-up -s "$store" --after 0s
    grep -q '^4 recordings rolled up' "$work/stdout" || bad "roll-up: $(cat "$work/stdout")"
    rows "$store" "$mark" | diff "$work/before" - >"$work/diff" || { bad "hours say something else than their recordings"; head -n 5 "$work/diff"; }
    same 'days' 2 "$("$run" 'SELECT count(*) FROM gait_sums WHERE hours = 24')"
    status 0 'again' "$gait" push -s "$store" "$work"/[rs][12]
    says '0 recordings sent, 4 were there already'
    status 0 'of a machine' "$gait" push -q -s "$store" --machine other --service x "$work/before-all"
    status 0 'of a machine' "$gait" report -i "$store${mark}machine=other"
    status 2 'of a machine that is only in sums' "$gait" report -i "$store${mark}machine=$(hostname)"
    status 0 check "$gait" store check -s "$store"
    status 0 show "$gait" store show --json -s "$store"
    python3 -c "
import json, sys
rows = json.load(open('$work/stdout'))['rows']
assert sum(row['recordings'] for row in rows) == 7 and sum(row['waiting'] for row in rows) == 1, rows" || bad 'show does not count 7 recordings, of which 1 waits'
}
"$gait" record -q --plain -o "$work/before-all" -- true 2>/dev/null || "$gait" record -q --exact=counts -o "$work/before-all" -- true

lite() { python3 -c "
import sqlite3, sys
base = sqlite3.connect('$work/store')
for row in base.execute(sys.argv[1]): print(*row, sep='|')
base.commit()" "$1"; }
rolls "sqlite:$work/store" '?' lite

status 0 copy "$gait" store copy -s "sqlite:$work/store" --to "sqlite:$work/copy"
rows "sqlite:$work/copy" '?' | diff "$work/before" - >/dev/null || bad 'a copy says something else'
status 0 'copied again' "$gait" store copy -s "sqlite:$work/store" --to "sqlite:$work/copy"
grep -q '^0 recordings, 0 sums and 0 packs' "$work/stdout" || bad "copied again: $(cat "$work/stdout")"
status 0 'other recordings' "$gait" push -q -s "sqlite:$work/raw" "$work/r1"
status 2 'recordings that may be in a sum' "$gait" store copy -s "sqlite:$work/store" --to "sqlite:$work/raw"
says 'has only their sum'

cp "$work/copy" "$work/pruned"
status 0 'prune by age' "$gait" store prune -s "sqlite:$work/pruned" --older 36h
grep -q '^2 recordings forgotten' "$work/stdout" || bad "prune: $(cat "$work/stdout")"
cp "$work/copy" "$work/small"
status 0 'prune by size' "$gait" store prune -s "sqlite:$work/small" --size 1K
grep -q '^2 recordings forgotten' "$work/stdout" || bad "prune by size: $(cat "$work/stdout")"
status 129 'prune what' "$gait" store prune -s "sqlite:$work/small"

python3 -c "
import sqlite3
base = sqlite3.connect('$work/copy')
body, = base.execute('SELECT body FROM gait_sums WHERE hours = 24').fetchone()
body = bytearray(body); body[len(body) // 2] ^= 1
base.execute('UPDATE gait_sums SET body = ? WHERE rowid = (SELECT min(rowid) FROM gait_sums WHERE hours = 24)', (bytes(body),)); base.commit()"
status 2 'a damaged sum' "$gait" store check -s "sqlite:$work/copy"
says 'a recording of'
python3 -c "
import sqlite3
base = sqlite3.connect('$work/small'); base.execute('DELETE FROM gait_code'); base.commit()"
status 2 'lost packs' "$gait" store check -s "sqlite:$work/small"
says 'functions are missing'

# A damaged recording is left out, and said to be; rolling up goes on without it.
damage() { python3 -c "
import sqlite3, sys
base = sqlite3.connect('$work/hurt')
base.execute('UPDATE gait_recordings SET body = ? WHERE rowid = (SELECT min(rowid) FROM gait_recordings)', (bytes.fromhex(sys.argv[1]),)); base.commit()" "$1"; }
status 0 'two' "$gait" push -q -s "sqlite:$work/hurt" "$work/r1" "$work/r2"
for body in '' 00 28b52ffd 28b52ffda0ffffff7f28b52ffd; do
    damage "$body"
    status 0 "a view beside '$body'" "$gait" report -i "sqlite:$work/hurt"
    says '1 damaged recordings are left out'
done
status 2 'check of it' "$gait" store check -s "sqlite:$work/hurt"
status 0 'roll-up beside it' "$gait" store roll-up --after 0s -s "sqlite:$work/hurt"
grep -q '^1 recordings rolled up' "$work/stdout" || bad "roll-up: $(cat "$work/stdout")"
status 0 'the sum' "$gait" report -i "sqlite:$work/hurt"
says '1 damaged recordings are left out'
status 2 'check of it, rolled up' "$gait" store check -s "sqlite:$work/hurt"
python3 -c "
import sqlite3
base = sqlite3.connect('$work/hurt'); base.execute('UPDATE gait_code SET body = x\'2a\''); base.execute('DELETE FROM gait_sums'); base.commit()"
status 2 'nothing but damage' "$gait" report -i "sqlite:$work/hurt"
says 'every recording that matches is damaged'
status 0 'a good one again' "$gait" push -q -s "sqlite:$work/hurt" "$work/r3"
status 0 'damaged names' "$gait" report -i "sqlite:$work/hurt"
says 'functions have lost their names and code'

# One in which nothing was sampled is of the same service; so is a store of the version before.
status 0 'idle' "$gait" record -q -o "$work/idle" -- true
cp "$work/raw" "$work/older"
python3 -c "
import sqlite3
base = sqlite3.connect('$work/older'); base.execute('DROP INDEX gait_recordings_digest'); base.execute('ALTER TABLE gait_store DROP COLUMN oldest'); base.execute('UPDATE gait_store SET version = 2'); base.commit()"
status 2 'an older store' "$gait" report -i "sqlite:$work/older"
says 'type:  gait store update'
status 0 'it is brought up to date' "$gait" push -q --service orders -s "sqlite:$work/older" "$work/s1" "$work/idle"
status 0 'roll-up of idle ones' "$gait" store roll-up --after 0s -s "sqlite:$work/older"
status 0 'trend' "$gait" trend "sqlite:$work/older?mode=sampled"
status 129 'trend of two kinds' "$gait" trend "sqlite:$work/older"
says 'mode= chooses'

postgres_start || { echo 'PostgreSQL is not installed: its half was SKIPPED; type:  sudo apt-get install postgresql'; finish; }
owner="postgresql://owner@/postgres?host=$pg_sockets"
rolls "$owner" '&' sql
status 0 'copy from SQLite' "$gait" store copy -s "sqlite:$work/raw" --to "postgresql://owner@/template1?host=$pg_sockets"
status 0 'prune days of PostgreSQL' "$gait" store prune -s "$owner" --older 36h
same 'partitions that are left' 1 "$(sql "SELECT count(*) FROM pg_inherits WHERE inhparent = 'gait_recordings'::regclass")"

# A sender saw that a pack is there, and waits before it is through; a prune meanwhile forgets all that had the pack.
sql 'CREATE DATABASE race'
base=race race="postgresql://owner@/race?host=$pg_sockets"
status 0 'the old one' "$gait" push -q -s "$race" "$work/r1"
sql "SELECT gait_day($(($(date +%s) / 86400 - 3)))" >/dev/null
sql "UPDATE gait_recordings SET day = day - 3, begin_ns = begin_ns - 3 * $day"
sql "CREATE FUNCTION hold() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(99); RETURN NEW; END'"
[ "$(sql 'SELECT count(*) FROM gait_code')" -gt 1 ] || bad 'there are not two packs'
sql 'DELETE FROM gait_code WHERE module = (SELECT max(module) FROM gait_code)' # the sender makes it again, behind those that it finds
sql 'CREATE TRIGGER hold BEFORE INSERT ON gait_code FOR EACH ROW EXECUTE FUNCTION hold()'
exec {holder}> >("$pg_bin/psql" -qAt -h "$pg_sockets" -U owner race >"$work/held")
echo 'SELECT pg_advisory_lock(99);' >&$holder
# waiting N: so many wait for locks.
waiting() { [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted")" -ge "$1" ]; }
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = 99")" = 1 ]; do sleep 0.05; done
"$gait" push -q -s "$race" "$work/r2" &
pushing=$!
until waiting 1 || ! kill -0 $pushing 2>/dev/null; do sleep 0.05; done
"$gait" store prune -s "$race" --older 36h >"$work/raced" 2>&1 &
pruning=$!
until waiting 2 || ! kill -0 $pruning 2>/dev/null; do sleep 0.05; done
echo '\q' >&$holder # what was started meanwhile has the pipe, too
exec {holder}>&-
wait $pushing || bad 'a sender fails beside a prune'
wait $pruning || bad "a prune fails beside a sender: $(cat "$work/raced")"
status 0 'what was sent has its names' "$gait" store check -s "$race"
same 'recordings and packs forgotten' '1 recordings forgotten, and 0 packs of builds that no recording has' "$(cat "$work/raced")"
base=

# A role that may only insert, as docs/FLEET.md makes it.
sql "$(sed -n '/^    CREATE ROLE sender/,/^$/p' docs/FLEET.md)" || bad 'the role cannot be made'
sender="postgresql://sender@/postgres?host=$pg_sockets"
PGPASSWORD=wrong status 1 'a wrong password' "$gait" push -s "$sender" "$work/r1"
says 'password authentication failed'
export PGPASSWORD=secret
sql 'DELETE FROM gait_recordings; DELETE FROM gait_code'
status 0 'an insert' "$gait" push -s "$sender" "$work/r1"
status 0 'another' "$gait" push -s "$sender" "$work/s1" "$work/r1"
says '1 recordings sent, 1 were there already'
status 2 'reading' "$gait" report -i "$sender"
says 'this role may not'
for text in 'SELECT body FROM gait_code' 'SELECT * FROM gait_recordings' 'DELETE FROM gait_recordings' 'UPDATE gait_store SET sender_bytes = 1' 'DROP TABLE gait_sums'; do
    ! "$pg_bin/psql" -qAt -v ON_ERROR_STOP=1 -h "$pg_sockets" -U sender postgres -c "$text" 2>/dev/null >&2 || bad "a sender may: $text"
done
# Rows and days that gait push would not send, however they come.
digest="sha256('x')" none="''::bytea"
for text in 'SELECT gait_day(20000)' "INSERT INTO gait_code VALUES ('xyz', $digest, $none, $none)" "INSERT INTO gait_code VALUES ('abcd', 'x', $none, $none)" \
    "INSERT INTO gait_recordings VALUES ($(($(date +%s) / 86400)), $digest, 'm', repeat('s', 1000), '', 'exact', $(date +%s%N), $(date +%s%N), 0, $none)" \
    "INSERT INTO gait_recordings VALUES ($(($(date +%s) / 86400)), $digest, 'm', 's', '', 'exact', $(date +%s%N), $(date +%s%N), 0, $none, 2)" \
    "INSERT INTO gait_code VALUES ('abcd', $digest, decode(repeat('00', 80000000), 'hex'), $none)" \
    "CREATE TEMP TABLE gait_store (sender_bytes bigint); CREATE TEMP TABLE gait_sent (day bigint, sender text, bytes bigint, PRIMARY KEY (day, sender)); INSERT INTO gait_store VALUES (1e18); INSERT INTO gait_code VALUES ('abcd', $digest, decode(repeat('00', 80000000), 'hex'), $none)"; do
    ! "$pg_bin/psql" -qAt -v ON_ERROR_STOP=1 -h "$pg_sockets" -U sender postgres -c "$text" 2>/dev/null >&2 || bad "a sender may: ${text:0:200}"
done
"$pg_bin/psql" -qAt -v ON_ERROR_STOP=1 -h "$pg_sockets" -U sender postgres -c "INSERT INTO gait_code VALUES ('abcd', $digest, $none, $none)" || bad 'a good row is refused'
sql 'UPDATE gait_store SET sender_bytes = 20000'
status 1 'too much for a day' "$gait" push -s "$sender" "$work"/[rs][23]
says 'more than the store takes'
# gait watch: what is too much for today waits, and keeps nothing else from the store.
mkdir -m 700 "$work/spool"
now=$(date +%s)
cp "$work/r2" "$work/spool/0$((now - 60))000000000-1-large.data"
"$gait" record -q -o "$work/small" -- true
cp "$work/small" "$work/spool/0${now}000000000-2-small.data"
printf '%s\n' "store = $sender" "spool = $work/spool" 'send = each' 'watch name=no-such-program' >"$work/watch.conf"
sql "DELETE FROM gait_sent; DELETE FROM gait_recordings; UPDATE gait_store SET sender_bytes = 5000"
status 0 'one too large' "$gait" watch --config "$work/watch.conf" --rounds 1
says 'more than the store takes'
same 'what waits, and what is stored' '1 0 1' "$(ls "$work/spool" | grep -c -- '-large.data') $(ls "$work/spool" | grep -c -- '-small.data') $(sql "SELECT count(*) FROM gait_recordings WHERE service = 'small'")"

# A store of the version before takes what a newer gait sends as a role that may not change it.
sql 'UPDATE gait_store SET version = 3, sender_bytes = 100000000'
status 0 'tables of an older gait' "$gait" push -q -s "$sender" "$work/r3"
same 'its version' 3 "$(sql 'SELECT version FROM gait_store')"
sql 'UPDATE gait_store SET version = 77'
status 0 'a newer store that says it can be used' "$gait" push -q -s "$sender" "$work/r3"
sql 'UPDATE gait_store SET oldest = 77'
status 2 'a newer store' "$gait" push -s "$sender" "$work/r2"
says 'made by a newer gait'
# A server that says it is PostgreSQL 12.
python3 - "$work/old" <<'P' &
import os, socket, struct, sys
os.mkdir(sys.argv[1])
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1] + '/.s.PGSQL.5432')
server.listen()
client, _ = server.accept()
client.recv(4096)
message = lambda kind, body: kind + struct.pack('>I', len(body) + 4) + body
client.sendall(message(b'R', struct.pack('>I', 0)) + message(b'S', b'server_version\x0012.22\0') + message(b'Z', b'I'))
client.recv(4096)
P
until [ -e "$work/old/.s.PGSQL.5432" ]; do sleep 0.05; done
status 1 'an old server' "$gait" push -s "postgresql://owner@/postgres?host=$work/old" "$work/r2"
says 'PostgreSQL 12; expected 13 or newer'
postgres_stop
status 1 'a store that is away' "$gait" push -s "$sender" "$work/r2"
says 'connection to server'
finish
