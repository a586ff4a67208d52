#include "agent/loader.h"

#include <link.h>
#include <stddef.h>

enum { MODULES_MAX = 1 << 14 };

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
            print = (print ^ map->l_addr) * UINT64_C(0x9E3779B97F4A7C15);
            print = (print ^ (uint64_t)map->l_ld) * UINT64_C(0xD6E8FEB86659FD93);
        }
        /* Version 2 chains the other namespaces (dlmopen) behind the first. */
        const struct r_debug_extended *more = (const struct r_debug_extended *)loader;
        loader = loader->r_version >= 2 && more->r_next ? &more->r_next->base : NULL;
    }
    *ret = print;
    return true;
}
