/* Where an address of a recorded process belongs: avma -> (module, svma).
 *
 * Fed with the channel's maps section, or with what the kernel tells of a process. Code may be
 * unmapped and other code mapped in its place, so an answer is good for the moment of the question:
 * the newest mapping that covers an address wins, and whatever is kept must be asked for when it is
 * published, not later. */
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

/* Linear stretch of a module in memory. Sorted by start, disjoint. */
struct mapping {
    uint64_t start, end; /* avma */
    uint64_t shift;      /* svma = avma + shift, modulo 2^64 */
    uint32_t module;
    struct file *file; /* NULL: none, or nobody asked for one */
};

struct mappings {
    struct profile *profile; /* gets the modules */
    int pid;                 /* for files that only the process can see */
    struct selection *only;  /* what is kept of what runs there; NULL: everything */
    VEC(struct mapping);
    uint64_t changes; /* so far */
    size_t last;      /* where the last question was answered */
    uint32_t unknown; /* module "[unknown]", or MODULE_NONE until it is needed */
};

void mappings_init(struct mappings *mappings, struct profile *profile, int pid);
void mappings_release(struct mappings *mappings);

/* `path` must end with a zero. */
void mappings_add(struct mappings *mappings, const struct wire_map *map, const char *path);
/* Takes the place of whatever was mapped there. */
void mappings_put(struct mappings *mappings, struct mapping mapping);
/* What a child process has of its parent. */
void mappings_copy(struct mappings *mappings, const struct mappings *from);
/* Nothing is mapped any more. */
void mappings_clear(struct mappings *mappings);
/* The file of a module, as the process sees it; false: it cannot be read. */
bool mappings_image_open(const struct mappings *mappings, uint32_t module, struct image *image);
/* What turns an offset in the file into an address as linked, for a mapping of so many bytes. */
uint64_t mappings_link_shift(const struct image *image, struct foff offset, uint64_t bytes);

/* NULL: nothing is mapped there. Good until the mappings change. */
const struct mapping *mappings_find(struct mappings *mappings, struct avma at);
/* An address outside every mapping is its own address in "[unknown]". */
struct place mappings_place(struct mappings *mappings, struct avma at);

static inline bool mappings_missed(const struct mappings *mappings, struct place place)
{
    return place.module == mappings->unknown;
}
