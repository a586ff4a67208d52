/* Files with mapped code, each opened once for the recording, with what is needed while samples
 * come in: load segments and unwind rules.
 *
 * A name is not the file: another file may have replaced it, or have that name outside a container.
 * So an opened file must have the build-id that the kernel reported with the mapping or, without
 * one, the inode. If no file does, the module keeps its name, and the fact "replaced" says that no
 * file explains it. A file without build-id gets a stamp (program/elf/stamp.h), a fact of that
 * name, so that views can check that it is unchanged. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_partial.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_mapping;
struct profile;

struct file {
    uint32_t module; /* of the profile */
    bool readable;   /* it has an image */
    bool agent;      /* it is libgait.so */
    bool unwindable; /* its unwind rules were read: all, or the index of */
    struct image image;
    struct unwind unwind;
    struct unwind_partial parts;
};

struct files {
    struct profile *profile; /* gets the modules */
    bool partial;            /* unwind rules are compiled function by function: for few samples */
    struct map told;         /* identities from mappings; index i belongs to of_told i */
    struct told_files {
        VEC(struct file *);
    } of_told;
    struct map keys;    /* identities from the file system */
    VEC(struct file *); /* index i belongs to key i */
};

void files_init(struct files *files, struct profile *profile);
void files_release(struct files *files);

/* The file of a mapping of the process. "[vdso]" is a file, too. An unreadable file has a module
 * but no image. */
struct file *files_get(struct files *files, const struct perf_mapping *mapping, int pid);
/* Rules for an address as linked, built at the first call; NULL: the file is not readable. */
const struct unwind *file_unwind(const struct files *files, struct file *file, struct svma at);
