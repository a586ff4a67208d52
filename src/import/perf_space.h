/* Whose an address of a recorded process is, as records of perf.data tell: mappings of processes,
 * files of modules.
 *
 * The file was maybe written on another machine. A file of ours is believed to be the mapped one if
 * its build-id is the one that was told, or if none was told; else file offsets stand for
 * addresses, and the fact "replaced" says that no file explains the module. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/mappings.h"

#include <stdbool.h>

struct perf_birth;
struct perf_file;
struct perf_mapped;

/* Mappings have numbers of the space's modules, not of the profile's. */
struct perf_process {
    struct mappings code,
        data; /* data: of what is not code, where it was told or follows from code */
};

/* Keys: no padding. */
struct perf_file_key {
    uint64_t path; /* hash */
    uint8_t build_id[24];
};

/* In the profile only once something was seen of it: processes map more than they use. */
struct perf_module {
    uint32_t module; /* of the profile; MODULE_NONE: not there yet */
    uint32_t jit;    /* the process that made it, if it has no path */
    const char *path;
    uint8_t build_id[20];
    uint32_t build_id_bytes;
    bool replaced;       /* no file of ours is it, though one should be */
    struct image *image; /* NULL: none */
};

struct perf_space {
    struct profile *profile;
    const struct perf_file *file;
    const char
        *binary; /* NULL, or a file of ours that stands for what has its name or its build-id */
    struct map pids;
    VEC(struct perf_process *);
    struct map told; /* struct perf_file_key */
    struct perf_modules {
        VEC(struct perf_module);
    } modules;
    uint32_t kernel, unknown; /* modules; MODULE_NONE until they are needed */
};

void perf_space_init(struct perf_space *space, struct profile *profile,
                     const struct perf_file *file, const char *binary);
void perf_space_release(struct perf_space *space);

void perf_space_map(struct perf_space *space, const struct perf_mapped *map);
void perf_space_fork(struct perf_space *space, const struct perf_birth *birth);
void perf_space_exec(struct perf_space *space, uint32_t pid);

/* Never fails: "[unknown]" has what belongs to nobody; ret_missed, if wanted: whether that is so.
 */
struct place perf_space_code(struct perf_space *space, uint32_t pid, struct avma at, bool kernel,
                             bool *ret_missed);
/* False: nobody knows what lies there. */
bool perf_space_data(struct perf_space *space, uint32_t pid, struct avma at,
                     struct place *ret_place);
