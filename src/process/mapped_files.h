/* Files that processes of one recording have mapped: a program that runs a hundred times is opened
 * once. A file is the same as long as its inode, size and time are. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct wire_map;

struct mapped_file {
    uint32_t module;
    uint64_t shift; /* from file offsets to addresses as linked */
};

struct mapped_files {
    struct map keys;
    VEC(struct mapped_file); /* one for each key */
    uint32_t fresh;          /* key of the last that was not known */
};

void mapped_files_init(struct mapped_files *files);
void mapped_files_release(struct mapped_files *files);
/* What is known of a mapping of this process. False: nothing yet; if there is such a file, its
 * figures are awaited by mapped_files_tell. */
bool mapped_files_find(struct mapped_files *files, const struct wire_map *map, const char *path,
                       int pid, struct mapped_file *ret_file);
void mapped_files_tell(struct mapped_files *files, struct mapped_file file);
