#include "collect/kernel/jit_names.h"

#include "base/err.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/names/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void jit_names_init(struct jit_names *names)
{
    *names = (struct jit_names){0};
    map_init(&names->modules, sizeof(uint32_t));
}

void jit_names_release(struct jit_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        if (names->at[i].fd >= 0)
            close(names->at[i].fd);
        map_release(&names->at[i].addresses);
    }
    vec_release(names);
    map_release(&names->modules);
}

static void map_look(struct jit_map *map)
{
    char path[PATH_MAX];
    if (map->fd >= 0 || !perf_map_path((int)map->pid, path, sizeof path))
        return;
    map->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    map->refused = map->fd < 0 && errno != ENOENT ? errno : 0;
}

void jit_names_see(struct jit_names *names, uint32_t pid, uint32_t module, uint64_t address)
{
    uint32_t index = map_add(&names->modules, &module);
    if (index == names->n) {
        struct jit_map *made = vec_push(names);
        *made = (struct jit_map){.module = module, .fd = -1, .pid = pid};
        map_init(&made->addresses, sizeof(uint64_t));
        map_look(made);
    }
    map_add(&names->at[index].addresses, &address);
}

void jit_names_look(struct jit_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        map_look(&names->at[i]);
}

/* Why there are fewer names than there could be. What the reader says is about a descriptor. */
static void map_complain(const struct jit_map *map, struct profile *profile, const char *why)
{
    const char *reason = strstr(why, ": ");
    profile_fact(
        profile, "perf_map_bad",
        arena_format(&profile->arena, "/tmp/perf-%u.map: %s", map->pid, reason ? reason + 2 : why));
}

static void map_tell(const struct jit_map *map, struct profile *profile)
{
    char path[32];
    struct perf_map perf_map = {0};
    struct err err;
    if (map->refused)
        map_complain(map, profile, strerror(map->refused));
    if (map->fd < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", map->fd);
    if (!perf_map_read(&perf_map, path, &err)) {
        map_complain(map, profile, err.text);
        return;
    }
    if (perf_map.n_bad)
        map_complain(map, profile, perf_map.first_bad);
    for (uint32_t i = 0; i < map->addresses.n; i++) {
        struct avma at, start = {0};
        uint64_t bytes = 0;
        memcpy(&at.v, map_key(&map->addresses, i), sizeof at.v);
        const char *name = perf_map_find(&perf_map, at, &start, &bytes);
        if (name)
            names_add(&profile->names, &profile->arena, map->module, start.v, bytes, name);
        if (name && perf_map_reused(&perf_map, at))
            sum_add(&profile->totals.losses[LOSS_jit_reused], 1);
    }
    perf_map_release(&perf_map);
}

void jit_names_tell(struct jit_names *names, struct profile *profile)
{
    jit_names_look(names);
    for (size_t i = 0; i < names->n; i++)
        map_tell(&names->at[i], profile);
}
