#include "base/sort.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sort_key {
    uint64_t number;
    uint32_t index;
};

/* One pass for each byte that not all numbers share. Returns the sorted half. */
static struct sort_key *keys_sort(struct sort_key *keys, struct sort_key *other, size_t n,
                                  uint64_t differ)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t first[257] = {0};
        if (!(differ >> shift & 255))
            continue;
        for (size_t i = 0; i < n; i++)
            first[(keys[i].number >> shift & 255) + 1]++;
        for (size_t b = 1; b < 256; b++)
            first[b] += first[b - 1];
        for (size_t i = 0; i < n; i++)
            other[first[keys[i].number >> shift & 255]++] = keys[i];
        struct sort_key *held = keys;
        keys = other;
        other = held;
    }
    return keys;
}

static void ties_sort(char *at, const struct sort_key *keys, size_t n, size_t bytes,
                      int (*order)(const void *, const void *))
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && keys[end].number == keys[i].number;)
            end++;
        if (end - i > 1)
            qsort(at + i * bytes, end - i, bytes, order);
    }
}

void sort_by_first(void *at, size_t n, size_t bytes, int (*order)(const void *, const void *))
{
    uint64_t differ = 0, number;
    if (n < 2 || n > UINT32_MAX)
        return;
    struct sort_key *keys = mem_resize(NULL, 2 * n * sizeof *keys);
    char *copy = mem_resize(NULL, n * bytes);
    memcpy(copy, at, n * bytes);
    for (size_t i = 0; i < n; i++) {
        memcpy(&number, copy + i * bytes, sizeof number);
        keys[i] = (struct sort_key){number, (uint32_t)i};
        differ |= number ^ keys[0].number;
    }
    const struct sort_key *sorted = keys_sort(keys, keys + n, n, differ);
    for (size_t i = 0; i < n; i++)
        memcpy((char *)at + i * bytes, copy + sorted[i].index * bytes, bytes);
    if (order)
        ties_sort(at, sorted, n, bytes, order);
    mem_free(copy);
    mem_free(keys);
}
