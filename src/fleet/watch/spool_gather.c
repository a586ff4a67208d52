#include "fleet/watch/spool_gather.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/place_file.h"
#include "fleet/watch/entries.h"
#include "profile/file/file.h"
#include "profile/kernel_names.h"
#include "profile/kernel_place.h"
#include "profile/kernel_table.h"
#include "store/blur.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct group {
    const char *key, *service;
    struct profile sum;
    struct parts {
        VEC(const char *);
    } parts; /* paths, the oldest first */
};

struct gathering {
    struct spool *spool;
    struct arena arena;
    VEC(struct group);
    uint64_t bytes; /* of the files of all groups */
    struct kernel_table kernel;
};

/* ---- one group on disk */

static char *list_text(struct arena *arena, const struct parts *parts)
{
    char *text = arena_string(arena, "");
    for (size_t i = 0; i < parts->n; i++)
        text = arena_format(arena, "%s%s\n", text, strrchr(parts->at[i], '/') + 1);
    return text;
}

/* Removes what the sum has; only names of recordings in the same folder. */
static void listed_remove(struct spool *spool, struct arena *arena, const char *list)
{
    char line[512];
    FILE *from = fopen(list, "re");
    while (from && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = 0;
        size_t n = strlen(line), suffix = sizeof ENTRY_READY - 1;
        if (n > suffix && !strchr(line, '/') && strcmp(line + n - suffix, ENTRY_READY) == 0)
            unlink(arena_format(arena, "%s/%s", spool->folder, line));
    }
    if (from)
        fclose(from);
    entry_sync(spool->folder);
    unlink(list);
}

static bool sum_write(struct gathering *gathering, struct group *group, struct err *err)
{
    struct arena *arena = &gathering->arena;
    struct spool *spool = gathering->spool;
    const char *first = group->parts.at[0];
    char *part = entry_path(arena, spool->folder, entry_time_ns(first), entry_pid(first),
                            group->service, ENTRY_PART);
    char *sum = entry_as(arena, part, ENTRY_SUM), *list = entry_as(arena, part, ENTRY_LIST);
    if (group->parts.n == 1)
        return rename(first, sum) == 0 || err_errno(err, "%s", sum);
    char *text = list_text(arena, &group->parts);
    if (!profile_write(part, &group->sum, err))
        return false;
    entry_sync(part);
    if (!place_file(list, text, strlen(text), PLACE_DURABLE, NULL, err)) {
        unlink(part);
        return false;
    }
    entry_sync(spool->folder);
    if (rename(part, sum) < 0) {
        unlink(list);
        return err_errno(err, "%s", sum);
    }
    entry_sync(spool->folder);
    listed_remove(spool, arena, list);
    return true;
}

static bool groups_write(struct gathering *gathering, struct err *err)
{
    bool ok = true;
    for (size_t i = 0; i < gathering->n; i++) {
        struct group *group = &gathering->at[i];
        ok = ok && sum_write(gathering, group, err);
        vec_release(&group->parts);
        profile_release(&group->sum);
    }
    vec_release(gathering);
    gathering->bytes = 0;
    entry_sync(gathering->spool->folder);
    return ok;
}

/* ---- groups */

/* Takes the profile. What cannot be added is a group of its own. */
static void group_add(struct gathering *gathering, const char *path, const char *key,
                      const char *service, struct profile *profile)
{
    struct err ignored;
    struct group *group = NULL;
    for (size_t i = 0; i < gathering->n && !group; i++)
        if (strcmp(gathering->at[i].key, key) == 0)
            group = &gathering->at[i];
    if (group && profile_merge(&group->sum, profile, &ignored)) {
        profile_release(profile);
    } else {
        group = vec_push(gathering);
        *group = (struct group){.key = key, .service = service, .sum = *profile};
    }
    *vec_push(&group->parts) = path;
}

static void entry_take(struct gathering *gathering, const struct entry *entry)
{
    struct spool *spool = gathering->spool;
    struct arena *arena = &gathering->arena;
    struct profile profile;
    struct origin origin;
    struct err ignored;
    if (!profile_read(entry->path, &profile, &ignored)) {
        spool_drop(spool, entry->path);
        return;
    }
    kernel_names_complete_many(&profile, &gathering->kernel);
    kernel_place(&profile);
    /* Each is one recording, also when it is added to others. */
    profile.totals.recordings += !profile.totals.recordings;
    origin_find(&profile, NULL, entry_service(arena, entry->path), &origin);
    const char *service = arena_string(arena, origin.service);
    char *key = arena_format(arena, "%llu\n%s\n%s\n%s",
                             (unsigned long long)(entry_time_ns(entry->path) / spool->gather_ns),
                             origin.build, origin.kind, service);
    if (spool->compact)
        profile_compact(&profile, NULL);
    group_add(gathering, entry->path, key, service, &profile);
    gathering->bytes += entry->bytes;
}

static bool due(const struct spool *spool, const char *path, uint64_t now_ns, bool all)
{
    uint64_t hour = entry_time_ns(path) / spool->gather_ns, now = now_ns / spool->gather_ns;
    return all || hour != now;
}

bool spool_gather(struct spool *spool, uint64_t now_ns, bool all, struct err *err)
{
    enum { BYTES_AT_ONCE = 4 << 20 }; /* what is in memory at a time */
    struct gathering gathering = {.spool = spool};
    struct entries ready = {0};
    bool ok = true;
    entries_list(spool->folder, &gathering.arena, ENTRY_READY, &ready);
    for (size_t i = 0; ok && spool->gather_ns && i < ready.n; i++) {
        if (!due(spool, ready.at[i].path, now_ns, all))
            continue;
        entry_take(&gathering, &ready.at[i]);
        ok = gathering.bytes < BYTES_AT_ONCE || groups_write(&gathering, err);
    }
    if (gathering.n) {
        struct err ignored;
        ok = groups_write(&gathering, ok ? err : &ignored) && ok;
    }
    vec_release(&ready);
    kernel_table_release(&gathering.kernel);
    arena_release(&gathering.arena);
    return ok;
}

void spool_settle(struct spool *spool)
{
    struct arena arena = {0};
    struct entries lists = {0};
    entries_list(spool->folder, &arena, ENTRY_LIST, &lists);
    for (size_t i = 0; i < lists.n; i++) {
        if (access(entry_as(&arena, lists.at[i].path, ENTRY_SUM), F_OK) == 0)
            listed_remove(spool, &arena, lists.at[i].path);
        else
            unlink(lists.at[i].path);
    }
    vec_release(&lists);
    arena_release(&arena);
}
