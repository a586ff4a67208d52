/* One connection to a database that speaks SQL: a SQLite file, or PostgreSQL. Both get the same
 * statements. Values never become part of a statement's text: they are its parameters, $1, $2, ...
 *
 * Both libraries are opened with dlopen when a store is: loading them, and libpq's libraries for
 * TLS and Kerberos, would slow down every other command. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum sql_kind { SQL_NULL, SQL_NUMBER, SQL_TEXT, SQL_BYTES };

/* A parameter, or a column of a row. Text ends with a zero byte that n does not count. */
struct sql_value {
    enum sql_kind kind;
    int64_t number;
    const void *bytes;
    size_t n;
};

struct sql_value sql_number(int64_t number);
struct sql_value sql_text(const char *text);
struct sql_value sql_bytes(const void *bytes, size_t n);

/* Takes a row; its columns are valid until it returns. It must not query the same connection. */
typedef bool sql_row(void *to, const struct sql_value *columns, struct err *err);

struct sql {
    const struct sql_driver *driver;
    char *shown;  /* what messages call the database; without a password */
    bool clashed; /* the last failure: another transaction was in the way; the same again may do */
};

struct sql_driver {
    bool partitions;   /* tables are partitioned by day */
    const char *begin; /* a transaction that writes */
    bool (*query)(struct sql *sql, const char *text, const struct sql_value *values, size_t n,
                  sql_row *row, void *to, uint64_t *ret_changed, struct err *err);
    void (*close)(struct sql *sql);
};

enum sql_use {
    SQL_READ,   /* there must be a database */
    SQL_WRITE,  /* likewise, to be changed */
    SQL_UPDATE, /* likewise, and of an older version */
    SQL_MAKE,   /* makes the database, if it is a file that is not there */
};

bool sqlite_open(const char *path, enum sql_use use, struct sql **ret_sql, struct err *err);
/* A URI as libpq takes it. */
bool postgres_open(const char *uri, const char *shown, struct sql **ret_sql, struct err *err);
void sql_close(struct sql *sql);

/* Runs one statement; row, if not NULL, gets its rows; ret_changed, if not NULL, gets how many rows
 * it changed. */
bool sql_query(struct sql *sql, const char *text, const struct sql_value *values, size_t n,
               sql_row *row, void *to, uint64_t *ret_changed, struct err *err);
/* One without parameters and rows. */
bool sql_run(struct sql *sql, const char *text, struct err *err);
bool sql_begin(struct sql *sql, struct err *err);
/* Makes room for rows of that day, where tables are partitioned. */
bool sql_day(struct sql *sql, int64_t day, struct err *err);
