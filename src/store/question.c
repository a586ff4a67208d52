#include "store/question.h"

enum { SERVICE, MACHINE, MODE, BUILD, BUILD_END, SINCE, UNTIL };

void question_values(struct store *store, struct sql_value values[QUESTION_VALUES])
{
    const struct store_query *query = &store->place.query;
    const char *build = query->build ? query->build : "";
    values[SERVICE] = sql_text(query->service ? query->service : "");
    values[MACHINE] = sql_text(query->machine ? query->machine : "");
    values[MODE] = sql_text(query->mode ? query->mode : "");
    values[BUILD] = sql_text(build);
    /* Every digit of a build-id is below 'g'. */
    values[BUILD_END] = sql_text(arena_format(&store->arena, "%sg", build));
    values[SINCE] = sql_number((int64_t)query->since_ns);
    values[UNTIL] = sql_number(query->until_ns ? (int64_t)query->until_ns : INT64_MAX);
}
