#include "collect/output/jit_places.h"

#include "base/err.h"
#include "keep/keep_jit.h"
#include "profile/places.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/names/jit_dump.h"
#include "program/names/perf_map.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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
    struct jit_dump dump;
    uint32_t first_code; /* of the map's names: the first that is the dump's */
    bool *wanted;        /* for each code of the dump */
    uint64_t last;       /* start of the name that was added last */
};

/* The whole code is there as it was dumped: nothing took a part of its place. */
static void code_want(struct naming *naming, uint32_t index, struct avma start, uint64_t bytes)
{
    if (index == PERF_MAP_NONE || index < naming->first_code)
        return;
    const struct jit_code *code = &naming->dump.at[index - naming->first_code];
    if (code->start == start.v && code->bytes == bytes)
        naming->wanted[index - naming->first_code] = true;
}

static void place_name(struct naming *naming, uint64_t at)
{
    struct avma start = {0};
    uint64_t bytes = 0;
    const char *name = perf_map_find(&naming->map, (struct avma){at}, &start, &bytes);
    if (!name || start.v == naming->last)
        return;
    naming->last = start.v;
    names_add(&naming->to->names, &naming->to->arena, naming->module, start.v, bytes, name);
    code_want(naming, perf_map_index(&naming->map, (struct avma){at}), start, bytes);
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

/* The program's perf map, if it has one. */
static void map_take(struct naming *naming, uint32_t pid)
{
    char path[PATH_MAX];
    struct err err;
    if (!perf_map_path((int)pid, path, sizeof path))
        return;
    if (!perf_map_read(&naming->map, path, &err))
        profile_fact(naming->to, "perf_map_bad", err.text);
    else if (naming->map.n_bad)
        profile_fact(naming->to, "perf_map_bad", naming->map.first_bad);
}

/* Compilers map the dump that they write, so that profilers see its path. */
static const char *dump_path(const struct profile *profile, uint32_t pid)
{
    char name[32];
    snprintf(name, sizeof name, "jit-%" PRIu32 ".dump", pid);
    for (uint32_t i = 0; i < profile->modules.n; i++) {
        const char *path = profile->modules.at[i].path, *slash = strrchr(path, '/');
        if (slash && strcmp(slash + 1, name) == 0)
            return path;
    }
    return NULL;
}

static void dump_take(struct naming *naming, const char *path)
{
    struct err err;
    if (!jit_dump_read(&naming->dump, path, &err)) {
        naming->dump = (struct jit_dump){0};
        profile_fact(naming->to, "perf_map_bad", err.text);
        return;
    }
    if (naming->dump.bad)
        profile_fact(naming->to, "perf_map_bad", naming->dump.bad);
    naming->first_code = (uint32_t)naming->map.names.n;
    for (size_t i = 0; i < naming->dump.n; i++) {
        const struct jit_code *code = &naming->dump.at[i];
        perf_map_claim(&naming->map, (struct avma){code->start}, code->bytes, code->name,
                       strlen(code->name));
    }
    perf_map_settle(&naming->map);
    naming->wanted = mem_alloc(naming->dump.n + 1);
}

void jit_places_name(struct profile *ret, const struct places *places,
                     const struct profile *profile, enum jit_sources sources)
{
    for (uint32_t i = 0; i < profile->modules.n; i++) {
        uint32_t pid = pid_of(&profile->modules.at[i]);
        const char *dump = pid ? dump_path(profile, pid) : NULL;
        struct naming naming = {.to = ret, .last = UINT64_MAX, .first_code = PERF_MAP_NONE};
        if (!pid || (sources == JIT_DUMPS && !dump))
            continue;
        if (sources != JIT_DUMPS)
            map_take(&naming, pid);
        if (dump)
            dump_take(&naming, dump);
        if (naming.map.names.n) {
            naming.module = profile_module_jit(ret, pid);
            module_name(&naming, places, i);
        }
        if (naming.wanted)
            jit_codes_keep(&naming.dump, naming.wanted, naming.module, ret);
        mem_free(naming.wanted);
        jit_dump_release(&naming.dump);
        perf_map_release(&naming.map);
    }
}
