#include "collect/kernel/files.h"

#include "base/err.h"
#include "collect/perf/perf_record.h"
#include "keep/module_open.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/elf/stamp.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Keys: no padding, compared by bytes. */
struct file_key {
    uint64_t device, inode, bytes, changed_ns, path;
    uint64_t build_id[3]; /* of one that is not there, as told */
};
struct told_key {
    uint64_t path;
    uint8_t build_id[24]; /* the last byte is its length */
};

void files_init(struct files *files, struct profile *profile)
{
    *files = (struct files){.profile = profile};
    map_init(&files->told, sizeof(struct told_key));
    map_init(&files->keys, sizeof(struct file_key));
}

void files_release(struct files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        struct file *file = files->at[i];
        if (file->unwindable && files->partial)
            unwind_partial_release(&file->parts);
        else if (file->unwindable)
            unwind_release(&file->unwind);
        if (file->readable)
            image_close(&file->image);
        mem_free(file);
    }
    map_release(&files->told);
    map_release(&files->keys);
    vec_release(&files->of_told);
    vec_release(files);
}

static uint64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

/* The path is the other side's word: a pipe or a device must not be opened. */
static bool key_read(const char *path, struct file_key *key)
{
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode))
        return false;
    key->device = status.st_dev;
    key->inode = status.st_ino;
    key->bytes = (uint64_t)status.st_size;
    key->changed_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return true;
}

/* ---- reaching it */

/* One way to a file: where it is, what lies there. */
struct reached {
    char path[PATH_MAX + 64];
    struct file_key key;
    struct image image;
    bool opened;
};

/* Devices are not compared: of a layered file system, mappings and stat() name different ones. */
static bool reached_fits(struct reached *reached, const struct perf_mapping *mapping)
{
    struct err ignored;
    if (!key_read(reached->path, &reached->key))
        return false;
    if (!mapping->build_id_bytes)
        return !mapping->inode || mapping->inode == reached->key.inode;
    if (!image_open(&reached->image, reached->path, &ignored))
        return false;
    reached->opened =
        reached->image.build_id_bytes == mapping->build_id_bytes &&
        memcmp(reached->image.build_id, mapping->build_id, mapping->build_id_bytes) == 0;
    if (!reached->opened)
        image_close(&reached->image);
    return reached->opened;
}

/* By the mapping itself, which leads to files that were deleted, and out of containers; by the
 * process's own view of the path; at last, as when the process has ended, by ours. */
static bool file_reach(struct reached *reached, const struct perf_mapping *mapping, int pid,
                       const char *path)
{
    size_t room = sizeof reached->path;
    snprintf(reached->path, room, "/proc/%d/map_files/%llx-%llx", pid,
             (unsigned long long)mapping->start,
             (unsigned long long)(mapping->start + mapping->bytes));
    if (reached_fits(reached, mapping))
        return true;
    snprintf(reached->path, room, "/proc/%d/root%s", pid, path);
    if (reached_fits(reached, mapping))
        return true;
    snprintf(reached->path, room, "/proc/%d/exe", pid);
    if ((mapping->inode || mapping->build_id_bytes) && reached_fits(reached, mapping))
        return true;
    snprintf(reached->path, room, "%s", path);
    return reached_fits(reached, mapping);
}

/* The kernel marks a name that is gone; but there are files which are really called so. */
static void path_clean(char *path, const struct perf_mapping *mapping, int pid)
{
    static const char mark[] = " (deleted)";
    char inside[PATH_MAX + 64];
    struct stat status;
    size_t n = strlen(path), cut = n - (sizeof mark - 1);
    if (n < sizeof mark || strcmp(path + cut, mark) != 0)
        return;
    snprintf(inside, sizeof inside, "/proc/%d/root%s", pid, path);
    if ((stat(inside, &status) && stat(path, &status)) ||
        (mapping->inode && mapping->inode != status.st_ino))
        path[cut] = 0;
}

/* ---- keeping it */

static void note(struct files *files, const char *key, const char *what, const char *path)
{
    char value[PATH_MAX + 64];
    if (files->profile->facts.n >= PROFILE_FACTS_NOTED) {
        sum_add(&files->profile->totals.losses[LOSS_fact_lost], 1);
        return;
    }
    snprintf(value, sizeof value, "%s %s", what, path);
    profile_fact(files->profile, key, value);
}

static void file_note(struct files *files, const struct file *file, bool replaced, const char *path)
{
    const struct module *module = &files->profile->modules.at[file->module];
    char what[2 * sizeof module->build_id + 1] = "-";
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(what + (size_t)2 * i, 3, "%02x", module->build_id[i]);
    if (replaced) {
        note(files, "replaced", what, path);
    } else if (file->readable && !module->build_id_bytes) {
        snprintf(what, sizeof what, "%016llx", (unsigned long long)stamp_of(&file->image));
        note(files, "stamp", what, path);
    }
}

static struct file *file_new(struct files *files, struct reached *reached, bool there,
                             const struct perf_mapping *mapping, const char *path)
{
    struct file *file = mem_alloc(sizeof *file);
    struct err ignored;
    const char *slash = strrchr(path, '/');
    file->agent = strcmp(slash ? slash + 1 : path, "libgait.so") == 0;
    file->image = reached->image;
    file->readable =
        reached->opened || (there && image_open(&file->image, reached->path, &ignored));
    reached->opened = false;
    if (file->readable)
        file->module =
            profile_module(files->profile, path, file->image.build_id, file->image.build_id_bytes);
    else
        file->module =
            profile_module(files->profile, path, mapping->build_id, mapping->build_id_bytes);
    if (file->readable && path[0] == '/')
        module_reached(path, &file->image);
    file_note(files, file, !there && (mapping->inode || mapping->build_id_bytes), path);
    *vec_push(files) = file;
    return file;
}

static struct file *file_find(struct files *files, const struct perf_mapping *mapping, int pid)
{
    char path[PATH_MAX];
    struct reached reached = {.opened = false};
    bool vdso = !strcmp(mapping->path, "[vdso]");
    snprintf(path, sizeof path, "%s", mapping->path);
    if (vdso)
        snprintf(reached.path, sizeof reached.path, "%s", path);
    else
        path_clean(path, mapping, pid);
    bool there = vdso || (path[0] == '/' && file_reach(&reached, mapping, pid, path));
    if (!there) {
        reached.key = (struct file_key){.device = mapping->device, .inode = mapping->inode};
        memcpy(reached.key.build_id, mapping->build_id, mapping->build_id_bytes);
    }
    reached.key.path = text_hash(path);
    uint32_t index = map_add(&files->keys, &reached.key);
    struct file *file =
        index < files->n ? files->at[index] : file_new(files, &reached, there, mapping, path);
    if (reached.opened)
        image_close(&reached.image);
    return file;
}

/* A build-id says all; without one a file may have been written anew since. */
struct file *files_get(struct files *files, const struct perf_mapping *mapping, int pid)
{
    struct told_key told = {.path = text_hash(mapping->path)};
    if (!mapping->build_id_bytes)
        return file_find(files, mapping, pid);
    memcpy(told.build_id, mapping->build_id, mapping->build_id_bytes);
    told.build_id[sizeof told.build_id - 1] = (uint8_t)mapping->build_id_bytes;
    uint32_t index = map_add(&files->told, &told);
    if (index == files->of_told.n)
        *vec_push(&files->of_told) = file_find(files, mapping, pid);
    return files->of_told.at[index];
}

const struct unwind *file_unwind(const struct files *files, struct file *file, struct svma at)
{
    if (!file->readable)
        return NULL;
    if (!file->unwindable && files->partial)
        unwind_partial_init(&file->parts, &file->image);
    else if (!file->unwindable)
        unwind_build(&file->unwind, &file->image);
    file->unwindable = true;
    return files->partial ? unwind_partial_at(&file->parts, at) : &file->unwind;
}
