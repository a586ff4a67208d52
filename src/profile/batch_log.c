#include "profile/batch_log.h"

#include "base/map.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdlib.h>

void batch_log_release(struct batch_log *log)
{
    vec_release(&log->batches);
    vec_release(&log->rows);
}

size_t batch_log_end(const struct batch_log *log, size_t batch)
{
    return batch + 1 < log->batches.n ? log->batches.at[batch + 1].first_row : log->rows.n;
}

uint64_t logged_batch_moment(const struct logged_batch *batch)
{
    return time_part_middle(&batch->span);
}

bool batch_log_whole(const struct profile *profile)
{
    uint64_t time = 0, count = 0;
    for (size_t i = 0; i < profile->log.batches.n; i++) {
        sum_add(&time, profile->log.batches.at[i].x_time);
        sum_add(&count, profile->log.batches.at[i].x_count);
    }
    return profile->log.batches.n && time == profile->totals.time && count == profile->totals.count;
}

/* ---- longer batches */

static uint64_t row_id(const struct logged_row *row)
{
    return (uint64_t)row->table << 32 | row->key;
}

struct moments {
    VEC(uint64_t); /* sorted */
};

static int moment_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void moments_make(struct moments *moments, const struct batch_log *log)
{
    for (size_t i = 0; i < log->batches.n; i++)
        *vec_push(moments) = logged_batch_moment(&log->batches.at[i]);
    if (moments->n)
        qsort(moments->at, moments->n, sizeof *moments->at, moment_order);
}

/* How many batches there are if those of 2^bits ns are one; bits 0: as they are. */
static size_t batches_count(const struct moments *moments, unsigned bits)
{
    size_t n = 0;
    for (size_t i = 0; i < moments->n; i++)
        n += !i || !bits || moments->at[i] >> bits != moments->at[i - 1] >> bits;
    return n;
}

/* How many rows; *ret_keys: how many different keys. */
static size_t rows_count(const struct batch_log *log, unsigned bits, size_t *ret_keys)
{
    struct map rows, keys;
    map_init(&rows, 2 * sizeof(uint64_t));
    map_init(&keys, sizeof(uint64_t));
    for (size_t i = 0; i < log->batches.n; i++) {
        uint64_t slice = bits ? logged_batch_moment(&log->batches.at[i]) >> bits : i;
        for (size_t r = log->batches.at[i].first_row; r < batch_log_end(log, i); r++) {
            uint64_t id = row_id(&log->rows.at[r]);
            map_add(&rows, (const uint64_t[2]){slice, id});
            map_add(&keys, &id);
        }
    }
    size_t n = rows.n;
    *ret_keys = keys.n;
    map_release(&rows);
    map_release(&keys);
    return n;
}

static unsigned bits_wanted(const struct batch_log *log)
{
    struct moments moments = {0};
    unsigned bits = 0;
    size_t keys = 0;
    moments_make(&moments, log);
    while (bits < SLICE_BITS_MAX) {
        if (batches_count(&moments, bits) <= LOG_BATCHES_MAX &&
            (log->rows.n <= LOG_ROWS_FREE ||
             rows_count(log, bits, &keys) <= LOG_ROWS_FREE + LOG_ROWS_PER_KEY * keys))
            break;
        bits = bits ? bits + 1 : SLICE_BITS;
    }
    vec_release(&moments);
    return bits;
}

/* Batches by the slice that they belong to. */
struct placed {
    uint64_t slice;
    size_t batch;
};

static int placed_order(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->slice != y->slice)
        return x->slice < y->slice ? -1 : 1;
    return x->batch < y->batch ? -1 : x->batch > y->batch;
}

static void span_add(struct time_part *span, struct time_part more)
{
    span->begin_ns = more.begin_ns < span->begin_ns ? more.begin_ns : span->begin_ns;
    span->end_ns = more.end_ns > span->end_ns ? more.end_ns : span->end_ns;
}

/* Adds a batch to the last one of the log; `rows`: where that has which key. */
static void batch_join(struct batch_log *log, struct map *rows, const struct batch_log *from,
                       size_t index)
{
    struct logged_batch *into = &log->batches.at[log->batches.n - 1];
    const struct logged_batch *batch = &from->batches.at[index];
    span_add(&into->span, batch->span);
    sum_add(&into->x_time, batch->x_time);
    sum_add(&into->x_count, batch->x_count);
    for (size_t r = batch->first_row; r < batch_log_end(from, index); r++) {
        const struct logged_row *row = &from->rows.at[r];
        uint64_t id = row_id(row);
        uint32_t known = rows->n, at = map_add(rows, &id);
        if (at == known)
            *vec_push(&log->rows) = (struct logged_row){.table = row->table, .key = row->key};
        struct logged_row *sum = &log->rows.at[into->first_row + at];
        sum_add(&sum->time, row->time);
        sum_add(&sum->count, row->count);
    }
}

bool batch_log_coarsen(const struct batch_log *log, struct batch_log *ret_coarse)
{
    unsigned bits = bits_wanted(log);
    if (!bits)
        return false;
    struct placed *placed = mem_alloc((log->batches.n + 1) * sizeof *placed);
    struct map rows;
    *ret_coarse = (struct batch_log){0};
    map_init(&rows, sizeof(uint64_t));
    for (size_t i = 0; i < log->batches.n; i++)
        placed[i] = (struct placed){logged_batch_moment(&log->batches.at[i]) >> bits, i};
    qsort(placed, log->batches.n, sizeof *placed, placed_order);
    for (size_t i = 0; i < log->batches.n; i++) {
        if (!i || placed[i].slice != placed[i - 1].slice) {
            *vec_push(&ret_coarse->batches) = (struct logged_batch){
                .span = log->batches.at[placed[i].batch].span, .first_row = ret_coarse->rows.n};
            map_clear(&rows);
        }
        batch_join(ret_coarse, &rows, log, placed[i].batch);
    }
    map_release(&rows);
    mem_free(placed);
    return true;
}

void batch_log_merge(struct batch_log *log, const struct batch_log *other,
                     const uint32_t *const *keys)
{
    for (size_t i = 0; i < other->batches.n; i++) {
        struct logged_batch *batch = vec_push(&log->batches);
        *batch = other->batches.at[i];
        batch->first_row = log->rows.n;
        for (size_t r = other->batches.at[i].first_row; r < batch_log_end(other, i); r++) {
            struct logged_row *row = vec_push(&log->rows);
            *row = other->rows.at[r];
            row->key = keys[row->table][row->key];
        }
    }
}
