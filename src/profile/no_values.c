#include "profile/no_values.h"

#include "records/sample.h"

#include <string.h>

bool fact_tells_value(const struct fact *fact)
{
    return strcmp(fact->key, "module_text") == 0;
}

static void facts_forget(struct facts *facts)
{
    size_t kept = 0;
    for (size_t i = 0; i < facts->n; i++)
        if (!fact_tells_value(&facts->at[i]))
            facts->at[kept++] = facts->at[i];
    facts->n = kept;
}

/* Rows of lines are left out of a table that is made anew. */
static void lines_forget(struct table *latencies)
{
    struct table kept = {0};
    map_init(&kept.keys, sizeof(struct latency_key));
    for (uint32_t i = 0; i < latencies->n; i++) {
        struct latency_key key;
        memcpy(&key, map_key(&latencies->keys, i), sizeof key);
        if (key.data <= LATENCY_SQUARES)
            *table_at(&kept, &key) = latencies->at[i];
    }
    map_release(&latencies->keys);
    vec_release(latencies);
    *latencies = kept;
}

/* Where data is tells an index, which can be a secret; in which module or region it is tells none.
 * The file's order of records must not tell it either. */
static void data_forget(struct sample_list *samples)
{
    static const enum sample_field told[] = {SAMPLE_DATA, SAMPLE_PHYSICAL, SAMPLE_DATA_LINKED};
    for (size_t i = 0; i < samples->n; i++)
        for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
            samples->at[i].known &= ~(UINT64_C(1) << told[k]);
            samples->at[i].at[told[k]] = 0;
        }
}

/* What was logged of values, and of tables that are made anew here. */
static void log_forget(struct batch_log *log)
{
    size_t kept = 0;
    for (size_t i = 0; i < log->batches.n; i++) {
        size_t first = log->batches.at[i].first_row, end = batch_log_end(log, i);
        log->batches.at[i].first_row = kept;
        for (size_t k = first; k < end; k++)
            if (log->rows.at[k].table != TABLE_VALUES && log->rows.at[k].table != TABLE_LATENCIES)
                log->rows.at[kept++] = log->rows.at[k];
    }
    log->rows.n = kept;
}

void profile_forget_values(struct profile *profile)
{
    log_forget(&profile->log);
    map_clear(&profile->values.keys);
    profile->values.n = 0;
    lines_forget(&profile->latencies);
    facts_forget(&profile->facts);
    windows_clear(&profile->windows);
    data_forget(&profile->samples);
}
