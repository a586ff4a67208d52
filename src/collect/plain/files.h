/* Files whose code was mapped, each opened once for the whole recording, with what is needed of it
 * while samples come in: its load segments and its unwind rules.
 *
 * A name is not the file: another may have taken its place by the time that a mapping is heard of,
 * or lie there for everybody outside a container. So whatever is opened must have the build-id that
 * the kernel told with the mapping or, without one, the inode. If nothing has, the module keeps its
 * name, and the fact "replaced" says that no file explains it. A file without build-id gets a stamp
 * (program/elf/stamp.h), as fact of that name, so that views can tell whether it is still the same.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "program/elf/image.h"
#include "program/unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_mapping;
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
    struct map told;         /* what mappings say of files; index i belongs to of_told i */
    struct told_files {
        VEC(struct file *);
    } of_told;
    struct map keys;    /* what the file system says of them */
    VEC(struct file *); /* index i belongs to key i */
};

void files_init(struct files *files, struct profile *profile);
void files_release(struct files *files);

/* The file that the process has mapped. "[vdso]" is a file, too. One that cannot be read has a
 * module but no image. */
struct file *files_get(struct files *files, const struct perf_mapping *mapping, int pid);
/* Built when first asked for; NULL: the file cannot be read. */
const struct unwind *file_unwind(struct file *file);
