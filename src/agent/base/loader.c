#include "agent/base/loader.h"

#include <link.h>
#include <stddef.h>

enum { MODULES_MAX = 1 << 14, NAME_MAX_BYTES = 4096 };

static uint64_t mix(uint64_t print, uint64_t value)
{
    return (print ^ value) * UINT64_C(0x9E3779B97F4A7C15) + (print >> 32);
}

/* Names count: a library often replaces another of the same shape at the same address. */
static uint64_t mix_name(uint64_t print, const char *name)
{
    for (uint32_t i = 0; name && name[i] && i < NAME_MAX_BYTES; i++)
        print = mix(print, (uint8_t)name[i]);
    return print;
}

bool loader_fingerprint(const struct r_debug *loader, uint64_t *ret)
{
    uint64_t print = 0;
    uint32_t n = 0;
    while (loader) {
        if (loader->r_state != RT_CONSISTENT)
            return false;
        for (const struct link_map *map = loader->r_map; map; map = map->l_next) {
            if (++n > MODULES_MAX)
                return false;
            print = mix(mix(print, map->l_addr), (uint64_t)map->l_ld);
            print = mix_name(print, map->l_name);
        }
        /* Version 2 chains the other namespaces (dlmopen) behind the first. */
        const struct r_debug_extended *more = (const struct r_debug_extended *)loader;
        loader = loader->r_version >= 2 && more->r_next ? &more->r_next->base : NULL;
    }
    *ret = print;
    return true;
}
