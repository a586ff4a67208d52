/* Executions of a program as windows of a sampled recording saw them, run by run, with data
 * addresses if they were recorded. A model of a core replays them.
 *
 * A window has a list of its runs (straight stretches of code) and a body: the order in which they
 * ran. Bodies are checked when they are read; an invalid one ends at its error. */
#pragma once

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_ADDRESSES = 512, WINDOW_SLOTS = 1024 };

struct window_run {
    uint32_t module; /* of the profile */
    uint32_t bytes, instructions;
    uint64_t at; /* svma.v */
};

/* Where a module was mapped: converts data addresses to addresses as linked. */
struct window_span {
    uint32_t module; /* of the profile */
    uint32_t unused;
    uint64_t start, end; /* avma.v */
    uint64_t shift;      /* svma.v - avma.v */
};

struct window {
    uint64_t tsc;       /* start */
    uint64_t weight_ns; /* CPU time it stands for */
    uint64_t tid;
    uint64_t addressed; /* 1: addresses were recorded */
    size_t first_run, n_runs;
    size_t first_span, n_spans; /* if it has addresses */
    size_t first_byte, n_bytes;
};

struct windows {
    VEC(struct window);
    struct window_runs {
        VEC(struct window_run);
    } runs;
    struct window_spans {
        VEC(struct window_span);
    } spans;
    struct bytes bytes;
};

void windows_release(struct windows *windows);
void windows_clear(struct windows *windows);
void windows_merge(struct windows *into, const struct windows *other, const uint32_t *modules,
                   size_t n_modules);

/* ---- a body, written and read: addresses as differences from the last of the same instruction */

struct window_body {
    uint64_t last[WINDOW_SLOTS];
};

/* Appends one run, by its number in the window, with n addresses of its instructions in order. The
 * window is the last. */
void window_write(struct windows *windows, struct window_body *body, uint32_t run,
                  const uint16_t *instructions, const uint64_t *addresses, uint32_t n);

struct window_reader {
    const struct windows *windows;
    const struct window *window;
    const uint8_t *at, *end;
    struct window_body body;
    uint32_t n; /* addresses of the last run read */
    uint16_t instructions[WINDOW_ADDRESSES];
    uint64_t addresses[WINDOW_ADDRESSES];
    bool broken; /* the rest of the body is invalid */
};

void window_open(struct window_reader *reader, const struct windows *windows, size_t index);
/* False: end of the body. */
bool window_read(struct window_reader *reader, const struct window_run **ret_run);

/* The module of a data address; NULL: none. */
const struct window_span *window_span_find(const struct windows *windows,
                                           const struct window *window, uint64_t address);
