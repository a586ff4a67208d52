#include "profile/sample_list.h"

#include "base/err.h"
#include "profile/cursor.h"
#include "profile/decode.h"
#include "profile/encode.h"
#include "records/sample.h"
#include "wire/varint.h"

#include <stdlib.h>

bool sample_list_pair_at(const struct sample_list *samples, size_t index)
{
    if (index + 1 >= samples->n)
        return false;
    const struct sample *first = &samples->at[index], *second = first + 1;
    return sample_knows(first, SAMPLE_PAIR) && sample_knows(second, SAMPLE_PAIR) &&
           first->at[SAMPLE_PAIR] == second->at[SAMPLE_PAIR];
}

static const enum sample_field module_fields[] = {SAMPLE_MODULE, SAMPLE_TARGET_MODULE,
                                                  SAMPLE_DATA_MODULE};
enum { MODULE_FIELDS = sizeof module_fields / sizeof *module_fields };

void sample_list_merge(struct sample_list *into, const struct sample_list *other,
                       const uint32_t *modules, size_t n_modules)
{
    vec_reserve(into, into->n + other->n);
    for (size_t i = 0; i < other->n; i++) {
        struct sample *sample = vec_push(into);
        *sample = other->at[i];
        for (int f = 0; f < MODULE_FIELDS; f++) {
            uint64_t *module = &sample->at[module_fields[f]];
            ASSERT(!sample_knows(sample, module_fields[f]) || *module < n_modules);
            if (sample_knows(sample, module_fields[f]))
                *module = modules[*module];
        }
    }
}

/* ---- to a file */

/* One or two that belong together, as the file has them. */
struct unit {
    struct sample first, second;
    bool pair;
};
struct units {
    VEC(struct unit);
};

/* A pair's number is given when all are in order. */
static struct sample sample_in_file(const struct sample *sample, const struct numbering *in_file)
{
    struct sample copy = *sample;
    for (int f = 0; f < MODULE_FIELDS; f++) {
        uint64_t *module = &copy.at[module_fields[f]];
        ASSERT(!sample_knows(sample, module_fields[f]) || *module < in_file->n);
        if (sample_knows(sample, module_fields[f]))
            *module = in_file->at[*module] + (uint64_t)1;
    }
    copy.at[SAMPLE_PAIR] = 0;
    copy.known &= ~((uint64_t)1 << SAMPLE_PAIR);
    return copy;
}

static int unit_order(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    int order = (int)x->pair - (int)y->pair;
    if (!order)
        order = sample_compare(&x->first, &y->first);
    return order ? order : sample_compare(&x->second, &y->second);
}

static void put_sample(struct encoder *encoder, const struct sample *sample, struct sample *before)
{
    encode_number(encoder, sample->known);
    for (int i = 0; i < SAMPLE_N; i++)
        if (sample->known >> i & 1) {
            encode_number(encoder, varint_fold(sample->at[i] - before->at[i]));
            before->at[i] = sample->at[i];
        }
}

void encode_samples(struct encoder *encoder, const struct sample_list *samples,
                    const struct numbering *in_file)
{
    struct units units = {0};
    struct sample before = {0};
    uint64_t pairs = 0;
    if (!samples->n)
        return;
    for (size_t i = 0; i < samples->n; i++) {
        struct unit *unit = vec_push(&units);
        unit->first = sample_in_file(&samples->at[i], in_file);
        unit->pair = sample_list_pair_at(samples, i);
        if (unit->pair)
            unit->second = sample_in_file(&samples->at[++i], in_file);
    }
    qsort(units.at, units.n, sizeof *units.at, unit_order);
    for (size_t i = 0; i < units.n; i++) {
        struct unit *unit = &units.at[i];
        if (encode_is_full(encoder)) {
            encode_chunk(encoder, CHUNK_SAMPLES, CHUNK_VERSION);
            before = (struct sample){0};
        }
        if (unit->pair) {
            sample_set(&unit->first, SAMPLE_PAIR, pairs);
            sample_set(&unit->second, SAMPLE_PAIR, pairs++);
        }
        put_sample(encoder, &unit->first, &before);
        if (unit->pair)
            put_sample(encoder, &unit->second, &before);
    }
    encode_chunk(encoder, CHUNK_SAMPLES, CHUNK_VERSION);
    vec_release(&units);
}

/* ---- from a file */

/* What others index with must be in range. */
static bool sample_check(const struct decoder *decoder, struct sample *sample, struct err *err)
{
    for (int f = 0; f < MODULE_FIELDS; f++) {
        uint64_t *module = &sample->at[module_fields[f]];
        if (!sample_knows(sample, module_fields[f]))
            continue;
        if (*module == 0 || *module > decoder->in_profile.n)
            return err_set(err, ERR_FORMAT, "module %llu of %zu", (unsigned long long)*module,
                           decoder->in_profile.n);
        *module = decoder->in_profile.at[*module - 1];
    }
    if (sample->at[SAMPLE_ORIGIN] >= ORIGINS)
        return err_set(err, ERR_FORMAT, "origin %llu",
                       (unsigned long long)sample->at[SAMPLE_ORIGIN]);
    if (sample->at[SAMPLE_SOURCE] >= SOURCES)
        return err_set(err, ERR_FORMAT, "source %llu",
                       (unsigned long long)sample->at[SAMPLE_SOURCE]);
    if (sample->at[SAMPLE_HISTORY_BITS] > 64)
        return err_set(err, ERR_FORMAT, "a history of %llu bits",
                       (unsigned long long)sample->at[SAMPLE_HISTORY_BITS]);
    return true;
}

bool decode_samples(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    struct sample before = {0};
    while (cursor->at < cursor->end) {
        struct sample sample = {0};
        if (!cursor_number(cursor, &sample.known, err))
            return false;
        if (!sample.known || sample.known >> SAMPLE_N)
            return err_set(err, ERR_FORMAT, "unknown fields 0x%llx",
                           (unsigned long long)sample.known);
        for (int i = 0; i < SAMPLE_N; i++) {
            if (!(sample.known >> i & 1))
                continue;
            if (!cursor_difference(cursor, &before.at[i], err))
                return false;
            sample.at[i] = before.at[i];
        }
        if (!sample_check(decoder, &sample, err))
            return false;
        *vec_push(&decoder->profile->samples) = sample;
    }
    return true;
}
