/* Any text as a perf map: it is read without harm, and its entries are in order and apart. */
#include "program/names/perf_map.h"

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perf_map map;
    perf_map_parse(&map, "map", (const char *)data, size);
    uint64_t end = 0;
    for (size_t i = 0; i < map.stretches.n; i++) {
        const struct stretch *stretch = &map.stretches.at[i];
        struct avma start;
        uint64_t bytes;
        ASSERT(stretch->start >= end && stretch->end > stretch->start);
        end = stretch->end;
        ASSERT(perf_map_find(&map, (struct avma){end - 1}, &start, &bytes) ==
               map.names.at[stretch->value]);
        ASSERT(start.v == stretch->start && bytes == stretch->end - stretch->start);
    }
    ASSERT(!map.n_bad == !map.first_bad);
    perf_map_release(&map);
    return 0;
}
