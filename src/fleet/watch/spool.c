#include "fleet/watch/spool.h"

#include "base/err.h"
#include "base/place_file.h"
#include "fleet/watch/entries.h"
#include "fleet/watch/spool_gather.h"
#include "profile/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *dropped_file(struct spool *spool)
{
    return arena_format(&spool->arena, "%s/dropped", spool->folder);
}

static void dropped_read(struct spool *spool)
{
    unsigned long long n = 0;
    FILE *from = fopen(dropped_file(spool), "re");
    if (from && fscanf(from, "%llu", &n) != 1)
        n = 0;
    if (from)
        fclose(from);
    spool->dropped = n;
}

void spool_drop(struct spool *spool, const char *path)
{
    char text[32];
    struct err ignored;
    if (unlink(path) < 0)
        return;
    int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)++spool->dropped);
    place_file(dropped_file(spool), text, (size_t)n, 0, NULL, &ignored);
}

static bool folder_ours(const char *folder, struct err *err)
{
    struct stat stat_;
    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return err_errno(err, "%s", folder);
    if (stat(folder, &stat_) < 0)
        return err_errno(err, "%s", folder);
    if (stat_.st_uid != geteuid() || stat_.st_mode & (S_IWGRP | S_IWOTH))
        return err_set(err, ERR_SYSTEM,
                       "%s: the folder must be yours, and nobody else may write it: chmod 700",
                       folder);
    return true;
}

bool spool_open(const char *folder, uint64_t bytes_max, struct spool *ret_spool, struct err *err)
{
    struct spool spool = {.bytes_max = bytes_max, .lock = -1};
    struct entries parts = {0};
    if (!folder_ours(folder, err))
        return false;
    spool.folder = arena_string(&spool.arena, folder);
    spool.lock =
        open(arena_format(&spool.arena, "%s/lock", folder), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spool.lock < 0 || flock(spool.lock, LOCK_EX | LOCK_NB) < 0) {
        bool busy = spool.lock >= 0 && errno == EWOULDBLOCK;
        busy ? err_set(err, ERR_SYSTEM, "%s: another gait watch uses it", folder)
             : err_errno(err, "%s/lock", folder);
        spool_close(&spool);
        return false;
    }
    entries_list(folder, &spool.arena, ENTRY_PART, &parts);
    entries_list(folder, &spool.arena, ENTRY_TEMPORARY, &parts);
    for (size_t i = 0; i < parts.n; i++)
        unlink(parts.at[i].path);
    vec_release(&parts);
    spool_settle(&spool);
    dropped_read(&spool);
    *ret_spool = spool;
    return true;
}

void spool_close(struct spool *spool)
{
    if (spool->lock >= 0)
        close(spool->lock);
    vec_release(&spool->builds);
    arena_release(&spool->arena);
}

/* ---- recordings */

char *spool_part(struct spool *spool, struct arena *arena, uint64_t now_ns, int pid,
                 const char *service)
{
    return entry_path(arena, spool->folder, now_ns, pid, service, ENTRY_PART);
}

static void waiting_list(const struct spool *spool, struct arena *arena, struct entries *waiting)
{
    entries_list(spool->folder, arena, ENTRY_SUM, waiting);
    entries_list(spool->folder, arena, ENTRY_READY, waiting);
}

static void oldest_drop(struct spool *spool, struct arena *arena)
{
    struct entries waiting = {0};
    uint64_t bytes = 0;
    waiting_list(spool, arena, &waiting);
    for (size_t i = 0; i < waiting.n; i++)
        bytes += waiting.at[i].bytes;
    for (size_t i = 0; i < waiting.n && bytes > spool->bytes_max; i++) {
        bytes -= waiting.at[i].bytes;
        spool_drop(spool, waiting.at[i].path);
    }
    vec_release(&waiting);
}

static void build_note(struct spool *spool, const struct origin *origin, bool fresh)
{
    struct spool_build *known = NULL;
    for (size_t i = 0; i < spool->builds.n; i++)
        if (strcmp(spool->builds.at[i].service, origin->service) == 0)
            known = &spool->builds.at[i];
    if (known && (!fresh || strcmp(known->build, origin->build) == 0))
        return;
    if (spool->build_new)
        spool->build_new(origin->service, known ? known->build : NULL, origin->build);
    if (!known) {
        known = vec_push(&spool->builds);
        known->service = arena_string(&spool->arena, origin->service);
    }
    known->build = arena_string(&spool->arena, origin->build);
}

static void note(struct spool *spool, struct arena *arena, const char *path, bool fresh)
{
    struct profile profile;
    struct origin origin;
    struct err ignored;
    if (!profile_read(path, &profile, &ignored))
        return;
    origin_find(&profile, NULL, entry_service(arena, path), &origin);
    build_note(spool, &origin, fresh);
    spool->agent_ns += profile.totals.agent_ns;
    profile_release(&profile);
}

bool spool_finish(struct spool *spool, const char *part, bool fresh)
{
    struct arena arena = {0};
    char *path = entry_as(&arena, part, ENTRY_READY);
    entry_sync(part);
    bool there = rename(part, path) == 0;
    entry_sync(spool->folder); /* a rename is durable when the folder is */
    if (there)
        note(spool, &arena, path, fresh);
    oldest_drop(spool, &arena);
    arena_release(&arena);
    return there;
}

/* ---- sending */

static bool readable(const char *path)
{
    struct err err;
    struct profile profile;
    if (!profile_read(path, &profile, &err))
        return false;
    bool ok = !profile.ruined;
    profile_release(&profile);
    return ok;
}

/* What a wrong clock dates far from the store's time is dated now, once and for all before it is
 * sent: the store would refuse it, and all that is behind it would wait. */
static void time_mend(struct spool *spool, struct entry *entry, uint64_t now_ns,
                      struct arena *arena)
{
    enum { AHEAD_DAYS = 1, BACK_DAYS = 365 };
    uint64_t time_ns = entry_time_ns(entry->path);
    if (time_ns < now_ns + AHEAD_DAYS * DAY_NS && time_ns + BACK_DAYS * DAY_NS > now_ns)
        return;
    char *path = entry_path(arena, spool->folder, now_ns + spool->mended++, entry_pid(entry->path),
                            entry_service(arena, entry->path), "");
    path = arena_format(arena, "%s%s", path, strrchr(entry->path, '.'));
    if (rename(entry->path, path) == 0)
        entry->path = path;
    entry_sync(spool->folder);
}

struct some {
    struct spool *spool;
    struct arena *arena;
    const struct entry *entries;
};

static bool one_push(struct push *push, void *to, size_t i, struct err *err)
{
    struct some *some = to;
    const char *path = some->entries[i].path;
    push->options.service = entry_service(some->arena, path);
    push->options.named_ns = entry_time_ns(path);
    if (push_file(push, path, err))
        return true;
    if (readable(path))
        return false;
    spool_drop(some->spool, path);
    return true;
}

static bool some_send(struct push *push, struct some some, size_t n, struct err *err)
{
    if (!push_together(push, n, one_push, &some, err))
        return false;
    for (size_t i = 0; i < n; i++)
        unlink(some.entries[i].path);
    return true;
}

/* One that the store refuses, or that is more than it takes today, does not keep others from it. */
static bool apart_send(struct push *push, struct some some, size_t n, unsigned *refused,
                       struct err *err)
{
    enum { REFUSED_MAX = 16 };
    uint64_t ignored;
    bool ok = true;
    for (size_t i = 0; i < n && *refused < REFUSED_MAX; i++, some.entries++) {
        struct err why;
        if (some_send(push, some, 1, &why))
            continue;
        if (ok)
            *err = why;
        ok = false;
        ++*refused;
        if (!store_now(push->store, &ignored, &why))
            *refused = REFUSED_MAX; /* it is away */
    }
    return ok && *refused < REFUSED_MAX;
}

static bool all_send(struct spool *spool, struct push *push, struct entries *waiting,
                     struct arena *arena, struct err *err)
{
    enum { AT_ONCE = 64 };
    uint64_t now_ns;
    unsigned refused = 0;
    if (!store_now(push->store, &now_ns, err))
        return false;
    for (size_t i = 0; i < waiting->n; i++)
        time_mend(spool, &waiting->at[i], now_ns, arena);
    bool ok = true;
    for (size_t i = 0; i < waiting->n; i += AT_ONCE) {
        struct some some = {spool, arena, waiting->at + i};
        size_t n = i + AT_ONCE < waiting->n ? AT_ONCE : waiting->n - i;
        struct err why;
        if (!refused && some_send(push, some, n, &why))
            continue;
        if (apart_send(push, some, n, &refused, &why))
            continue;
        if (ok)
            *err = why;
        ok = false;
    }
    return ok;
}

bool spool_send(struct spool *spool, const char *store_text, const struct push_options *options,
                struct push_sums *ret_sums, struct err *err)
{
    struct arena arena = {0};
    struct entries waiting = {0};
    struct store store;
    struct push push;
    if (spool->gather_ns)
        entries_list(spool->folder, &arena, ENTRY_SUM, &waiting);
    else
        waiting_list(spool, &arena, &waiting);
    bool ok = !waiting.n || store_open(store_text, SQL_MAKE, &store, err);
    if (ok && waiting.n) {
        push_init(&push, &store, options);
        ok = all_send(spool, &push, &waiting, &arena, err);
        *ret_sums = push.sums;
        push_release(&push);
        store_close(&store);
    }
    vec_release(&waiting);
    arena_release(&arena);
    return ok;
}
