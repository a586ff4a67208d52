#include "store/sql/sql.h"

#include <string.h>

struct sql_value sql_number(int64_t number)
{
    return (struct sql_value){.kind = SQL_NUMBER, .number = number};
}

struct sql_value sql_text(const char *text)
{
    return (struct sql_value){.kind = SQL_TEXT, .bytes = text, .n = strlen(text)};
}

struct sql_value sql_bytes(const void *bytes, size_t n)
{
    return (struct sql_value){.kind = SQL_BYTES, .bytes = bytes, .n = n};
}

bool sql_query(struct sql *sql, const char *text, const struct sql_value *values, size_t n,
               sql_row *row, void *to, uint64_t *ret_changed, struct err *err)
{
    return sql->driver->query(sql, text, values, n, row, to, ret_changed, err);
}

bool sql_run(struct sql *sql, const char *text, struct err *err)
{
    return sql_query(sql, text, NULL, 0, NULL, NULL, NULL, err);
}

void sql_close(struct sql *sql)
{
    sql->driver->close(sql);
}

bool sql_begin(struct sql *sql, struct err *err)
{
    return sql_run(sql, sql->driver->begin, err);
}

bool sql_day(struct sql *sql, int64_t day, struct err *err)
{
    struct sql_value value = sql_number(day);
    return !sql->driver->partitions ||
           sql_query(sql, "SELECT gait_day($1)", &value, 1, NULL, NULL, NULL, err);
}
