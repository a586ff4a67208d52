#include "profile/windows.h"

#include "base/err.h"
#include "profile/cursor.h"
#include "profile/decode.h"
#include "profile/encode.h"
#include "wire/varint.h"

#include <stdlib.h>

void windows_release(struct windows *windows)
{
    vec_release(&windows->runs);
    vec_release(&windows->spans);
    vec_release(&windows->bytes);
    vec_release(windows);
}

void windows_clear(struct windows *windows)
{
    windows->n = windows->runs.n = windows->spans.n = windows->bytes.n = 0;
}

static void bytes_append(struct window_bytes *bytes, const uint8_t *more, size_t n)
{
    vec_room(bytes, bytes->n + n);
    if (n)
        memcpy(bytes->at + bytes->n, more, n);
    bytes->n += n;
}

void windows_merge(struct windows *into, const struct windows *other, const uint32_t *modules,
                   size_t n_modules)
{
    for (size_t i = 0; i < other->n; i++) {
        struct window window = other->at[i];
        const struct window_run *runs = &other->runs.at[window.first_run];
        window.first_run = into->runs.n;
        window.first_span = into->spans.n;
        window.first_byte = into->bytes.n;
        for (size_t k = 0; k < window.n_runs; k++) {
            struct window_run run = runs[k];
            ASSERT(run.module < n_modules);
            run.module = modules[run.module];
            *vec_push(&into->runs) = run;
        }
        for (size_t k = 0; k < window.n_spans; k++) {
            struct window_span span = other->spans.at[other->at[i].first_span + k];
            ASSERT(span.module < n_modules);
            span.module = modules[span.module];
            *vec_push(&into->spans) = span;
        }
        bytes_append(&into->bytes, other->bytes.at + other->at[i].first_byte, window.n_bytes);
        *vec_push(into) = window;
    }
}

/* ---- bodies */

static void number_append(struct window_bytes *bytes, uint64_t value)
{
    vec_room(bytes, bytes->n + VARINT_BYTES_MAX);
    bytes->n = (size_t)(varint_put(bytes->at + bytes->n, value) - bytes->at);
}

static uint64_t *slot_of(struct window_body *body, uint32_t run, uint32_t instruction)
{
    return &body->last[(run * 32 + instruction) % WINDOW_SLOTS];
}

void window_write(struct windows *windows, struct window_body *body, uint32_t run,
                  const uint16_t *instructions, const uint64_t *addresses, uint32_t n)
{
    struct window *window = &windows->at[windows->n - 1];
    number_append(&windows->bytes, run);
    if (window->addressed) {
        uint32_t before = 0;
        number_append(&windows->bytes, n);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t *last = slot_of(body, run, instructions[i]);
            number_append(&windows->bytes, instructions[i] - before);
            number_append(&windows->bytes, varint_fold(addresses[i] - *last));
            *last = addresses[i];
            before = instructions[i];
        }
    }
    window->n_bytes = windows->bytes.n - window->first_byte;
}

void window_open(struct window_reader *reader, const struct windows *windows, size_t index)
{
    const struct window *window = &windows->at[index];
    *reader = (struct window_reader){.windows = windows, .window = window};
    reader->at = windows->bytes.at + window->first_byte;
    reader->end = reader->at + window->n_bytes;
}

static bool addresses_read(struct window_reader *reader, uint32_t run, uint32_t instructions)
{
    uint64_t n, at = 0, step, folded;
    if (!varint_get(&reader->at, reader->end, &n) || n > WINDOW_ADDRESSES)
        return false;
    reader->n = (uint32_t)n;
    for (uint32_t i = 0; i < n; i++) {
        if (!varint_get(&reader->at, reader->end, &step) || step >= instructions - at ||
            !varint_get(&reader->at, reader->end, &folded))
            return false;
        at += step;
        uint64_t *last = slot_of(&reader->body, run, (uint32_t)at);
        *last += varint_unfold(folded);
        reader->instructions[i] = (uint16_t)at;
        reader->addresses[i] = *last;
    }
    return true;
}

bool window_read(struct window_reader *reader, const struct window_run **ret_run)
{
    uint64_t run;
    reader->n = 0;
    if (reader->broken || reader->at == reader->end)
        return false;
    bool good = varint_get(&reader->at, reader->end, &run) && run < reader->window->n_runs;
    const struct window_run *found =
        good ? &reader->windows->runs.at[reader->window->first_run + run] : NULL;
    if (good && reader->window->addressed)
        good = addresses_read(reader, (uint32_t)run, found->instructions);
    reader->broken = !good;
    *ret_run = found;
    return good;
}

/* ---- the file */

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
    uint32_t module;
    if (!cursor_short(cursor, "module", &module, err))
        return false;
    if (module == 0 || module > decoder->in_profile.n)
        return err_set(err, ERR_FORMAT, "module %u of %zu", module, decoder->in_profile.n);
    *ret_module = decoder->in_profile.at[module - 1];
    return true;
}

static bool run_decode(struct decoder *decoder, struct cursor *cursor, uint64_t *at,
                       struct err *err)
{
    struct window_run run = {0};
    if (!module_decode(decoder, cursor, &run.module, err) || !cursor_difference(cursor, at, err) ||
        !cursor_short(cursor, "run of bytes:", &run.bytes, err) ||
        !cursor_short(cursor, "run of instructions:", &run.instructions, err))
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
        !cursor_number(cursor, &span.start, err) || !cursor_number(cursor, &bytes, err) ||
        !cursor_difference(cursor, &span.shift, err))
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
    if (!cursor_number(cursor, &window.tsc, err) ||
        !cursor_number(cursor, &window.weight_ns, err) ||
        !cursor_number(cursor, &window.tid, err) ||
        !cursor_number(cursor, &window.addressed, err) || !cursor_number(cursor, &n_runs, err))
        return false;
    if (window.addressed > 1)
        return err_set(err, ERR_FORMAT, "a window of kind %llu",
                       (unsigned long long)window.addressed);
    for (uint64_t i = 0; i < n_runs; i++)
        if (!run_decode(decoder, cursor, &at, err))
            return false;
    if (version >= CHUNK_SPANS_VERSION && !cursor_number(cursor, &n_spans, err))
        return false;
    for (uint64_t i = 0; i < n_spans; i++)
        if (!span_decode(decoder, cursor, err))
            return false;
    if (!cursor_number(cursor, &n_bytes, err) || !cursor_bytes(cursor, n_bytes, &bytes, err))
        return false;
    window.n_runs = (size_t)n_runs;
    window.n_spans = (size_t)n_spans;
    window.n_bytes = (size_t)n_bytes;
    bytes_append(&windows->bytes, bytes, window.n_bytes);
    *vec_push(windows) = window;
    return true;
}

const struct window_span *window_span_find(const struct windows *windows,
                                           const struct window *window, uint64_t address)
{
    for (size_t i = 0; i < window->n_spans; i++) {
        const struct window_span *span = &windows->spans.at[window->first_span + i];
        if (address >= span->start && address < span->end)
            return span;
    }
    return NULL;
}

bool decode_windows(struct decoder *decoder, uint32_t version, struct cursor *cursor,
                    struct err *err)
{
    while (cursor->at < cursor->end)
        if (!window_decode(decoder, version, cursor, err))
            return false;
    return true;
}
