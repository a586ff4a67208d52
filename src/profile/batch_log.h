/* When what the tables count happened: what each batch of a sampled profile added to them, and the
 * time that its walks were from. So the tables of a part of the run can be made (profile/part.h).
 *
 * A recording logs every batch. A whole file has at most LOG_BATCHES_MAX of them, and not many
 * times more rows than the tables have keys: else all batches of 2^b ns of Unix time become one,
 * with b as small as possible. That is a batch like any other, only longer. So the size does not
 * grow with the length of the run. */
#pragma once

#include "base/vec.h"
#include "profile/times.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

enum { LOG_BATCHES_MAX = 128, LOG_ROWS_FREE = 1 << 16, LOG_ROWS_PER_KEY = 4 };

struct logged_row {
    uint32_t table; /* enum profile_table */
    uint32_t key;   /* index in that table */
    uint64_t time, count;
};

struct logged_batch {
    struct time_part span; /* from its first to its last walk */
    uint64_t x_time, x_count;
    size_t first_row; /* its rows: up to those of the next batch */
};

struct batch_log {
    struct logged_batches {
        VEC(struct logged_batch);
    } batches;
    struct logged_rows {
        VEC(struct logged_row);
    } rows;
};

void batch_log_release(struct batch_log *log);

/* Where the rows of a batch end. */
size_t batch_log_end(const struct batch_log *log, size_t batch);

/* The moment that a batch belongs to: the middle of its span. */
uint64_t logged_batch_moment(const struct logged_batch *batch);

/* Whether the log has all that the profile's tables were made of. */
bool batch_log_whole(const struct profile *profile);

/* Whether batches or rows are too many; then *ret_coarse, which the caller releases, is what they
 * become. */
bool batch_log_coarsen(const struct batch_log *log, struct batch_log *ret_coarse);

/* Adds the batches of another log. keys[table][i]: the index here of the key that has index i
 * there. */
void batch_log_merge(struct batch_log *log, const struct batch_log *other,
                     const uint32_t *const *keys);
