/* A plain profile made by hand, over code of the test itself and code that no file explains. */
#pragma once

#include "base/err.h"
#include "program/binary.h"
#include "analysis/report/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Samples of one stack, spread over the groups in turn. */
static inline void samples_add(struct profile *profile, uint32_t node, uint32_t n, uint64_t weight)
{
    for (uint32_t i = 0; i < n; i++)
        stacks_add(&profile->stacks, node, (uint32_t)(profile->totals.interrupts++ % STACK_GROUPS),
                   weight);
}

static inline uint32_t thread_add(struct profile *profile, uint32_t pid, uint32_t tid)
{
    threads_row(&profile->threads, &profile->arena, pid, tid, "thread");
    return stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(pid, tid));
}

static inline void plain_begin(struct profile *profile)
{
    profile_init(profile);
    profile->mode = PROFILE_PLAIN;
    profile->complete = true;
    profile->command = arena_string(&profile->arena, "by hand");
}

static inline const struct plain_row *row_named(const struct plain *plain,
                                                const struct plain_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->n; i++)
        if (strcmp(plain->functions.at[rows->at[i].function].name, name) == 0)
            return &rows->at[i];
    print_error("no row of %s\n", name);
    abort();
}

/* JIT code with names: main_ at 0x1000, fib at 0x2000, spin at 0x3000; the kernel has read_.
 * Addresses of callers are odd: return address less one. */
struct scenery {
    struct profile profile;
    struct scene scene;
    struct plain plain;
    uint32_t jit, kernel;
    uint32_t main_, fib, deep, spin, read_, other;
};

static inline void code_name(struct profile *profile, uint32_t module, uint64_t start,
                             const char *text)
{
    names_add(&profile->names, &profile->arena, module, start, 0x100, text);
}

static inline void scenery_make(struct scenery *s)
{
    struct profile *p = &s->profile;
    plain_begin(p);
    s->jit = profile_module_jit(p, 10);
    s->kernel = profile_module(p, "[kernel]", NULL, 0);
    code_name(p, s->jit, 0x1000, "main_");
    code_name(p, s->jit, 0x2000, "fib");
    code_name(p, s->jit, 0x3000, "spin");
    code_name(p, s->kernel, 0xffff800000001000, "read_");
    uint32_t thread = thread_add(p, 10, 11), second = thread_add(p, 10, 12);
    s->main_ = stacks_node(&p->stacks, thread, s->jit, 0x1011);
    s->fib = stacks_node(&p->stacks, s->main_, s->jit, 0x2011);
    s->deep = stacks_node(&p->stacks, s->fib, s->jit, 0x2020); /* fib called by fib */
    s->spin = stacks_node(&p->stacks, s->main_, s->jit, 0x3004);
    s->read_ = stacks_node(&p->stacks, s->fib, s->kernel, 0xffff800000001010);
    s->other = stacks_node(&p->stacks, second, s->jit, 0x3008);
    samples_add(p, s->deep, 600, 1000);
    samples_add(p, s->fib, 100, 1000);
    samples_add(p, s->spin, 200, 1000);
    samples_add(p, s->read_, 50, 1000);
    samples_add(p, s->other, 100, 1000);
    p->totals.user_ns = 2000000000; /* samples know of half of it */
    p->totals.kernel_ns = 100000000;
    const struct profile *side = p;
    scene_open(&s->scene, &side, 1, NULL);
}

static inline void scenery_end(struct scenery *s)
{
    scene_close(&s->scene);
    profile_release(&s->profile);
}
