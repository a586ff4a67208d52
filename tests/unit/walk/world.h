/* What the tests of walks have in common: memory as the agent maps it, and this process's own code
 * as the program. */
#pragma once

#include "walk/cache/cache.h"

#include <stdio.h>
#include <sys/mman.h>

static struct cache *cache;

/* A regions.refresh: all that is executable may be walked, but for the copies. */
__attribute__((unused)) static void read_maps(struct regions *into)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], rights[8];
    into->n = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && rights[2] == 'x' &&
            into->n < REGIONS_MAX && !cache_contains(cache, start))
            into->at[into->n++] = (struct region){.start = start, .end = end, .refusal = LOSS_N};
    }
    fclose(maps);
}

/* A bank, empty again: its pages are given back, most of which do not exist. */
__attribute__((unused)) static void bank_empty(void *bank)
{
    assert_int_equal(madvise(bank, CHANNEL_BANK_BYTES, MADV_DONTNEED), 0);
}

static void *map_zeroed(size_t bytes, int sharing)
{
    void *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    return at;
}

/* Returns what it was. */
__attribute__((unused)) static uint64_t gs_swap(uint64_t base)
{
    uint64_t old;
    __asm__ volatile("rdgsbase %0\n wrgsbase %1" : "=&r"(old) : "r"(base) : "memory");
    return old;
}
