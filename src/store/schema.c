#include "store/schema.h"

#include "base/err.h"

/* One statement of a migration. A day is counted from 1970-01-01, in UTC. */
struct step {
    enum { BOTH, SQLITE_ONLY, POSTGRES_ONLY } of;
    int version;
    const char *text;
};

/* Of those who make tables; any number that others are unlikely to take. */
#define LOCK "7234201861"

/* Recordings, each once: the digest is of the file as it was sent. `body` is a profile in the
 * format of files, but what it keeps of modules with build-ids is empty there, and stands in
 * gait_code, once for all recordings. `kind`: what can be merged has the same. */
#define RECORDINGS                                                                                 \
    "CREATE TABLE gait_recordings (day BIGINT NOT NULL, digest BYTEA NOT NULL, "                   \
    "machine TEXT NOT NULL, service TEXT NOT NULL, build TEXT NOT NULL, kind TEXT NOT NULL, "      \
    "begin_ns BIGINT NOT NULL, end_ns BIGINT NOT NULL, bytes BIGINT NOT NULL, "                    \
    "body BYTEA NOT NULL, PRIMARY KEY (day, digest))"

/* Makes the partition of a day. It runs with the rights of its owner, so that a role that may only
 * insert can have one. A table that is attached locks nobody out who inserts. */
#define DAY_FUNCTION                                                                               \
    "CREATE FUNCTION gait_day(day BIGINT) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER "       \
    "SET search_path FROM CURRENT AS $f$\n"                                                        \
    "DECLARE part TEXT := 'gait_recordings_' || day;\n"                                            \
    "BEGIN\n"                                                                                      \
    "  IF day < 0 OR day > extract(epoch FROM now()) / 86400 + 2 THEN\n"                           \
    "    RAISE EXCEPTION 'day % is in the future: a clock is wrong', day;\n"                       \
    "  END IF;\n"                                                                                  \
    "  IF to_regclass(part) IS NOT NULL THEN RETURN day; END IF;\n"                                \
    "  PERFORM pg_advisory_xact_lock(" LOCK ");\n"                                                 \
    "  IF to_regclass(part) IS NOT NULL THEN RETURN day; END IF;\n"                                \
    "  EXECUTE format('CREATE TABLE %I (LIKE gait_recordings)', part);\n"                          \
    "  EXECUTE format('ALTER TABLE gait_recordings ATTACH PARTITION %I "                           \
    "FOR VALUES FROM (%s) TO (%s)', part, day, day + 1);\n"                                        \
    "  RETURN day;\n"                                                                              \
    "END $f$"

/* Drops partitions of days before one. */
#define DROP_FUNCTION                                                                              \
    "CREATE FUNCTION gait_days_drop(first BIGINT) RETURNS BIGINT LANGUAGE plpgsql "                \
    "SET search_path FROM CURRENT AS $f$\n"                                                        \
    "DECLARE part TEXT;\n"                                                                         \
    "BEGIN\n"                                                                                      \
    "  FOR part IN SELECT inhrelid::regclass::text FROM pg_inherits "                              \
    "WHERE inhparent = 'gait_recordings'::regclass "                                               \
    "AND substring(inhrelid::regclass::text FROM '[0-9]+$')::bigint < first LOOP\n"                \
    "    EXECUTE 'DROP TABLE ' || part;\n"                                                         \
    "  END LOOP;\n"                                                                                \
    "  DELETE FROM gait_sent WHERE day < extract(epoch FROM now()) / 86400 - 2;\n"                 \
    "  RETURN first;\n"                                                                            \
    "END $f$"

/* What one sender may insert in a day, whatever it says it is; the owner may insert more. */
#define SENT_FUNCTION                                                                              \
    "CREATE FUNCTION gait_sent_count() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER "         \
    "SET search_path FROM CURRENT AS $f$\n"                                                        \
    "DECLARE who TEXT := session_user || '@' || coalesce(host(inet_client_addr()), 'local');\n"    \
    "  today BIGINT := floor(extract(epoch FROM now()) / 86400);\n"                                \
    "  n BIGINT;\n"                                                                                \
    "BEGIN\n"                                                                                      \
    "  IF session_user = current_user THEN RETURN NEW; END IF;\n"                                  \
    "  INSERT INTO gait_sent AS s VALUES (today, who, length(NEW.body)) "                          \
    "ON CONFLICT (day, sender) DO UPDATE SET bytes = s.bytes + excluded.bytes "                    \
    "RETURNING bytes INTO n;\n"                                                                    \
    "  IF n > (SELECT sender_bytes FROM gait_store) THEN\n"                                        \
    "    RAISE EXCEPTION '% has sent % bytes today, which is more than the store takes', "         \
    "who, n;\n"                                                                                    \
    "  END IF;\n"                                                                                  \
    "  RETURN NEW;\n"                                                                              \
    "END $f$"

/* From version 3 on: a schema of temporary tables is searched last, so that a sender cannot put a
 * table of its own in the place of one of these. */
#define PATH_LAST                                                                                  \
    "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)"

/* A sender makes no partitions of days that are long over: each of them is a table. */
#define DAY_FUNCTION_3                                                                             \
    "CREATE OR REPLACE FUNCTION gait_day(day BIGINT) RETURNS BIGINT LANGUAGE plpgsql "             \
    "SECURITY DEFINER SET search_path FROM CURRENT AS $f$\n"                                       \
    "DECLARE part TEXT := 'gait_recordings_' || day;\n"                                            \
    "  today BIGINT := floor(extract(epoch FROM now()) / 86400);\n"                                \
    "BEGIN\n"                                                                                      \
    "  IF day < 0 OR day > today + 2 THEN\n"                                                       \
    "    RAISE EXCEPTION 'day % is in the future: a clock is wrong', day;\n"                       \
    "  END IF;\n"                                                                                  \
    "  IF to_regclass(part) IS NOT NULL THEN RETURN day; END IF;\n"                                \
    "  IF session_user <> current_user AND day < today - 400 THEN\n"                               \
    "    RAISE EXCEPTION 'day % is more than 400 days ago: a clock is wrong', day;\n"              \
    "  END IF;\n"                                                                                  \
    "  PERFORM pg_advisory_xact_lock(" LOCK ");\n"                                                 \
    "  IF to_regclass(part) IS NOT NULL THEN RETURN day; END IF;\n"                                \
    "  EXECUTE format('CREATE TABLE %I (LIKE gait_recordings)', part);\n"                          \
    "  EXECUTE format('ALTER TABLE gait_recordings ATTACH PARTITION %I "                           \
    "FOR VALUES FROM (%s) TO (%s)', part, day, day + 1);\n"                                        \
    "  RETURN day;\n"                                                                              \
    "END $f$"

/* Of names this process remembers that they are not there, whatever others made while it waited for
 * the lock; of rows it does not. */
#define DAY_FUNCTION_4                                                                             \
    "CREATE OR REPLACE FUNCTION gait_day(day BIGINT) RETURNS BIGINT LANGUAGE plpgsql "             \
    "SECURITY DEFINER SET search_path FROM CURRENT AS $f$\n"                                       \
    "DECLARE part TEXT := 'gait_recordings_' || day;\n"                                            \
    "  today BIGINT := floor(extract(epoch FROM now()) / 86400);\n"                                \
    "BEGIN\n"                                                                                      \
    "  IF day < 0 OR day > today + 2 THEN\n"                                                       \
    "    RAISE EXCEPTION 'day % is in the future: a clock is wrong', day;\n"                       \
    "  END IF;\n"                                                                                  \
    "  IF to_regclass(part) IS NOT NULL THEN RETURN day; END IF;\n"                                \
    "  IF session_user <> current_user AND day < today - 400 THEN\n"                               \
    "    RAISE EXCEPTION 'day % is more than 400 days ago: a clock is wrong', day;\n"              \
    "  END IF;\n"                                                                                  \
    "  PERFORM pg_advisory_xact_lock(" LOCK ");\n"                                                 \
    "  IF EXISTS (SELECT FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c "                \
    "ON c.oid = i.inhrelid WHERE i.inhparent = 'gait_recordings'::regclass "                       \
    "AND c.relname = part) THEN RETURN day; END IF;\n"                                             \
    "  EXECUTE format('CREATE TABLE %I (LIKE gait_recordings)', part);\n"                          \
    "  EXECUTE format('ALTER TABLE gait_recordings ATTACH PARTITION %I "                           \
    "FOR VALUES FROM (%s) TO (%s)', part, day, day + 1);\n"                                        \
    "  RETURN day;\n"                                                                              \
    "END $f$"

/* Counts whole rows, and takes only such as gait push makes. */
#define SENT_FUNCTION_3                                                                            \
    "CREATE OR REPLACE FUNCTION gait_sent_count() RETURNS TRIGGER LANGUAGE plpgsql "               \
    "SECURITY DEFINER SET search_path FROM CURRENT AS $f$\n"                                       \
    "DECLARE who TEXT := session_user || '@' || coalesce(host(inet_client_addr()), 'local');\n"    \
    "  today BIGINT := floor(extract(epoch FROM now()) / 86400);\n"                                \
    "  n BIGINT;\n"                                                                                \
    "  good BOOLEAN;\n"                                                                            \
    "BEGIN\n"                                                                                      \
    "  IF session_user = current_user THEN RETURN NEW; END IF;\n"                                  \
    "  IF TG_TABLE_NAME = 'gait_code' THEN\n"                                                      \
    "    good := octet_length(NEW.digest) = 32 AND NEW.module ~ '^([0-9a-f]{2}){1,20}$';\n"        \
    "  ELSE\n"                                                                                     \
    "    good := octet_length(NEW.digest) = 32 AND NEW.rolled = 0 "                                \
    "AND NEW.day = NEW.begin_ns / 86400000000000 AND NEW.begin_ns <= NEW.end_ns "                  \
    "AND NEW.bytes = octet_length(NEW.body) AND octet_length(NEW.machine) <= 208 "                 \
    "AND octet_length(NEW.service) <= 208 AND NEW.build ~ '^[0-9a-f]{0,40}$' "                     \
    "AND octet_length(NEW.kind) <= 4096;\n"                                                        \
    "  END IF;\n"                                                                                  \
    "  IF NOT coalesce(good, false) THEN\n"                                                        \
    "    RAISE EXCEPTION 'not a row of gait push';\n"                                              \
    "  END IF;\n"                                                                                  \
    "  INSERT INTO gait_sent AS s VALUES (today, who, pg_column_size(NEW)) "                       \
    "ON CONFLICT (day, sender) DO UPDATE SET bytes = s.bytes + excluded.bytes "                    \
    "RETURNING bytes INTO n;\n"                                                                    \
    "  IF n > (SELECT sender_bytes FROM gait_store) THEN\n"                                        \
    "    RAISE EXCEPTION '% has sent % bytes today, which is more than the store takes', "         \
    "who, n;\n"                                                                                    \
    "  END IF;\n"                                                                                  \
    "  RETURN NEW;\n"                                                                              \
    "END $f$"

static const struct step steps[] = {
    {SQLITE_ONLY, 1, RECORDINGS},
    {POSTGRES_ONLY, 1, RECORDINGS " PARTITION BY RANGE (day)"},
    {POSTGRES_ONLY, 1, DAY_FUNCTION},
    {BOTH, 1, "CREATE INDEX gait_recordings_of ON gait_recordings (service, begin_ns)"},
    {BOTH, 1,
     "CREATE TABLE gait_code (module TEXT NOT NULL, digest BYTEA NOT NULL, has BYTEA NOT NULL, "
     "body BYTEA NOT NULL, PRIMARY KEY (module, digest))"},
    /* 0: as it came; 1: being rolled up; 2: part of a sum, and the body is empty; 3: damaged, and
     * in no sum. */
    {BOTH, 2, "ALTER TABLE gait_recordings ADD COLUMN rolled BIGINT NOT NULL DEFAULT 0"},
    {BOTH, 2, "CREATE INDEX gait_recordings_rolled ON gait_recordings (rolled, begin_ns)"},
    {BOTH, 2,
     "CREATE TABLE gait_sums (service TEXT NOT NULL, build TEXT NOT NULL, kind TEXT NOT NULL, "
     "hours BIGINT NOT NULL, hour BIGINT NOT NULL, recordings BIGINT NOT NULL, "
     "amount BIGINT NOT NULL, bytes BIGINT NOT NULL, body BYTEA NOT NULL, "
     "PRIMARY KEY (service, hour, hours, build, kind))"},
    {BOTH, 2,
     "CREATE TABLE gait_functions (service TEXT NOT NULL, build TEXT NOT NULL, "
     "kind TEXT NOT NULL, hours BIGINT NOT NULL, hour BIGINT NOT NULL, module TEXT NOT NULL, "
     "function TEXT NOT NULL, amount BIGINT NOT NULL, sd BIGINT NOT NULL, "
     "PRIMARY KEY (service, hour, hours, build, kind, module, function))"},
    {POSTGRES_ONLY, 2,
     "ALTER TABLE gait_store ADD COLUMN sender_bytes BIGINT NOT NULL DEFAULT 67108864"},
    {POSTGRES_ONLY, 2,
     "CREATE TABLE gait_sent (day BIGINT NOT NULL, sender TEXT NOT NULL, bytes BIGINT NOT NULL, "
     "PRIMARY KEY (day, sender))"},
    {POSTGRES_ONLY, 2, SENT_FUNCTION},
    {POSTGRES_ONLY, 2, DROP_FUNCTION},
    {POSTGRES_ONLY, 2,
     "CREATE TRIGGER gait_sent_count BEFORE INSERT ON gait_recordings "
     "FOR EACH ROW EXECUTE FUNCTION gait_sent_count()"},
    {POSTGRES_ONLY, 2,
     "CREATE TRIGGER gait_sent_count BEFORE INSERT ON gait_code "
     "FOR EACH ROW EXECUTE FUNCTION gait_sent_count()"},
    /* A recording is one whatever day it is said to be of. PostgreSQL has no such index over
     * partitions. */
    {SQLITE_ONLY, 3, "CREATE UNIQUE INDEX gait_recordings_digest ON gait_recordings (digest)"},
    {POSTGRES_ONLY, 3, PATH_LAST},
    {POSTGRES_ONLY, 3, DAY_FUNCTION_3},
    {POSTGRES_ONLY, 3, SENT_FUNCTION_3},
    /* What gait must know to use these tables: a change that older ones need not know of leaves it.
     */
    {BOTH, 4, "ALTER TABLE gait_store ADD COLUMN oldest BIGINT NOT NULL DEFAULT 3"},
    {POSTGRES_ONLY, 4, PATH_LAST},
    {POSTGRES_ONLY, 4, DAY_FUNCTION_4},
};
/* Tables of the oldest version are used as they are where they may not be brought up to date. */
enum { STEPS = sizeof steps / sizeof *steps, OLDEST = 3, NEWEST = 4 };

static bool number_take(void *to, const struct sql_value *columns, struct err *err)
{
    (void)err;
    *(int64_t *)to = columns[0].number;
    return true;
}

/* 0: there are no tables yet. */
static bool version_read(struct sql *sql, int64_t *ret_version, struct err *err)
{
    static const char sqlite[] = "SELECT count(*) FROM sqlite_master WHERE name = 'gait_store'";
    static const char postgres[] =
        "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('gait_store')";
    int64_t there = 0, version = 0;
    if (!sql_query(sql, sql->driver->partitions ? postgres : sqlite, NULL, 0, number_take, &there,
                   NULL, err))
        return false;
    if (there && !sql_query(sql, "SELECT version FROM gait_store", NULL, 0, number_take, &version,
                            NULL, err))
        return false;
    *ret_version = version;
    return true;
}

/* So machines need not all get a new gait at once. */
static bool newer_usable(struct sql *sql, int64_t version, struct err *err)
{
    struct err ignored;
    int64_t oldest = INT64_MAX;
    if (sql_query(sql, "SELECT oldest FROM gait_store", NULL, 0, number_take, &oldest, NULL,
                  &ignored) &&
        oldest <= NEWEST)
        return true;
    return err_set(err, ERR_FORMAT,
                   "%s: the store has version %lld, made by a newer gait; this one knows versions "
                   "up to %d",
                   sql->shown, (long long)version, NEWEST);
}

bool schema_check(struct sql *sql, struct err *err)
{
    int64_t version;
    if (!version_read(sql, &version, err))
        return false;
    if (!version)
        return err_set(err, ERR_FORMAT, "%s: no store of gait; gait push -s makes one", sql->shown);
    if (version > NEWEST)
        return newer_usable(sql, version, err);
    if (version < OLDEST)
        return err_set(err, ERR_FORMAT,
                       "%s: the store has version %lld, made by an older gait; type:  gait store "
                       "update",
                       sql->shown, (long long)version);
    return true;
}

static bool migrate(struct sql *sql, int64_t version, struct err *err)
{
    struct sql_value newest = sql_number(NEWEST);
    if (!version && !sql_run(sql, "CREATE TABLE gait_store (version BIGINT NOT NULL)", err))
        return false;
    for (int i = 0; i < STEPS; i++) {
        bool wanted =
            steps[i].of == BOTH || (steps[i].of == POSTGRES_ONLY) == sql->driver->partitions;
        if (wanted && steps[i].version > version && !sql_run(sql, steps[i].text, err))
            return err_in(err, "version %d of the tables", steps[i].version);
    }
    return sql_query(sql,
                     version ? "UPDATE gait_store SET version = $1"
                             : "INSERT INTO gait_store (version) VALUES ($1)",
                     &newest, 1, NULL, NULL, NULL, err);
}

static bool update(struct sql *sql, int64_t *version, struct err *err)
{
    if (!sql_begin(sql, err))
        return false;
    if (sql->driver->partitions && !sql_run(sql, "SELECT pg_advisory_xact_lock(" LOCK ")", err))
        return false;
    /* Another process may have made them meanwhile. */
    return version_read(sql, version, err) && (*version >= NEWEST || migrate(sql, *version, err)) &&
           sql_run(sql, "COMMIT", err);
}

bool schema_make(struct sql *sql, struct err *err)
{
    struct err ignored;
    int64_t version;
    if (!version_read(sql, &version, err))
        return false;
    if (version > NEWEST)
        return newer_usable(sql, version, err);
    if (version == NEWEST || update(sql, &version, err))
        return true;
    sql_run(sql, "ROLLBACK", &ignored);
    /* A sender may not change tables, and need not. */
    return version >= OLDEST;
}
