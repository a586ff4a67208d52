/* The place of an address of a recorded process, from the records of a perf.data: mappings of
 * processes, files of modules.
 *
 * The file may come from another machine. A local file is taken for the mapped one if its build-id
 * is the recorded one, or if none was recorded. Else file offsets stand for addresses, and the fact
 * "replaced" says that no file explains the module. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/mappings.h"

#include <stdbool.h>

struct perf_birth;
struct image;
struct symbols;
struct perf_file;
struct perf_mapped;

/* Mappings use the module numbers of the space, not of the profile. */
struct perf_process {
    struct mappings code, data; /* data: recorded, or derived from code */
};

/* Keys: no padding. */
struct perf_file_key {
    uint64_t path; /* hash */
    uint8_t build_id[24];
};

/* Added to the profile when first sampled: processes map more than they use. */
struct perf_module {
    uint32_t module; /* of the profile; MODULE_NONE: not added yet */
    uint32_t jit;    /* the process, if it is JIT code */
    const char *path;
    uint8_t build_id[20];
    uint32_t build_id_bytes;
    bool replaced;       /* there should be a local file, and none matches */
    struct image *image; /* NULL: none */
};

struct perf_code {
    const struct image *image; /* NULL: none */
    struct symbols *symbols;   /* NULL: not asked for yet */
};

struct perf_space {
    struct profile *profile;
    const struct perf_file *file;
    const char *binary; /* NULL, or a local file that replaces the one of its name or build-id */
    struct map pids;
    VEC(struct perf_process *);
    struct map told; /* struct perf_file_key */
    struct perf_modules {
        VEC(struct perf_module);
    } modules;
    struct perf_codes {
        VEC(struct perf_code);
    } codes;                  /* of modules of the profile */
    uint32_t kernel, unknown; /* modules; MODULE_NONE until they are needed */
};

void perf_space_init(struct perf_space *space, struct profile *profile,
                     const struct perf_file *file, const char *binary);
void perf_space_release(struct perf_space *space);

void perf_space_map(struct perf_space *space, const struct perf_mapped *map);
void perf_space_fork(struct perf_space *space, const struct perf_birth *birth);
void perf_space_exec(struct perf_space *space, uint32_t pid);

/* Never fails: an address of no module is in "[unknown]", and then *ret_missed is true; ret_missed
 * may be NULL. */
struct place perf_space_code(struct perf_space *space, uint32_t pid, struct avma at, bool kernel,
                             bool *ret_missed);
/* The file of a module of the profile; NULL: none. */
const struct image *perf_space_image(const struct perf_space *space, uint32_t module);
/* Whether a function begins there. */
bool perf_space_begins(struct perf_space *space, struct place place);
/* False: not known. */
bool perf_space_data(struct perf_space *space, uint32_t pid, struct avma at,
                     struct place *ret_place);
