# A PostgreSQL of our own: in $work, without a network, for as long as the test runs. Sourced behind live.sh.

# The server refuses to run as root.
as_server() { if [ "$(id -u)" = 0 ]; then setpriv --reuid nobody --regid nogroup --clear-groups "$@"; else "$@"; fi; }
# postgres_start: sets $pg_sockets; its users need passwords but for "owner", who makes the store. Fails where there is none.
postgres_start() {
    pg_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
    [ -x "$pg_bin/initdb" ] || return 1
    pg=$(mktemp -d /tmp/gait-pg-XXXXXX) pg_sockets=$pg
    trap 'postgres_stop; rm -rf "$work" "$pg"' EXIT
    [ "$(id -u)" != 0 ] || chown nobody "$pg"
    chmod 755 "$pg"
    (cd / && as_server "$pg_bin/initdb" -D "$pg/data" -U owner -A trust -E UTF8 --no-sync >"$work/initdb" 2>&1) || { cat "$work/initdb"; return 1; }
    printf 'local all owner trust\nlocal all all scram-sha-256\n' | as_server tee "$pg/data/pg_hba.conf" >/dev/null
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$pg'" 'fsync = off' 'shared_buffers = 16MB' | as_server tee -a "$pg/data/postgresql.conf" >/dev/null
    postgres_run
}
postgres_run() { (cd / && as_server "$pg_bin/pg_ctl" -D "$pg/data" -l "$pg/data/log" -w start >/dev/null 2>&1) || { bad 'PostgreSQL does not start'; cat "$pg/data/log"; }; }
postgres_stop() { (cd / && as_server "$pg_bin/pg_ctl" -D "$pg/data" -m immediate -w stop >/dev/null 2>&1); }
# sql TEXT: as the owner, in the base of the test.
sql() { "$pg_bin/psql" -qAt -v ON_ERROR_STOP=1 -h "$pg_sockets" -U owner "${base:-postgres}" -c "$1"; }
