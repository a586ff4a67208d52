#include "profile/file/encode.h"

#include "base/err.h"
#include "profile/command.h"
#include "profile/file/encode_loose.h"
#include "profile/file/encode_plain.h"
#include "profile/file/kept_chunk.h"
#include "profile/file/log_chunk.h"
#include "profile/file/parts_chunk.h"
#include "profile/file/samples_chunk.h"
#include "profile/file/windows_chunk.h"
#include "wire/varint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void chunk_end(struct encoder *encoder, enum chunk_type type)
{
    encode_chunk(encoder, type, CHUNK_VERSION);
}

/* ---- header and modules */

static void put_fact(struct encoder *encoder, const char *key, const char *value, size_t n)
{
    if (encode_is_full(encoder))
        chunk_end(encoder, CHUNK_HEADER);
    size_t key_bytes = strlen(key);
    if (n > ENCODE_TEXT_MAX)
        n = ENCODE_TEXT_MAX;
    encode_number(encoder, key_bytes + 1 + n);
    bytes_add(&encoder->payload, key, key_bytes);
    bytes_add(&encoder->payload, "=", 1);
    bytes_add(&encoder->payload, value, n);
}

static void put_mode(struct encoder *encoder, const struct profile *profile)
{
    const char *mode = profile_mode_name(profile->mode);
    put_fact(encoder, "mode", mode, strlen(mode));
}

void encode_facts(struct encoder *encoder, const struct profile *profile)
{
    if (!encoder->payload.n)
        put_mode(encoder, profile);
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        put_fact(encoder, fact->key, fact->value, strlen(fact->value));
    }
    chunk_end(encoder, CHUNK_HEADER);
}

static void encode_header(struct encoder *encoder, const struct profile *profile)
{
    put_mode(encoder, profile);
    if (profile->start_unix_ns) {
        char start[24];
        int n = snprintf(start, sizeof start, "%" PRIu64, profile->start_unix_ns);
        put_fact(encoder, "start_ns", start, (size_t)n);
    }
    for (char *line = profile->command; line;) {
        char *end = command_end(line);
        put_fact(encoder, "command", line, (size_t)(end - line));
        line = *end ? end + 1 : NULL;
    }
    encode_facts(encoder, profile);
}

void encode_module(struct encoder *encoder, const struct module *module)
{
    if (encode_is_full(encoder))
        chunk_end(encoder, CHUNK_MODULES);
    encode_text(encoder, module->path, strlen(module->path));
    encode_number(encoder, module->build_id_bytes);
    bytes_add(&encoder->payload, module->build_id, module->build_id_bytes);
}

void encode_modules_end(struct encoder *encoder)
{
    if (encoder->payload.n)
        chunk_end(encoder, CHUNK_MODULES);
}

/* ---- tables */

enum {
    SUMS_BYTES_MAX = 1 + 2 * VARINT_BYTES_MAX + 4 * VARINT_WIDE_BYTES_MAX,
    ROW_BYTES_MAX = ROW_FIELDS_MAX * VARINT_BYTES_MAX + SUMS_BYTES_MAX,
};

/* Most sums of most profiles are 0 (all but one of an exact one), hence the mask. */
static uint8_t *sums_put(uint8_t *at, const struct sums *sums)
{
    const u128 wide[] = {sums->time_yy, sums->time_xy, sums->count_yy, sums->count_xy};
    uint8_t *mask = at++;
    *mask = (uint8_t)((sums->time != 0) | (sums->count != 0) << 1);
    if (sums->time)
        at = varint_put(at, sums->time);
    if (sums->count)
        at = varint_put(at, sums->count);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (!wide[i])
            continue;
        *mask = (uint8_t)(*mask | 4u << i);
        at = varint_put_wide(at, wide[i]);
    }
    return at;
}

static void rows_sort(struct encoder *encoder, enum chunk_type type, const struct table *table,
                      const struct numbering *in_file)
{
    struct rows *rows = &encoder->order.rows;
    vec_room(rows, table->n);
    rows->n = table->n;
    for (uint32_t i = 0; i < table->n; i++)
        rows->at[i] = row_of_key(type, map_key(&table->keys, i), in_file);
    row_order_make(&encoder->order, row_fields(type));
}

static void encode_table(struct encoder *encoder, enum profile_table number,
                         const struct table *table, const struct numbering *in_file)
{
    const enum chunk_type type = row_chunk(number);
    const struct row_order *order = &encoder->order;
    const size_t n_fields = row_fields(type);
    struct bytes *payload = &encoder->payload;
    struct row previous = {{0}};
    encoder->rows[number] = table->n;
    if (!table->n)
        return;
    rows_sort(encoder, type, table, in_file);
    for (size_t i = 0; i < order->sorted.n; i++) {
        if (encode_is_full(encoder)) {
            chunk_end(encoder, type);
            previous = (struct row){{0}};
        }
        uint32_t index = order->sorted.at[i].index;
        const struct row *row = &order->rows.at[index];
        bytes_reserve(payload, payload->n + ROW_BYTES_MAX);
        uint8_t *at = payload->at + payload->n;
        for (size_t f = 0; f < n_fields; f++)
            at = varint_put(at, varint_fold(row->fields[f] - previous.fields[f]));
        payload->n = (size_t)(sums_put(at, &table->at[index]) - payload->at);
        previous = *row;
    }
    chunk_end(encoder, type);
}

/* ---- losses and totals */

static int loss_compare(const void *a, const void *b)
{
    return strcmp(((const struct other_loss *)a)->name, ((const struct other_loss *)b)->name);
}

static void encode_losses(struct encoder *encoder, const struct profile *profile)
{
    struct other_losses losses = {0};
    for (size_t i = 0; i < LOSS_N; i++)
        if (profile->totals.losses[i])
            *vec_push(&losses) =
                (struct other_loss){loss_name((enum loss)i), profile->totals.losses[i]};
    for (size_t i = 0; i < profile->other_losses.n; i++)
        *vec_push(&losses) = profile->other_losses.at[i];
    if (losses.n) {
        qsort(losses.at, losses.n, sizeof *losses.at, loss_compare);
        for (size_t i = 0; i < losses.n; i++) {
            encode_text(encoder, losses.at[i].name, strlen(losses.at[i].name));
            encode_number(encoder, losses.at[i].n);
        }
        chunk_end(encoder, CHUNK_LOSSES);
    }
    vec_release(&losses);
}

static void encode_totals(struct encoder *encoder, const struct totals *totals)
{
    const u128 values[] = {
        totals->batches,       totals->windows,         totals->interrupts,  totals->instructions,
        totals->time,          totals->count,           totals->time_xx,     totals->count_xx,
        totals->user_ns,       totals->kernel_ns,       totals->user_ticks,  totals->agent_ns,
        totals->tool_ns,       totals->off_ns,          totals->samples,     totals->sampled_ns,
        totals->whole_user_ns, totals->whole_kernel_ns, totals->walked_ns,   totals->once_ns,
        totals->recordings,    totals->sampled_xx,      totals->complete_ns, totals->delivery_ns,
        totals->translate_ns,  totals->kernel_samples,  totals->bare_ns,     totals->bare_xx,
        totals->recorded,      totals->long_trails,     totals->long_rates,  totals->long_rates_yy};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        encode_wide(encoder, values[i]);
    chunk_end(encoder, CHUNK_TOTALS);
}

/* Edges and ranges, if some are loose that cannot be written as they are. */
static void encode_added(struct encoder *encoder, const struct profile *profile,
                         const struct numbering *in_file)
{
    struct profile sum;
    profile_init(&sum);
    for (int i = TABLE_EDGES; i <= TABLE_RANGES; i++) {
        const struct table *table = &profile->tables[i];
        for (uint32_t row = 0; row < table->n; row++)
            *table_at(&sum.tables[i], map_key(&table->keys, row)) = table->at[row];
    }
    loose_rows_add(&profile->loose, &sum.edges, &sum.ranges);
    encode_table(encoder, TABLE_EDGES, &sum.edges, in_file);
    encode_table(encoder, TABLE_RANGES, &sum.ranges, in_file);
    profile_release(&sum);
}

static void encode_tables(struct encoder *encoder, const struct profile *profile,
                          const struct numbering *in_file)
{
    bool loose = profile->loose.edges.n || profile->loose.ranges.n;
    bool alone = !profile->edges.n && !profile->ranges.n;
    if (loose && !(alone && encode_loose(encoder, &profile->loose, in_file)))
        encode_added(encoder, profile, in_file);
    for (int i = loose ? TABLE_RANGES + 1 : TABLE_EDGES; i < TABLES; i++)
        encode_table(encoder, (enum profile_table)i, &profile->tables[i], in_file);
}

/* Slices of one width, and not too many: a reader of an append makes nothing else of it. */
static void encode_times(struct encoder *encoder, enum chunk_type type, const struct stacks *times,
                         const struct numbering *in_file)
{
    struct stacks coarse;
    bool changes = times_coarsen(times, &coarse);
    encode_stacks(encoder, type, changes ? &coarse : times, in_file);
    if (changes)
        stacks_release(&coarse);
}

void encode_counts(struct encoder *encoder, const struct profile *profile,
                   const struct numbering *in_file)
{
    encode_tables(encoder, profile, in_file);
    encode_stacks(encoder, CHUNK_STACKS, &profile->stacks, in_file);
    encode_stacks(encoder, CHUNK_PASSAGES, &profile->passages, in_file);
    encode_stacks(encoder, CHUNK_SERIES, &profile->series, in_file);
    encode_stacks(encoder, CHUNK_CONTEXT_PATHS, &profile->context_paths, in_file);
    encode_stacks(encoder, CHUNK_WAITS, &profile->waits, in_file);
    encode_stacks(encoder, CHUNK_CALL_COSTS, &profile->call_costs, in_file);
    encode_times(encoder, CHUNK_TIMES, &profile->times, in_file);
    encode_times(encoder, CHUNK_WAIT_TIMES, &profile->wait_times, in_file);
    encode_log(encoder, profile, in_file);
    encode_stacks(encoder, CHUNK_EVENTS, &profile->events, in_file);
    encode_samples(encoder, &profile->samples, in_file);
    encode_windows(encoder, &profile->windows, in_file);
    encode_path_parts(encoder, &profile->path_parts, in_file);
    encode_threads(encoder, &profile->threads);
    encode_names(encoder, &profile->names, in_file);
    encode_kept(encoder, &profile->kept, in_file);
    encode_losses(encoder, profile);
    encode_totals(encoder, &profile->totals);
}

void encode_end(struct encoder *encoder)
{
    chunk_end(encoder, CHUNK_END);
}

/* ---- everything */

struct module_order {
    const struct module *module;
    uint32_t index;
};

static int module_compare(const void *a, const void *b)
{
    const struct module *x = ((const struct module_order *)a)->module;
    const struct module *y = ((const struct module_order *)b)->module;
    int order = strcmp(x->path, y->path);
    if (order)
        return order;
    if (x->build_id_bytes != y->build_id_bytes)
        return x->build_id_bytes < y->build_id_bytes ? -1 : 1;
    return memcmp(x->build_id, y->build_id, x->build_id_bytes);
}

/* Writes the modules in an order that does not depend on when each was first met. */
static void encode_modules_sorted(struct encoder *encoder, const struct modules *modules,
                                  struct numbering *in_file)
{
    struct orders {
        VEC(struct module_order);
    } orders = {0};
    for (size_t i = 0; i < modules->n; i++)
        *vec_push(&orders) = (struct module_order){&modules->at[i], (uint32_t)i};
    if (orders.n)
        qsort(orders.at, orders.n, sizeof *orders.at, module_compare);
    vec_reserve(in_file, orders.n);
    in_file->n = orders.n;
    for (size_t i = 0; i < orders.n; i++) {
        in_file->at[orders.at[i].index] = (uint32_t)i;
        encode_module(encoder, orders.at[i].module);
    }
    encode_modules_end(encoder);
    vec_release(&orders);
}

void encode_whole(struct encoder *encoder, const struct profile *profile,
                  struct numbering *ret_in_file)
{
    struct numbering in_file = {0};
    chunk_put_start(&encoder->out);
    encode_header(encoder, profile);
    encode_modules_sorted(encoder, &profile->modules, &in_file);
    encode_counts(encoder, profile, &in_file);
    if (profile->complete)
        encode_end(encoder);
    if (ret_in_file) {
        vec_release(ret_in_file);
        *ret_in_file = in_file;
    } else {
        vec_release(&in_file);
    }
}
