#include "profile/file/decode.h"

#include "base/err.h"
#include "profile/file/decode_plain.h"
#include "profile/file/kept_chunk.h"
#include "profile/file/log_chunk.h"
#include "profile/file/parts_chunk.h"
#include "profile/file/samples_chunk.h"
#include "profile/file/windows_chunk.h"

#include <string.h>

/* Far beyond any recording; they keep sorted insertion and hashing harmless on hostile input. */
enum { MODULES_MAX = 1 << 16, FACTS_MAX = 1 << 12, OTHER_LOSSES_MAX = 1 << 12 };

/* ---- header and modules */

static bool set_mode(struct decoder *decoder, const char *name, struct err *err)
{
    for (int mode = PROFILE_EXACT; mode <= PROFILE_PLAIN; mode++) {
        if (strcmp(name, profile_mode_name((enum profile_mode)mode)) != 0)
            continue;
        if (decoder->has_mode && (int)decoder->profile->mode != mode)
            return err_set(err, ERR_FORMAT, "two modes");
        decoder->has_mode = true;
        decoder->profile->mode = (enum profile_mode)mode;
        return true;
    }
    return err_set(err, ERR_FORMAT, "unknown mode '%.40s'", name);
}

static bool set_start(struct decoder *decoder, const char *digits, struct err *err)
{
    uint64_t value = 0;
    for (const char *digit = digits; *digit; digit++)
        if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value))
            return err_set(err, ERR_FORMAT, "start_ns is no number");
    decoder->profile->start_unix_ns = value;
    return true;
}

static void add_command(struct decoder *decoder, const char *line)
{
    if (decoder->has_command)
        bytes_add(&decoder->command, "\n", 1);
    bytes_add(&decoder->command, line, strlen(line));
    decoder->has_command = true;
}

static bool add_fact(struct decoder *decoder, char *fact, struct err *err)
{
    char *value = strchr(fact, '=');
    if (!value || value == fact)
        return err_set(err, ERR_FORMAT, "a fact is not key=value");
    *value++ = 0;
    if (strcmp(fact, "mode") == 0)
        return set_mode(decoder, value, err);
    if (strcmp(fact, "start_ns") == 0)
        return set_start(decoder, value, err);
    if (strcmp(fact, "command") == 0) {
        add_command(decoder, value);
        return true;
    }
    profile_fact(decoder->profile, fact, value);
    if (decoder->profile->facts.n > FACTS_MAX)
        return err_set(err, ERR_FORMAT, "more than %d facts", FACTS_MAX);
    return true;
}

static bool decode_header(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    while (cursor->at < cursor->end) {
        char *fact;
        if (!payload_text(cursor, &decoder->profile->arena, &fact, err) ||
            !add_fact(decoder, fact, err))
            return false;
    }
    if (!decoder->has_mode)
        return err_set(err, ERR_FORMAT, "no mode");
    return true;
}

static bool decode_modules(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    while (cursor->at < cursor->end) {
        char *path;
        uint64_t n;
        const uint8_t *build_id = NULL;
        if (!payload_text(cursor, &decoder->profile->arena, &path, err) ||
            !payload_number(cursor, &n, err))
            return false;
        if (n > sizeof decoder->profile->modules.at->build_id)
            return err_set(err, ERR_FORMAT, "build-id of %llu bytes", (unsigned long long)n);
        if (!payload_bytes(cursor, n, &build_id, err))
            return false;
        if (decoder->in_profile.n == MODULES_MAX)
            return err_set(err, ERR_FORMAT, "more than %d modules", MODULES_MAX);
        *vec_push(&decoder->in_profile) =
            profile_module(decoder->profile, path, build_id, (uint32_t)n);
    }
    return true;
}

/* ---- tables */

static bool get_sums(struct cursor *cursor, struct sums *ret_sums, struct err *err)
{
    uint64_t mask;
    struct sums sums = {0};
    if (!payload_number(cursor, &mask, err))
        return false;
    if (mask >> 6)
        return err_set(err, ERR_FORMAT, "unknown sums 0x%llx", (unsigned long long)mask);
    if ((mask & 1 && !payload_number(cursor, &sums.time, err)) ||
        (mask & 2 && !payload_number(cursor, &sums.count, err)))
        return false;
    u128 *const wide[] = {&sums.time_yy, &sums.time_xy, &sums.count_yy, &sums.count_xy};
    for (int i = 0; i < 4; i++)
        if (mask & 4u << i && !payload_wide(cursor, wide[i], err))
            return false;
    *ret_sums = sums;
    return true;
}

/* The table that a chunk adds to. */
struct target {
    struct decoder *decoder;
    enum profile_table number;
    enum chunk_type type;
    struct table *table;
    struct decoder_numbers *numbers;
    const struct numbering *in_profile; /* of modules */
    struct row row;                     /* the last one in this chunk */
};

static bool get_key(struct target *target, struct cursor *cursor, union any_key *ret_key,
                    struct err *err)
{
    for (size_t f = 0; f < row_fields(target->type); f++) {
        if (!payload_difference(cursor, &target->row.fields[f], err))
            return false;
    }
    return row_to_key(target->type, &target->row, target->in_profile, ret_key, err);
}

static bool decode_rows(struct target *target, struct cursor *cursor, struct err *err)
{
    while (cursor->at < cursor->end) {
        union any_key key;
        struct sums sums = {0};
        if (!get_key(target, cursor, &key, err) || !get_sums(cursor, &sums, err))
            return false;
        sums_add(table_at(target->table, &key), &sums);
    }
    return true;
}

/* The index of a key by number. The next free number introduces a key, which follows. */
static bool get_numbered(struct target *target, struct cursor *cursor, uint64_t number,
                         uint32_t *ret_index, struct err *err)
{
    struct decoder_numbers *numbers = target->numbers;
    if (number > numbers->n)
        return err_set(err, ERR_FORMAT, "key %llu of %zu", (unsigned long long)number, numbers->n);
    if (number == numbers->n) {
        union any_key key;
        if (!get_key(target, cursor, &key, err))
            return false;
        *vec_push(numbers) = (uint32_t)(table_at(target->table, &key) - target->table->at);
    }
    *ret_index = numbers->at[number];
    return true;
}

static bool decode_batch(struct target *target, struct cursor *cursor, struct err *err)
{
    uint64_t number = 0, x_time, x_count;
    if (!payload_number(cursor, &x_time, err) || !payload_number(cursor, &x_count, err))
        return false;
    while (cursor->at < cursor->end) {
        uint64_t y_time, y_count;
        uint32_t index = 0;
        if (!payload_difference(cursor, &number, err) ||
            !get_numbered(target, cursor, number, &index, err) ||
            !payload_number(cursor, &y_time, err) || !payload_number(cursor, &y_count, err))
            return false;
        sums_add_batch(&target->table->at[index], y_time, y_count, x_time, x_count);
        decode_log_row(target->decoder, target->number, index, y_time, y_count);
    }
    return true;
}

static bool decode_table(struct decoder *decoder, const struct chunk *chunk, struct cursor *cursor,
                         struct err *err)
{
    enum profile_table table = row_table(chunk->type);
    struct target target = {.decoder = decoder,
                            .number = table,
                            .type = (enum chunk_type)chunk->type,
                            .table = &decoder->profile->tables[table],
                            .numbers = &decoder->numbers[table],
                            .in_profile = &decoder->in_profile};
    return chunk->version == CHUNK_BATCH_VERSION ? decode_batch(&target, cursor, err)
                                                 : decode_rows(&target, cursor, err);
}

/* What a batch of the log added, which is in the tables already. */
static bool decode_logged(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    uint64_t type, number = 0;
    if (!payload_number(cursor, &type, err))
        return false;
    enum profile_table table = type < CHUNK_TYPES ? row_table((uint32_t)type) : TABLES;
    if (table == TABLES || !decoder->logging)
        return err_set(err, ERR_FORMAT, table == TABLES ? "no such table" : "of no batch");
    struct target target = {.decoder = decoder,
                            .number = table,
                            .type = (enum chunk_type)type,
                            .table = &decoder->profile->tables[table],
                            .numbers = &decoder->logged[table],
                            .in_profile = &decoder->in_profile};
    while (cursor->at < cursor->end) {
        uint64_t y_time, y_count;
        uint32_t index = 0;
        if (!payload_difference(cursor, &number, err) ||
            !get_numbered(&target, cursor, number, &index, err) ||
            !payload_number(cursor, &y_time, err) || !payload_number(cursor, &y_count, err))
            return false;
        decode_log_row(decoder, table, index, y_time, y_count);
    }
    return true;
}

/* ---- losses and totals */

static bool decode_losses(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    while (cursor->at < cursor->end) {
        uint64_t n;
        if (!payload_name(cursor, &decoder->name, err) || !payload_number(cursor, &n, err))
            return false;
        profile_loss(decoder->profile, (const char *)decoder->name.at, n);
        if (decoder->profile->other_losses.n > OTHER_LOSSES_MAX)
            return err_set(err, ERR_FORMAT, "more than %d unknown losses", OTHER_LOSSES_MAX);
    }
    return true;
}

/* Numbers that a newer writer put behind the ones we know are checked and left. */
static bool decode_totals(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    struct totals *totals = &decoder->profile->totals;
    decoder->logging = false;
    uint64_t *const narrow[] = {&totals->batches,
                                &totals->windows,
                                &totals->interrupts,
                                &totals->instructions,
                                &totals->time,
                                &totals->count,
                                NULL,
                                NULL,
                                &totals->user_ns,
                                &totals->kernel_ns,
                                &totals->user_ticks,
                                &totals->agent_ns,
                                &totals->tool_ns,
                                &totals->off_ns,
                                &totals->samples,
                                &totals->sampled_ns,
                                &totals->whole_user_ns,
                                &totals->whole_kernel_ns,
                                &totals->walked_ns,
                                &totals->once_ns,
                                &totals->recordings,
                                NULL,
                                &totals->complete_ns,
                                &totals->delivery_ns,
                                &totals->translate_ns,
                                &totals->kernel_samples,
                                &totals->bare_ns,
                                NULL,
                                &totals->recorded,
                                &totals->long_trails,
                                &totals->long_rates,
                                &totals->long_rates_yy};
    u128 *const wide[] = {[6] = &totals->time_xx,
                          [7] = &totals->count_xx,
                          [21] = &totals->sampled_xx,
                          [27] = &totals->bare_xx};
    for (size_t i = 0; cursor->at < cursor->end; i++) {
        u128 value;
        if (!payload_wide(cursor, &value, err))
            return false;
        if (i >= sizeof narrow / sizeof *narrow)
            continue;
        if (!narrow[i])
            sum_add_wide(wide[i], value);
        else if (value > UINT64_MAX)
            return err_set(err, ERR_FORMAT, "a total of more than 64 bits");
        else
            sum_add(narrow[i], (uint64_t)value);
    }
    return true;
}

static bool decode_end(struct decoder *decoder, const struct cursor *cursor, struct err *err)
{
    if (cursor->at < cursor->end)
        return err_set(err, ERR_FORMAT, "it has one");
    decoder->ended = true;
    return true;
}

/* ---- dispatch */

static bool decode_payload(struct decoder *decoder, const struct chunk *chunk,
                           struct cursor *cursor, struct err *err)
{
    if (row_table(chunk->type) < TABLES)
        return decode_table(decoder, chunk, cursor, err);
    switch (chunk->type) {
    case CHUNK_HEADER: return decode_header(decoder, cursor, err);
    case CHUNK_MODULES: return decode_modules(decoder, cursor, err);
    case CHUNK_LOSSES: return decode_losses(decoder, cursor, err);
    case CHUNK_TOTALS: return decode_totals(decoder, cursor, err);
    case CHUNK_STACKS: return decode_stacks(decoder, &decoder->profile->stacks, cursor, err);
    case CHUNK_PASSAGES: return decode_stacks(decoder, &decoder->profile->passages, cursor, err);
    case CHUNK_SERIES: return decode_stacks(decoder, &decoder->profile->series, cursor, err);
    case CHUNK_CONTEXT_PATHS:
        return decode_stacks(decoder, &decoder->profile->context_paths, cursor, err);
    case CHUNK_WAITS: return decode_stacks(decoder, &decoder->profile->waits, cursor, err);
    case CHUNK_CALL_COSTS:
        return decode_stacks(decoder, &decoder->profile->call_costs, cursor, err);
    case CHUNK_TIMES: return decode_stacks(decoder, &decoder->profile->times, cursor, err);
    case CHUNK_WAIT_TIMES:
        return decode_stacks(decoder, &decoder->profile->wait_times, cursor, err);
    case CHUNK_MOMENTS: return decode_moment(decoder, cursor, err);
    case CHUNK_LOGGED: return decode_logged(decoder, cursor, err);
    case CHUNK_EVENTS: return decode_stacks(decoder, &decoder->profile->events, cursor, err);
    case CHUNK_SAMPLES: return decode_samples(decoder, cursor, err);
    case CHUNK_WINDOWS: return decode_windows(decoder, chunk->version, cursor, err);
    case CHUNK_PATH_PARTS: return decode_path_parts(decoder, chunk->version, cursor, err);
    case CHUNK_KEPT: return decode_kept(decoder, chunk->version, cursor, err);
    case CHUNK_THREADS: return decode_threads(decoder, cursor, err);
    case CHUNK_NAMES: return decode_names(decoder, cursor, err);
    default: return decode_end(decoder, cursor, err);
    }
}

static uint32_t newest_version(uint32_t type)
{
    if (type == CHUNK_WINDOWS)
        return CHUNK_SPANS_VERSION;
    if (type == CHUNK_PATH_PARTS)
        return CHUNK_DATED_VERSION;
    if (type == CHUNK_KEPT)
        return CHUNK_FIELDS_VERSION;
    return row_table(type) < TABLES ? CHUNK_BATCH_VERSION : CHUNK_VERSION;
}

bool decode_chunk(struct decoder *decoder, struct chunk *chunk, struct err *err)
{
    if (!chunk_is_known(chunk->type)) {
        decoder->skipped++;
        return true;
    }
    const char *name = chunk_name(chunk->type);
    uint32_t newest = newest_version(chunk->type);
    if (chunk->version == 0 || chunk->version > newest)
        return err_set(err, ERR_FORMAT,
                       "%s chunk of version %u: a newer gait wrote it, this one reads version %u",
                       name, chunk->version, newest);
    const uint8_t *payload;
    size_t n;
    if (!chunk_payload(chunk, &payload, &n, err))
        return err_in(err, "%s chunk", name);
    struct cursor cursor = {.at = payload, .end = n ? payload + n : payload};
    if (!decode_payload(decoder, chunk, &cursor, err))
        return err_in(err, "%s chunk, byte %zu of its payload", name,
                      (size_t)(cursor.at - payload));
    return true;
}

void decode_finish(struct decoder *decoder)
{
    decoder_settle(decoder);
    const struct bytes *command = &decoder->command;
    if (decoder->has_command)
        decoder->profile->command = arena_string_n(
            &decoder->profile->arena, command->n ? (const char *)command->at : "", command->n);
    decoder->profile->complete = decoder->ended;
}
