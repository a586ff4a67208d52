/* The place of an address in a recorded process: avma -> (module, svma).
 *
 * The mappings come from the channel's maps section, or from the kernel. Code may be unmapped and
 * other code mapped in its place, so an answer holds only for the moment of the question. The
 * newest mapping that covers an address wins. Look up an address when it is published, and keep the
 * place. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"
#include "wire/channel.h"

#include <stdbool.h>

struct file;
struct image;
struct profile;
struct selection;

struct place {
    uint32_t module; /* of the profile */
    struct svma address;
};

/* A contiguous part of a module in memory. Sorted by start, disjoint. */
struct mapping {
    uint64_t start, end; /* avma */
    uint64_t shift;      /* svma = avma + shift, modulo 2^64 */
    uint32_t module;
    struct file *file; /* NULL: none, or not requested */
};

struct mapped_files;

struct mappings {
    struct profile *profile;    /* gets the modules */
    int pid;                    /* for files that only the process can see */
    struct mapped_files *files; /* of all processes; NULL: each file is opened again */
    struct selection *only;     /* the code that is kept; NULL: all */
    VEC(struct mapping);
    uint64_t changes; /* so far */
    size_t last;      /* index of the last answer */
    uint32_t unknown; /* module "[unknown]", or MODULE_NONE until it is needed */
};

void mappings_init(struct mappings *mappings, struct profile *profile, int pid);
void mappings_release(struct mappings *mappings);

/* `path` must end with a zero. */
void mappings_add(struct mappings *mappings, const struct wire_map *map, const char *path);
/* Takes the place of whatever was mapped there. */
void mappings_put(struct mappings *mappings, struct mapping mapping);
/* A child process starts with its parent's mappings. */
void mappings_copy(struct mappings *mappings, const struct mappings *from);
void mappings_clear(struct mappings *mappings);
/* Opens a module's file as the process sees it. False: it cannot be read. */
bool mappings_image_open(const struct mappings *mappings, uint32_t module, struct image *image);
/* The difference between an offset in the file and the address as linked, for a mapping of so many
 * bytes. */
uint64_t mappings_link_shift(const struct image *image, struct foff offset, uint64_t bytes);

/* NULL: nothing is mapped there. Valid until the mappings change. */
const struct mapping *mappings_find(struct mappings *mappings, struct avma at);
/* An address outside every mapping keeps its value, in the module "[unknown]". */
struct place mappings_place(struct mappings *mappings, struct avma at);

static inline bool mappings_missed(const struct mappings *mappings, struct place place)
{
    return place.module == mappings->unknown;
}
