#include "profile/file/samples_chunk.h"

#include "base/err.h"
#include "records/sample.h"
#include "wire/varint.h"

#include <stdlib.h>

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
    for (int f = 0; f < SAMPLE_MODULE_FIELDS; f++) {
        uint64_t *module = &copy.at[sample_module_fields[f]];
        ASSERT(!sample_knows(sample, sample_module_fields[f]) || *module < in_file->n);
        if (sample_knows(sample, sample_module_fields[f]))
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

/* What others index with must be in range. */
static bool sample_check(const struct decoder *decoder, struct sample *sample, struct err *err)
{
    for (int f = 0; f < SAMPLE_MODULE_FIELDS; f++) {
        uint64_t *module = &sample->at[sample_module_fields[f]];
        if (!sample_knows(sample, sample_module_fields[f]))
            continue;
        uint32_t in_profile;
        if (!decoder_module(decoder, *module, &in_profile, err))
            return false;
        *module = in_profile;
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
        if (!payload_number(cursor, &sample.known, err))
            return false;
        if (!sample.known || sample.known >> SAMPLE_N)
            return err_set(err, ERR_FORMAT, "unknown fields 0x%llx",
                           (unsigned long long)sample.known);
        for (int i = 0; i < SAMPLE_N; i++) {
            if (!(sample.known >> i & 1))
                continue;
            if (!payload_difference(cursor, &before.at[i], err))
                return false;
            sample.at[i] = before.at[i];
        }
        if (!sample_check(decoder, &sample, err))
            return false;
        *vec_push(&decoder->profile->samples) = sample;
    }
    return true;
}
