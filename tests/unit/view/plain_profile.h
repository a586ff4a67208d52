/* A plain profile made by hand, over code of the test itself and code that no file explains. */
#pragma once

#include "base/err.h"
#include "program/binary.h"
#include "view/plain.h"

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
