#include "process/mappings.h"

#include "base/err.h"
#include "keep/module_open.h"
#include "process/mapped_files.h"
#include "profile/profile.h"
#include "program/elf/image.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void mappings_init(struct mappings *mappings, struct profile *profile, int pid)
{
    *mappings = (struct mappings){.profile = profile, .pid = pid, .unknown = MODULE_NONE};
}

void mappings_release(struct mappings *mappings)
{
    vec_release(mappings);
}

/* ---- add */

/* The path is the other side's word: a pipe or a device must not be opened. */
static bool image_open_file(struct image *image, const char *path)
{
    struct err err;
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && image_open(image, path, &err);
}

/* In the process's own mount namespace there may be another file of that name than in ours, or ours
 * none. When it has ended, only ours is left. */
static bool image_open_seen_by(struct image *image, const char *path, int pid)
{
    struct err err;
    char inside[PATH_MAX + 32];
    snprintf(inside, sizeof inside, "/proc/%d/root%s", pid, path);
    if (path[0] == '/')
        return image_open_file(image, inside) || image_open_file(image, path);
    return strcmp(path, "[vdso]") == 0 && image_open(image, path, &err);
}

/* A file that was replaced since is another build. */
static bool is_build(const struct image *image, const struct module *module)
{
    return !module->build_id_bytes ||
           (image->build_id_bytes == module->build_id_bytes &&
            memcmp(image->build_id, module->build_id, module->build_id_bytes) == 0);
}

bool mappings_image_open(const struct mappings *mappings, uint32_t index, struct image *image)
{
    const struct module *module = &mappings->profile->modules.at[index];
    if (image_open_seen_by(image, module->path, mappings->pid)) {
        if (is_build(image, module))
            return true;
        image_close(image);
    }
    return module_image_open(image, mappings->profile, index);
}

/* Bytes of the file that both the mapping and the load segment have. */
static uint64_t overlap(struct foff offset, uint64_t bytes, const struct segment *segment)
{
    uint64_t map_end = offset.v + bytes;
    uint64_t end = segment->offset.v + segment->file_bytes;
    uint64_t low = offset.v > segment->offset.v ? offset.v : segment->offset.v;
    uint64_t high = map_end < end ? map_end : end;
    return low < high ? high - low : 0;
}

/* Mappings are rounded to pages, so the right load segment is the one with most of the mapping, not
 * the one at its first byte. Segments that are executed come before larger ones that are not: lld
 * puts several into one page of the file, and each mapping of that page then has all of them. */
static const struct segment *segment_mapped(const struct image *image, struct foff offset,
                                            uint64_t bytes)
{
    const struct segment *found = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < image->segments.n; i++) {
        const struct segment *segment = &image->segments.at[i];
        uint64_t common = overlap(offset, bytes, segment);
        bool better =
            found && found->executable != segment->executable ? segment->executable : common > most;
        if (common && better) {
            most = common;
            found = segment;
        }
    }
    return found;
}

/* Without a segment, as in a file that cannot be read, file offsets stand for addresses. */
uint64_t mappings_link_shift(const struct image *image, struct foff offset, uint64_t bytes)
{
    const struct segment *segment = segment_mapped(image, offset, bytes);
    return segment ? segment->start.v - segment->offset.v : 0;
}

/* Cuts out of all older mappings what [start, end) covers; leaves room for it in order. */
static size_t make_way(struct mappings *mappings, uint64_t start, uint64_t end)
{
    struct mappings old = *mappings;
    mappings->at = NULL;
    mappings->n = mappings->room = 0;
    size_t place = 0;
    for (size_t i = 0; i < old.n; i++) {
        struct mapping mapping = old.at[i];
        if (mapping.start < start) {
            struct mapping *left = vec_push(mappings);
            *left = mapping;
            if (left->end > start)
                left->end = start;
            place = mappings->n;
        }
        if (mapping.end > end) {
            struct mapping *right = vec_push(mappings);
            *right = mapping;
            if (right->start < end)
                right->start = end;
        }
    }
    vec_release(&old);
    return place;
}

void mappings_put(struct mappings *mappings, struct mapping mapping)
{
    size_t place = make_way(mappings, mapping.start, mapping.end);
    *vec_push(mappings) = mapping;
    for (size_t i = mappings->n - 1; i > place; i--)
        mappings->at[i] = mappings->at[i - 1];
    mappings->at[place] = mapping;
    mappings->last = place;
    mappings->changes++;
}

static bool image_open_inode(struct image *image, const char *path, uint64_t inode)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_ino == inode && image_open_file(image, path);
}

/* The kernel marks the name of a file that was deleted, or replaced as packages replace programs
 * that run. The mapping still leads to it, for root; to the program, for whoever may attach. */
static bool image_open_deleted(struct image *image, const struct wire_map *map, char *path, int pid)
{
    static const char mark[] = " (deleted)";
    char inside[64];
    size_t n = strlen(path), cut = n - (sizeof mark - 1);
    if (!map->inode || n < sizeof mark || strcmp(path + cut, mark) != 0)
        return false;
    snprintf(inside, sizeof inside, "/proc/%d/map_files/%llx-%llx", pid,
             (unsigned long long)map->start, (unsigned long long)map->end);
    bool ok = image_open_inode(image, inside, map->inode);
    snprintf(inside, sizeof inside, "/proc/%d/exe", pid);
    ok = ok || image_open_inode(image, inside, map->inode);
    if (ok)
        path[cut] = 0;
    return ok;
}

static struct mapped_file file_open(const struct mappings *mappings, const struct wire_map *map,
                                    const char *mapped)
{
    struct image image;
    struct mapped_file file = {0};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", mapped);
    if (!image_open_seen_by(&image, path, mappings->pid) &&
        !image_open_deleted(&image, map, path, mappings->pid)) {
        file.module = profile_module(mappings->profile, path, NULL, 0);
        return file;
    }
    file.shift = mappings_link_shift(&image, (struct foff){map->offset}, map->end - map->start);
    file.module = profile_module(mappings->profile, path, image.build_id, image.build_id_bytes);
    if (path[0] == '/')
        module_reached(path, &image);
    image_close(&image);
    return file;
}

void mappings_add(struct mappings *mappings, const struct wire_map *map, const char *path)
{
    if (map->start >= map->end || map->offset > UINT64_MAX / 2)
        return;
    struct mapping mapping = {
        .start = map->start, .end = map->end, .shift = map->offset - map->start};
    if (strcmp(path, "[jit]") == 0) {
        mapping.module = profile_module_jit(mappings->profile, (uint32_t)mappings->pid);
        mappings_put(mappings, mapping);
        return;
    }
    struct mapped_file file;
    if (!mappings->files || !mapped_files_find(mappings->files, map, path, mappings->pid, &file)) {
        file = file_open(mappings, map, path);
        if (mappings->files)
            mapped_files_tell(mappings->files, file);
    }
    mapping.module = file.module;
    mapping.shift += file.shift;
    mappings_put(mappings, mapping);
}

void mappings_copy(struct mappings *mappings, const struct mappings *from)
{
    mappings_clear(mappings);
    vec_reserve(mappings, from->n);
    for (size_t i = 0; i < from->n; i++)
        *vec_push(mappings) = from->at[i];
}

void mappings_clear(struct mappings *mappings)
{
    mappings->n = mappings->last = 0;
    mappings->changes++;
}

/* ---- ask */

static bool covers(const struct mapping *mapping, uint64_t at)
{
    return at - mapping->start < mapping->end - mapping->start;
}

const struct mapping *mappings_find(struct mappings *mappings, struct avma address)
{
    uint64_t at = address.v;
    if (mappings->last < mappings->n && covers(&mappings->at[mappings->last], at))
        return &mappings->at[mappings->last];
    size_t low = 0, high = mappings->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mappings->at[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == mappings->n || !covers(&mappings->at[low], at))
        return NULL;
    mappings->last = low;
    return &mappings->at[low];
}

struct place mappings_place(struct mappings *mappings, struct avma at)
{
    const struct mapping *mapping = mappings_find(mappings, at);
    if (mapping)
        return (struct place){mapping->module, {at.v + mapping->shift}};
    if (mappings->unknown == MODULE_NONE)
        mappings->unknown = profile_module(mappings->profile, "[unknown]", NULL, 0);
    return (struct place){mappings->unknown, {at.v}};
}
