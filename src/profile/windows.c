#include "profile/windows.h"

#include "base/err.h"
#include "wire/varint.h"

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
        bytes_add(&into->bytes, other->bytes.at + other->at[i].first_byte, window.n_bytes);
        *vec_push(into) = window;
    }
}

/* ---- bodies */

static void number_append(struct bytes *bytes, uint64_t value)
{
    bytes_reserve(bytes, bytes->n + VARINT_BYTES_MAX);
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
