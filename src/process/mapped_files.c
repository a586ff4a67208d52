#include "process/mapped_files.h"

#include "base/text_hash.h"
#include "wire/channel.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

/* No padding, compared by bytes. */
struct file_key {
    uint64_t device, inode, bytes, changed_ns, path, offset, length;
};

void mapped_files_init(struct mapped_files *files)
{
    *files = (struct mapped_files){.fresh = MAP_NONE};
    map_init(&files->keys, sizeof(struct file_key));
}

void mapped_files_release(struct mapped_files *files)
{
    map_release(&files->keys);
    vec_release(files);
}

/* As the process sees it; when it has ended, as we do. */
static bool key_make(struct file_key *key, const struct wire_map *map, const char *path, int pid)
{
    struct stat status;
    char inside[PATH_MAX + 32];
    snprintf(inside, sizeof inside, "/proc/%d/root%s", pid, path);
    if (path[0] != '/' || (stat(inside, &status) && stat(path, &status)))
        return false;
    *key = (struct file_key){.device = status.st_dev,
                             .inode = status.st_ino,
                             .bytes = (uint64_t)status.st_size,
                             .changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u +
                                           (uint64_t)status.st_mtim.tv_nsec,
                             .path = text_hash(path),
                             .offset = map->offset,
                             .length = map->end - map->start};
    return S_ISREG(status.st_mode);
}

bool mapped_files_find(struct mapped_files *files, const struct wire_map *map, const char *path,
                       int pid, struct mapped_file *ret_file)
{
    struct file_key key;
    files->fresh = MAP_NONE;
    if (!key_make(&key, map, path, pid))
        return false;
    uint32_t known = map_find(&files->keys, &key);
    if (known != MAP_NONE) {
        *ret_file = files->at[known];
        return true;
    }
    files->fresh = map_add(&files->keys, &key);
    (void)vec_push(files);
    return false;
}

void mapped_files_tell(struct mapped_files *files, struct mapped_file file)
{
    if (files->fresh != MAP_NONE)
        files->at[files->fresh] = file;
    files->fresh = MAP_NONE;
}
