/* Functions whose paths are followed in exits: read from their modules when first met, and kept. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/mappings.h"
#include "paths/decode.h"
#include "paths/module.h"
#include "program/elf/image.h"

struct book_function {
    uint32_t module;     /* of the profile */
    bool there;          /* false: its code cannot be read */
    bool told;           /* the profile has its number of paths, and: */
    uint32_t series;     /* its node in series of paths */
    uint32_t last_index; /* of its last path, in the batch; MAP_NONE: none yet */
    uint64_t last_path;
    struct svma start;
    struct path_reading reading;
    uint32_t *node_of;    /* of each instruction of the cfg */
    uint64_t *arc_counts; /* of each arc; NULL: not counted */
    bool covered;         /* its code has no other counters (consumers/path_counts.h) */
};

struct book_module {
    uint32_t module;
    bool there;
    struct image image;
    struct symbols symbols;
    struct path_arrivals arrivals;
    struct book_function **functions; /* by function_id; NULL: not met yet */
};

struct path_book {
    struct {
        VEC(struct book_module *);
    } modules;
};

void path_book_release(struct path_book *book);

/* The function at a place; NULL: none, or not readable. Lives as long as the book. */
struct book_function *path_book_find(struct path_book *book, const struct mappings *mappings,
                                     struct place place);
/* The node of the instruction at exactly this address; UINT32_MAX: none. `ret_first`: it is the
 * first of its node. */
uint32_t book_function_node(const struct book_function *function, struct svma at, bool *ret_first);
