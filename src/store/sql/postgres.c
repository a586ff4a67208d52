/* PostgreSQL: a store that many machines send to. */
#include "store/sql/sql.h"

#include "base/err.h"
#include "base/memory.h"
#include "store/sql/library.h"

#include <postgresql/libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                               \
    X(PQconnectdbParams)                                                                           \
    X(PQfinish)                                                                                    \
    X(PQstatus)                                                                                    \
    X(PQerrorMessage)                                                                              \
    X(PQserverVersion)                                                                             \
    X(PQsetNoticeReceiver)                                                                         \
    X(PQsendQueryParams)                                                                           \
    X(PQsetSingleRowMode)                                                                          \
    X(PQgetResult)                                                                                 \
    X(PQresultStatus)                                                                              \
    X(PQresultErrorField)                                                                          \
    X(PQcmdTuples)                                                                                 \
    X(PQntuples)                                                                                   \
    X(PQnfields)                                                                                   \
    X(PQftype)                                                                                     \
    X(PQgetisnull)                                                                                 \
    X(PQgetvalue)                                                                                  \
    X(PQgetlength)                                                                                 \
    X(PQclear)

static struct {
    LIBRARY_POINTERS(FUNCTIONS)
} lib;

static bool lib_open(struct err *err)
{
    static const char *const names[] = {LIBRARY_NAMES(FUNCTIONS)};
    return lib.PQclear ||
           library_open("libpq.so.5", "libpq5", names, sizeof names / sizeof *names, &lib, err);
}

struct postgres {
    struct sql sql;
    PGconn *connection;
    struct arena arena;
};

/* Types as pg_type.h numbers them. */
enum { TYPE_BYTES = 17, TYPE_NUMBER = 20, TYPE_TEXT = 25 };
enum { COLUMNS_MAX = 16, VERSION_MIN = 130000 };

/* ---- errors */

/* libpq's messages are several lines, of which the first says what happened. */
static bool failed(const struct postgres *postgres, const char *message, struct err *err)
{
    int length = (int)strcspn(message, "\n");
    return err_set(err, ERR_SYSTEM, "%s: %.*s", postgres->sql.shown, length, message);
}

static bool refused(struct postgres *postgres, const PGresult *result, struct err *err)
{
    const char *state = lib.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = lib.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    /* A deadlock, or a row that another transaction changed. */
    postgres->sql.clashed = state && (strcmp(state, "40P01") == 0 || strcmp(state, "40001") == 0);
    if (!text)
        return failed(postgres, lib.PQerrorMessage(postgres->connection), err);
    if (state && strcmp(state, "42501") == 0)
        return err_set(err, ERR_SYSTEM, "%s: this role may not: %s", postgres->sql.shown, text);
    return failed(postgres, text, err);
}

/* ---- queries */

struct packed {
    const char *values[COLUMNS_MAX];
    int lengths[COLUMNS_MAX], formats[COLUMNS_MAX];
    Oid types[COLUMNS_MAX];
    uint64_t numbers[COLUMNS_MAX];
};

static void pack(struct packed *packed, size_t i, const struct sql_value *value)
{
    static const Oid types[] = {
        [SQL_NUMBER] = TYPE_NUMBER, [SQL_TEXT] = TYPE_TEXT, [SQL_BYTES] = TYPE_BYTES};
    packed->types[i] = types[value->kind];
    packed->formats[i] = 1;
    packed->lengths[i] = (int)value->n;
    if (value->kind == SQL_NUMBER) {
        packed->numbers[i] = __builtin_bswap64((uint64_t)value->number);
        packed->values[i] = (const char *)&packed->numbers[i];
        packed->lengths[i] = sizeof packed->numbers[i];
    } else if (value->kind != SQL_NULL) {
        packed->values[i] = value->n ? value->bytes : "";
    }
}

static struct sql_value column(const PGresult *result, int i)
{
    uint64_t number;
    if (lib.PQgetisnull(result, 0, i))
        return (struct sql_value){0};
    const char *at = lib.PQgetvalue(result, 0, i);
    size_t n = (size_t)lib.PQgetlength(result, 0, i);
    switch (lib.PQftype(result, i)) {
    case TYPE_NUMBER:
        memcpy(&number, at, sizeof number);
        return sql_number((int64_t)__builtin_bswap64(number));
    case TYPE_TEXT: return (struct sql_value){.kind = SQL_TEXT, .bytes = at, .n = n};
    default: return sql_bytes(at, n);
    }
}

static bool row_give(const PGresult *result, sql_row *row, void *to, struct err *err)
{
    struct sql_value columns[COLUMNS_MAX];
    int n = lib.PQnfields(result);
    ASSERT(n <= COLUMNS_MAX);
    for (int i = 0; i < n; i++)
        columns[i] = column(result, i);
    return !row || row(to, columns, err);
}

/* Takes one result; further ones are still to be read after a failure. */
static bool result_take(struct postgres *postgres, const PGresult *result, bool ok, sql_row *row,
                        void *to, uint64_t *ret_changed, struct err *err)
{
    switch (lib.PQresultStatus(result)) {
    case PGRES_SINGLE_TUPLE: return ok && row_give(result, row, to, err);
    case PGRES_COMMAND_OK:
        if (ret_changed)
            *ret_changed = strtoull(lib.PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10);
        return ok;
    case PGRES_TUPLES_OK: return ok;
    default: return ok && refused(postgres, result, err);
    }
}

static bool postgres_query(struct sql *sql, const char *text, const struct sql_value *values,
                           size_t n, sql_row *row, void *to, uint64_t *ret_changed, struct err *err)
{
    struct postgres *postgres = (struct postgres *)sql;
    struct packed packed = {0};
    PGresult *result;
    ASSERT(n <= COLUMNS_MAX);
    for (size_t i = 0; i < n; i++)
        pack(&packed, i, &values[i]);
    if (!lib.PQsendQueryParams(postgres->connection, text, (int)n, packed.types, packed.values,
                               packed.lengths, packed.formats, 1))
        return failed(postgres, lib.PQerrorMessage(postgres->connection), err);
    lib.PQsetSingleRowMode(postgres->connection); /* the sum of many bodies need not fit */
    bool ok = true;
    while ((result = lib.PQgetResult(postgres->connection))) {
        ok = result_take(postgres, result, ok, row, to, ret_changed, err);
        lib.PQclear(result);
    }
    return ok;
}

/* ---- connecting */

static void postgres_close(struct sql *sql)
{
    struct postgres *postgres = (struct postgres *)sql;
    lib.PQfinish(postgres->connection);
    arena_release(&postgres->arena);
    mem_free(postgres);
}

static void notice_ignore(void *to, const PGresult *result)
{
    (void)to, (void)result;
}

static const struct sql_driver driver = {
    .partitions = true,
    .begin = "BEGIN ISOLATION LEVEL READ COMMITTED", /* whatever the base's default is */
    .query = postgres_query,
    .close = postgres_close};

static bool connected(struct postgres *postgres, struct err *err)
{
    if (lib.PQstatus(postgres->connection) != CONNECTION_OK)
        return failed(postgres, lib.PQerrorMessage(postgres->connection), err);
    lib.PQsetNoticeReceiver(postgres->connection, notice_ignore, NULL);
    int version = lib.PQserverVersion(postgres->connection);
    if (version < VERSION_MIN)
        return err_set(err, ERR_SYSTEM, "%s: PostgreSQL %d; expected 13 or newer",
                       postgres->sql.shown, version / 10000);
    return true;
}

bool postgres_open(const char *uri, const char *shown, struct sql **ret_sql, struct err *err)
{
    /* What the URI says goes before what stands ahead of it here. */
    const char *const names[] = {"connect_timeout", "application_name", "dbname", "client_encoding",
                                 NULL};
    const char *const words[] = {"10", "gait", uri, "UTF8", NULL};
    if (!lib_open(err))
        return false;
    struct postgres *postgres = mem_alloc(sizeof *postgres);
    postgres->sql.driver = &driver;
    postgres->sql.shown = arena_string(&postgres->arena, shown);
    postgres->connection = lib.PQconnectdbParams(names, words, 1);
    bool ok = connected(postgres, err);
    if (ok)
        *ret_sql = &postgres->sql;
    else
        postgres_close(&postgres->sql);
    return ok;
}
