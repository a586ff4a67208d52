#include "collect/output/jit_places.h"

#include "base/err.h"
#include "profile/places.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/names/perf_map.h"

#include <limits.h>
#include <string.h>

/* The process of a module of code made at run time; 0: it is another module. */
static uint32_t pid_of(const struct module *module)
{
    const uint8_t *id = module->build_id;
    if (strcmp(module->path, "[jit]") != 0 || module->build_id_bytes != 4)
        return 0;
    return (uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];
}

struct naming {
    struct profile *to;
    uint32_t module;
    struct perf_map map;
    uint64_t last; /* start of the name that was added last */
};

static void place_name(struct naming *naming, uint64_t at)
{
    struct avma start = {0};
    uint64_t bytes = 0;
    const char *name = perf_map_find(&naming->map, (struct avma){at}, &start, &bytes);
    if (!name || start.v == naming->last)
        return;
    naming->last = start.v;
    names_add(&naming->to->names, &naming->to->arena, naming->module, start.v, bytes, name);
    if (perf_map_reused(&naming->map, (struct avma){at}))
        sum_add(&naming->to->totals.losses[LOSS_jit_reused], 1);
}

/* Places are steps of 16 bytes, which may have the end of one function and the start of another. */
static void module_name(struct naming *naming, const struct places *places, uint32_t module)
{
    enum { STEP = 1 << PLACE_BITS, PART = 4 };
    enum place_seen kind;
    for (uint64_t at = 0; places_next(places, module, &at, &kind); at += STEP)
        for (uint64_t part = 0; part < STEP; part += PART)
            place_name(naming, at + part);
}

void jit_places_name(struct profile *ret, const struct places *places,
                     const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->modules.n; i++) {
        uint32_t pid = pid_of(&profile->modules.at[i]);
        char path[PATH_MAX];
        struct err err;
        struct naming naming = {.to = ret, .last = UINT64_MAX};
        if (!pid || !perf_map_path((int)pid, path, sizeof path))
            continue;
        if (!perf_map_read(&naming.map, path, &err)) {
            profile_fact(ret, "perf_map_bad", err.text);
            continue;
        }
        if (naming.map.n_bad)
            profile_fact(ret, "perf_map_bad", naming.map.first_bad);
        naming.module = profile_module_jit(ret, pid);
        module_name(&naming, places, i);
        perf_map_release(&naming.map);
    }
}
