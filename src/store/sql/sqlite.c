/* SQLite: a store in a file. */
#include "store/sql/sql.h"

#include "base/err.h"
#include "base/memory.h"
#include "store/sql/library.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                               \
    X(sqlite3_open_v2)                                                                             \
    X(sqlite3_close_v2)                                                                            \
    X(sqlite3_busy_timeout)                                                                        \
    X(sqlite3_prepare_v2)                                                                          \
    X(sqlite3_bind_parameter_index)                                                                \
    X(sqlite3_bind_int64)                                                                          \
    X(sqlite3_bind_text)                                                                           \
    X(sqlite3_bind_blob64)                                                                         \
    X(sqlite3_bind_null)                                                                           \
    X(sqlite3_step)                                                                                \
    X(sqlite3_finalize)                                                                            \
    X(sqlite3_changes)                                                                             \
    X(sqlite3_column_count)                                                                        \
    X(sqlite3_column_type)                                                                         \
    X(sqlite3_column_int64)                                                                        \
    X(sqlite3_column_text)                                                                         \
    X(sqlite3_column_blob)                                                                         \
    X(sqlite3_column_bytes)                                                                        \
    X(sqlite3_errmsg)

static struct {
    LIBRARY_POINTERS(FUNCTIONS)
} lib;

static bool lib_open(struct err *err)
{
    static const char *const names[] = {LIBRARY_NAMES(FUNCTIONS)};
    return lib.sqlite3_step || library_open("libsqlite3.so.0", "libsqlite3-0", names,
                                            sizeof names / sizeof *names, &lib, err);
}

struct sqlite {
    struct sql sql;
    sqlite3 *db;
    struct arena arena;
};

enum { BUSY_MS = 20000, COLUMNS_MAX = 16 };

static bool failed(struct sqlite *sqlite, int code, struct err *err)
{
    const char *path = sqlite->sql.shown;
    sqlite->sql.clashed = (code & 0xff) == SQLITE_BUSY;
    switch (code & 0xff) {
    case SQLITE_NOTADB: return err_set(err, ERR_FORMAT, "%s: not a SQLite database", path);
    case SQLITE_CORRUPT:
        return err_set(err, ERR_FORMAT, "%s: the database is damaged: %s", path,
                       lib.sqlite3_errmsg(sqlite->db));
    case SQLITE_BUSY:
        return err_set(err, ERR_SYSTEM, "%s: another process has been writing for %d s", path,
                       BUSY_MS / 1000);
    case SQLITE_READONLY:
        return err_set(err, ERR_SYSTEM, "%s: the file or its folder cannot be written", path);
    default:
        return err_set(err, ERR_SYSTEM, "%s: %s", path,
                       sqlite->db ? lib.sqlite3_errmsg(sqlite->db) : "cannot be opened");
    }
}

static int bind_value(sqlite3_stmt *statement, int at, const struct sql_value *value)
{
    switch (value->kind) {
    case SQL_NUMBER: return lib.sqlite3_bind_int64(statement, at, value->number);
    case SQL_TEXT:
        return lib.sqlite3_bind_text(statement, at, value->bytes, (int)value->n, SQLITE_STATIC);
    case SQL_BYTES:
        return lib.sqlite3_bind_blob64(statement, at, value->n ? value->bytes : "", value->n,
                                       SQLITE_STATIC);
    default: return lib.sqlite3_bind_null(statement, at);
    }
}

/* "$2" is a name here, wherever in the statement it stands. */
static int bind_all(sqlite3_stmt *statement, const struct sql_value *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char name[8];
        snprintf(name, sizeof name, "$%zu", i + 1);
        int at = lib.sqlite3_bind_parameter_index(statement, name);
        int code = at ? bind_value(statement, at, &values[i]) : SQLITE_OK;
        if (code != SQLITE_OK)
            return code;
    }
    return SQLITE_OK;
}

static struct sql_value column(sqlite3_stmt *statement, int i)
{
    struct sql_value value = {0};
    switch (lib.sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER: return sql_number(lib.sqlite3_column_int64(statement, i));
    case SQLITE_TEXT:
        value.kind = SQL_TEXT;
        value.bytes = lib.sqlite3_column_text(statement, i);
        value.n = (size_t)lib.sqlite3_column_bytes(statement, i);
        return value;
    case SQLITE_BLOB:
        value.kind = SQL_BYTES;
        value.bytes = lib.sqlite3_column_blob(statement, i);
        value.n = (size_t)lib.sqlite3_column_bytes(statement, i);
        return value;
    default: return value;
    }
}

static bool row_give(sqlite3_stmt *statement, sql_row *row, void *to, struct err *err)
{
    struct sql_value columns[COLUMNS_MAX];
    int n = lib.sqlite3_column_count(statement);
    ASSERT(n <= COLUMNS_MAX);
    for (int i = 0; i < n; i++)
        columns[i] = column(statement, i);
    return !row || row(to, columns, err);
}

static bool sqlite_query(struct sql *sql, const char *text, const struct sql_value *values,
                         size_t n, sql_row *row, void *to, uint64_t *ret_changed, struct err *err)
{
    struct sqlite *sqlite = (struct sqlite *)sql;
    sqlite3_stmt *statement = NULL;
    ASSERT(n <= COLUMNS_MAX);
    int code = lib.sqlite3_prepare_v2(sqlite->db, text, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = bind_all(statement, values, n);
    bool ok = true;
    while (code == SQLITE_OK || (code == SQLITE_ROW && ok)) {
        code = lib.sqlite3_step(statement);
        if (code == SQLITE_ROW)
            ok = row_give(statement, row, to, err);
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        ok = failed(sqlite, code, err);
    if (ret_changed)
        *ret_changed = (uint64_t)lib.sqlite3_changes(sqlite->db);
    lib.sqlite3_finalize(statement);
    return ok;
}

static void sqlite_close(struct sql *sql)
{
    struct sqlite *sqlite = (struct sqlite *)sql;
    lib.sqlite3_close_v2(sqlite->db);
    arena_release(&sqlite->arena);
    mem_free(sqlite);
}

static const struct sql_driver driver = {
    .begin = "BEGIN IMMEDIATE", .query = sqlite_query, .close = sqlite_close};

/* SQLite would make the file for everybody to read; its journals get the mode of the file. */
static bool file_make(const char *path, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(err, "%s", path);
    close(fd);
    return true;
}

static bool file_ready(const char *path, enum sql_use use, struct err *err)
{
    struct stat stat_;
    if (stat(path, &stat_) < 0)
        return errno == ENOENT && use == SQL_MAKE
                   ? file_make(path, err)
                   : err_set(err, ERR_MISSING, "%s: %s", path,
                             errno == ENOENT ? "no such store; gait push makes one"
                                             : strerror(errno));
    return S_ISREG(stat_.st_mode) || err_set(err, ERR_FORMAT, "%s: not a regular file", path);
}

/* The log ahead of writes lets others read meanwhile; FULL: what is committed survives a crash of
 * the machine. Whoever may only read the folder reads what is there. */
static bool settle(struct sqlite *sqlite, enum sql_use use, struct err *err)
{
    if (use == SQL_READ)
        return sql_run(&sqlite->sql, "SELECT count(*) FROM sqlite_master", err);
    return sql_run(&sqlite->sql, "PRAGMA journal_mode = WAL", err) &&
           sql_run(&sqlite->sql, "PRAGMA synchronous = FULL", err);
}

bool sqlite_open(const char *path, enum sql_use use, struct sql **ret_sql, struct err *err)
{
    if (!lib_open(err) || !file_ready(path, use, err))
        return false;
    struct sqlite *sqlite = mem_alloc(sizeof *sqlite);
    sqlite->sql.driver = &driver;
    sqlite->sql.shown = arena_string(&sqlite->arena, path);
    int flags = use == SQL_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    int code = lib.sqlite3_open_v2(path, &sqlite->db, flags, NULL);
    bool ok = code == SQLITE_OK || failed(sqlite, code, err);
    if (ok) {
        lib.sqlite3_busy_timeout(sqlite->db, BUSY_MS);
        ok = settle(sqlite, use, err);
    }
    if (ok)
        *ret_sql = &sqlite->sql;
    else
        sqlite_close(&sqlite->sql);
    return ok;
}
