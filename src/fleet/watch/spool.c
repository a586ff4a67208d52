#include "fleet/watch/spool.h"

#include "base/err.h"
#include "base/place_file.h"
#include "base/scope.h"
#include "profile/file/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READY ".data"
#define PART ".part"

/* ---- the folder */

struct entries {
    VEC(struct entry {
        char *path;
        uint64_t bytes;
    });
};

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

static int entry_compare(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

/* Names begin with the time, so the oldest comes first. */
static void entries_list(const struct spool *spool, struct arena *arena, const char *suffix,
                         struct entries *entries)
{
    DIR *folder = opendir(spool->folder);
    struct stat stat_;
    for (struct dirent *found; folder && (found = readdir(folder));) {
        if (!ends(found->d_name, suffix))
            continue;
        char *path = arena_format(arena, "%s/%s", spool->folder, found->d_name);
        if (stat(path, &stat_) == 0)
            *vec_push(entries) = (struct entry){path, (uint64_t)stat_.st_size};
    }
    if (folder)
        closedir(folder);
    if (entries->n)
        qsort(entries->at, entries->n, sizeof *entries->at, entry_compare);
}

static void sync_path(const char *path)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd);
}

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

static void drop(struct spool *spool, const char *path)
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
    entries_list(&spool, &spool.arena, PART, &parts);
    for (size_t i = 0; i < parts.n; i++)
        unlink(parts.at[i].path);
    vec_release(&parts);
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

/* ---- names: TIME-PID-SERVICE.data, the service in %XX */

char *spool_part(struct spool *spool, struct arena *arena, uint64_t now_ns, int pid,
                 const char *service)
{
    char word[256] = "", *to = word;
    for (const char *at = service ? service : ""; *at && to < word + 190; at++)
        to += sprintf(to, "%%%02x", (unsigned char)*at);
    return arena_format(arena, "%s/%020llu-%d-%s" PART, spool->folder, (unsigned long long)now_ns,
                        pid, word);
}

/* NULL: none. */
static char *service_of(struct arena *arena, const char *path)
{
    const char *at = strrchr(path, '/');
    for (int dashes = 0; at && dashes < 2; dashes++)
        at = strchr(at + 1, '-');
    char *word = arena_string(arena, at ? at + 1 : ""), *to = word;
    for (const char *from = word; *from == '%'; from += 3) {
        char digits[3] = {from[1], from[1] ? from[2] : 0, 0};
        *to++ = (char)strtoul(digits, NULL, 16);
    }
    *to = 0;
    return *word ? word : NULL;
}

bool spool_finish(struct spool *spool, const char *part)
{
    struct arena arena = {0};
    struct entries ready = {0};
    uint64_t bytes = 0;
    char *path = arena_format(&arena, "%.*s" READY, (int)(strlen(part) - strlen(PART)), part);
    sync_path(part);
    bool there = rename(part, path) == 0;
    sync_path(spool->folder); /* a rename is durable when the folder is */
    entries_list(spool, &arena, READY, &ready);
    for (size_t i = 0; i < ready.n; i++)
        bytes += ready.at[i].bytes;
    for (size_t i = 0; i < ready.n && bytes > spool->bytes_max; i++) {
        bytes -= ready.at[i].bytes;
        drop(spool, ready.at[i].path);
    }
    vec_release(&ready);
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

static void build_note(struct spool *spool, const struct push *push)
{
    struct spool_build *known = NULL;
    for (size_t i = 0; i < spool->builds.n; i++)
        if (strcmp(spool->builds.at[i].service, push->service) == 0)
            known = &spool->builds.at[i];
    if (known && strcmp(known->build, push->build) == 0)
        return;
    if (spool->build_new)
        spool->build_new(push->service, known ? known->build : NULL, push->build);
    if (!known) {
        known = vec_push(&spool->builds);
        known->service = arena_string(&spool->arena, push->service);
    }
    known->build = arena_string(&spool->arena, push->build);
}

static bool some_send(struct spool *spool, struct push *push, const struct entry *entries, size_t n,
                      struct arena *arena, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        push->options.service = service_of(arena, entries[i].path);
        if (push_file(push, entries[i].path, err)) {
            build_note(spool, push);
            continue;
        }
        if (readable(entries[i].path))
            return false;
        drop(spool, entries[i].path);
    }
    if (!push_commit(push, err))
        return false;
    for (size_t i = 0; i < n; i++)
        unlink(entries[i].path);
    return true;
}

bool spool_send(struct spool *spool, const char *store_text, const struct push_options *options,
                struct push_sums *ret_sums, struct err *err)
{
    enum { AT_ONCE = 64 };
    struct arena arena = {0};
    struct entries ready = {0};
    struct store store;
    struct push push;
    entries_list(spool, &arena, READY, &ready);
    bool ok = !ready.n || store_open(store_text, SQL_MAKE, &store, err);
    if (ok && ready.n) {
        push_init(&push, &store, options);
        for (size_t i = 0; ok && i < ready.n; i += AT_ONCE)
            ok = some_send(spool, &push, ready.at + i,
                           i + AT_ONCE < ready.n ? AT_ONCE : ready.n - i, &arena, err);
        *ret_sums = push.sums;
        push_release(&push);
        store_close(&store);
    }
    vec_release(&ready);
    arena_release(&arena);
    return ok;
}
