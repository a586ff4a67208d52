/* Files whose code was mapped, each opened once for the whole recording, with what is needed of it while
 * samples come in: its load segments and its unwind rules.
 *
 * A file is told from another by device, inode, size and time of change, so that a program which is
 * built anew while it is recorded is not mistaken for the old one. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "program/image.h"
#include "program/unwind.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

struct file {
    uint32_t module; /* of the profile */
    bool readable;   /* image is there */
    bool unwindable; /* unwind was built */
    struct image image;
    struct unwind unwind;
};

struct files {
    struct profile *profile; /* gets the modules */
    struct map keys;
    VEC(struct file *); /* index i belongs to key i */
};

void files_init(struct files *files, struct profile *profile);
void files_release(struct files *files);

/* The file at the path as the process sees it; `start` and `end` are where it is mapped, by which a file
 * that was deleted can still be reached. "[vdso]" is a file, too. One that cannot be read has a module
 * but no image. */
struct file *files_get(struct files *files, const char *path, int pid, uint64_t start,
                       uint64_t end);
/* Built when first asked for; NULL: the file cannot be read. */
const struct unwind *file_unwind(struct file *file);
