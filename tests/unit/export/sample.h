/* A plain profile made by hand, over code that no file explains but the recording has names for. */
#pragma once

#include "base/err.h"
#include "export/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static inline void named(struct profile *profile, uint32_t module, uint64_t start, const char *text)
{
    names_add(&profile->names, &profile->arena, module, start, 0x100, text);
}

/* Thread 10/11 "one": main_ calls fib, which calls itself and the kernel; thread 10/12 "two;x":
 * spin. */
static inline void sample(struct profile *profile)
{
    profile_init(profile);
    profile->mode = PROFILE_PLAIN;
    profile->complete = true;
    profile->command = arena_string(&profile->arena, "/usr/bin/prog 'a \"b\"'");
    uint32_t jit = profile_module_jit(profile, 10);
    uint32_t kernel = profile_module(profile, "[kernel]", NULL, 0);
    uint32_t gone = profile_module(profile, "/no/such/libgone.so", NULL, 0);
    named(profile, jit, 0x1000, "main_");
    named(profile, jit, 0x2000, "operator;\n\"fib\"");
    named(profile, jit, 0x3000, "_ZN1a1bEi");
    named(profile, kernel, 0xffff800000001000, "read_");
    threads_row(&profile->threads, &profile->arena, 10, 11, "one")->user_ns = 5;
    threads_row(&profile->threads, &profile->arena, 10, 11, "zzz")->user_ns = 4;
    threads_row(&profile->threads, &profile->arena, 10, 12, "two;x");
    struct stacks *stacks = &profile->stacks;
    uint32_t one = stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(10, 11));
    uint32_t two = stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(10, 12));
    uint32_t main_ = stacks_node(stacks, one, jit, 0x1011);
    uint32_t fib = stacks_node(stacks, main_, jit, 0x2011);
    uint32_t again = stacks_node(stacks, fib, jit, 0x2020);
    uint32_t elsewhere = stacks_node(stacks, fib, jit, 0x2030);
    uint32_t read_ = stacks_node(stacks, again, kernel, 0xffff800000001010);
    uint32_t spin = stacks_node(stacks, two, jit, 0x3008);
    uint32_t lost = stacks_node(stacks, two, gone, 0x99);
    for (uint32_t i = 0; i < 40; i++) {
        stacks_add(stacks, main_, i % 32, 1);
        stacks_add(stacks, again, i % 32, 10);
        stacks_add(stacks, elsewhere, i % 32, 100);
        stacks_add(stacks, read_, i % 32, 1000);
        stacks_add(stacks, spin, i % 32, 10000);
    }
    stacks_add(stacks, lost, 7, 3);
    profile->totals.interrupts = 201;
    profile->totals.time = 40 + 400 + 4000 + 400000 + 3;
}

enum { SAMPLE_TOTAL = 40 * 11111 + 3 };

/* What the exporter makes of it; the caller frees. */
static inline char *exported(const char *format, const struct profile *profile,
                             struct export_options options, size_t *ret_n)
{
    char *text = NULL;
    size_t n = 0;
    struct err err = {0};
    const struct exporter *exporter = exporter_find(format);
    assert_non_null(exporter);
    FILE *to = open_memstream(&text, &n);
    assert_non_null(to);
    if (!export_profile(to, exporter, profile, &options, &err))
        fail_msg("%s", err.text);
    assert_int_equal(fclose(to), 0);
    if (ret_n)
        *ret_n = n;
    return text;
}

static inline struct export_options by_time(void)
{
    return (struct export_options){.weight = WEIGHT_TIME, .inlined = true};
}
