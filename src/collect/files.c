#include "collect/files.h"

#include "base/err.h"
#include "profile/profile.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct file_key {
    uint64_t device, inode, bytes, changed_ns, path;
};

void files_init(struct files *files, struct profile *profile)
{
    *files = (struct files){.profile = profile};
    map_init(&files->keys, sizeof(struct file_key));
}

void files_release(struct files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        struct file *file = files->at[i];
        if (file->unwindable)
            unwind_release(&file->unwind);
        if (file->readable)
            image_close(&file->image);
        mem_free(file);
    }
    map_release(&files->keys);
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

/* Where it can be opened from here: by its path, by the process's own view of it, or, if it was deleted,
 * by the mapping itself. False: nowhere. */
static bool file_reach(const char *path, int pid, uint64_t start, uint64_t end, char *ret_path,
                       size_t room, struct file_key *key)
{
    snprintf(ret_path, room, "%s", path);
    if (path[0] != '/')
        return !strcmp(path, "[vdso]");
    if (key_read(ret_path, key))
        return true;
    snprintf(ret_path, room, "/proc/%d/root%s", pid, path);
    if (key_read(ret_path, key))
        return true;
    snprintf(ret_path, room, "/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)start,
             (unsigned long long)end);
    return key_read(ret_path, key);
}

struct file *files_get(struct files *files, const char *path, int pid, uint64_t start, uint64_t end)
{
    char reached[PATH_MAX + 64];
    struct file_key key = {.path = text_hash(path)};
    struct err err;
    bool there = file_reach(path, pid, start, end, reached, sizeof reached, &key);
    uint32_t index = map_add(&files->keys, &key);
    if (index < files->n)
        return files->at[index];
    struct file *file = mem_alloc(sizeof *file);
    file->readable = there && image_open(&file->image, reached, &err);
    file->module = profile_module(files->profile, path, file->image.build_id,
                                  file->readable ? file->image.build_id_bytes : 0);
    *vec_push(files) = file;
    return file;
}

const struct unwind *file_unwind(struct file *file)
{
    if (!file->readable)
        return NULL;
    if (!file->unwindable)
        unwind_build(&file->unwind, &file->image);
    file->unwindable = true;
    return &file->unwind;
}
