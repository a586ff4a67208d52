#include "profile/file/windows_chunk.h"

#include "base/err.h"
#include "wire/varint.h"

#include <stdlib.h>
#include <string.h>

struct ordered {
    const struct windows *windows;
    const struct window *window;
};

/* Any two that differ have an order, whatever came first. */
static int ordered_compare(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    const uint64_t fields[][2] = {{x->window->tsc, y->window->tsc},
                                  {x->window->tid, y->window->tid},
                                  {x->window->weight_ns, y->window->weight_ns},
                                  {x->window->n_runs, y->window->n_runs},
                                  {x->window->n_bytes, y->window->n_bytes}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i][0] != fields[i][1])
            return fields[i][0] < fields[i][1] ? -1 : 1;
    return x->window->n_bytes
               ? memcmp(x->windows->bytes.at + x->window->first_byte,
                        y->windows->bytes.at + y->window->first_byte, x->window->n_bytes)
               : 0;
}

static void put_window(struct encoder *encoder, const struct windows *windows,
                       const struct window *window, const struct numbering *in_file)
{
    const uint64_t head[] = {window->tsc, window->weight_ns, window->tid, window->addressed,
                             window->n_runs};
    uint64_t at = 0;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        encode_number(encoder, head[i]);
    for (size_t i = 0; i < window->n_runs; i++) {
        const struct window_run *run = &windows->runs.at[window->first_run + i];
        ASSERT(run->module < in_file->n);
        encode_number(encoder, in_file->at[run->module] + (uint64_t)1);
        encode_number(encoder, varint_fold(run->at - at));
        encode_number(encoder, run->bytes);
        encode_number(encoder, run->instructions);
        at = run->at;
    }
    encode_number(encoder, window->n_spans);
    for (size_t i = 0; i < window->n_spans; i++) {
        const struct window_span *span = &windows->spans.at[window->first_span + i];
        ASSERT(span->module < in_file->n);
        encode_number(encoder, in_file->at[span->module] + (uint64_t)1);
        encode_number(encoder, span->start);
        encode_number(encoder, span->end - span->start);
        encode_number(encoder, varint_fold(span->shift));
    }
    encode_number(encoder, window->n_bytes);
    bytes_add(&encoder->payload, windows->bytes.at + window->first_byte, window->n_bytes);
}

void encode_windows(struct encoder *encoder, const struct windows *windows,
                    const struct numbering *in_file)
{
    struct {
        VEC(struct ordered);
    } order = {0};
    if (!windows->n)
        return;
    for (size_t i = 0; i < windows->n; i++)
        *vec_push(&order) = (struct ordered){windows, &windows->at[i]};
    qsort(order.at, order.n, sizeof *order.at, ordered_compare);
    for (size_t i = 0; i < order.n; i++) {
        if (encode_is_full(encoder))
            encode_chunk(encoder, CHUNK_WINDOWS, CHUNK_SPANS_VERSION);
        put_window(encoder, windows, order.at[i].window, in_file);
    }
    encode_chunk(encoder, CHUNK_WINDOWS, CHUNK_SPANS_VERSION);
    vec_release(&order);
}

static bool module_decode(const struct decoder *decoder, struct cursor *cursor,
                          uint32_t *ret_module, struct err *err)
{
    uint64_t number;
    return payload_number(cursor, &number, err) && decoder_module(decoder, number, ret_module, err);
}

static bool run_decode(struct decoder *decoder, struct cursor *cursor, uint64_t *at,
                       struct err *err)
{
    struct window_run run = {0};
    if (!module_decode(decoder, cursor, &run.module, err) || !payload_difference(cursor, at, err) ||
        !payload_short(cursor, "run of bytes:", &run.bytes, err) ||
        !payload_short(cursor, "run of instructions:", &run.instructions, err))
        return false;
    if (!run.instructions || run.instructions > UINT16_MAX || run.bytes < run.instructions ||
        run.bytes > 15 * run.instructions)
        return err_set(err, ERR_FORMAT, "a run of %u instructions in %u bytes", run.instructions,
                       run.bytes);
    run.at = *at;
    *vec_push(&decoder->profile->windows.runs) = run;
    return true;
}

static bool span_decode(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    struct window_span span = {0};
    uint64_t bytes;
    if (!module_decode(decoder, cursor, &span.module, err) ||
        !payload_number(cursor, &span.start, err) || !payload_number(cursor, &bytes, err) ||
        !payload_difference(cursor, &span.shift, err))
        return false;
    if (bytes > UINT64_MAX - span.start)
        return err_set(err, ERR_FORMAT, "%llu bytes of memory from 0x%llx on",
                       (unsigned long long)bytes, (unsigned long long)span.start);
    span.end = span.start + bytes;
    *vec_push(&decoder->profile->windows.spans) = span;
    return true;
}

static bool window_decode(struct decoder *decoder, uint32_t version, struct cursor *cursor,
                          struct err *err)
{
    struct windows *windows = &decoder->profile->windows;
    struct window window = {.first_run = windows->runs.n,
                            .first_span = windows->spans.n,
                            .first_byte = windows->bytes.n};
    uint64_t n_runs, n_spans = 0, n_bytes, at = 0;
    const uint8_t *bytes;
    if (!payload_number(cursor, &window.tsc, err) ||
        !payload_number(cursor, &window.weight_ns, err) ||
        !payload_number(cursor, &window.tid, err) ||
        !payload_number(cursor, &window.addressed, err) || !payload_number(cursor, &n_runs, err))
        return false;
    if (window.addressed > 1)
        return err_set(err, ERR_FORMAT, "a window of kind %llu",
                       (unsigned long long)window.addressed);
    for (uint64_t i = 0; i < n_runs; i++)
        if (!run_decode(decoder, cursor, &at, err))
            return false;
    if (version >= CHUNK_SPANS_VERSION && !payload_number(cursor, &n_spans, err))
        return false;
    for (uint64_t i = 0; i < n_spans; i++)
        if (!span_decode(decoder, cursor, err))
            return false;
    if (!payload_number(cursor, &n_bytes, err) || !payload_bytes(cursor, n_bytes, &bytes, err))
        return false;
    window.n_runs = (size_t)n_runs;
    window.n_spans = (size_t)n_spans;
    window.n_bytes = (size_t)n_bytes;
    bytes_add(&windows->bytes, bytes, window.n_bytes);
    *vec_push(windows) = window;
    return true;
}

bool decode_windows(struct decoder *decoder, uint32_t version, struct cursor *cursor,
                    struct err *err)
{
    while (cursor->at < cursor->end)
        if (!window_decode(decoder, version, cursor, err))
            return false;
    return true;
}
