/* Functions whose paths are told by walks: read from their modules when they are first met, and
 * kept. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/mappings.h"
#include "paths/decode.h"
#include "paths/module.h"
#include "program/elf/image.h"

struct book_function {
    uint32_t module;     /* of the profile */
    bool there;          /* else it has no code that could be read */
    bool told;           /* the profile knows how many paths it has; and then: */
    uint32_t series;     /* its node in series of paths */
    uint32_t last_index; /* of the path that it went last, in the batch; MAP_NONE: none yet */
    uint64_t last_path;
    struct svma start;
    struct path_reading reading;
    uint32_t *node_of;    /* of each instruction of the cfg */
    uint64_t *arc_counts; /* of each arc: whoever counts them; NULL: nobody does */
    bool covered;         /* nobody else counts its code (consumers/path_counts.h) */
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
    uint64_t code_most; /* a module that has more bytes of code is left out; 0: none is */
    uint64_t left_out;  /* modules */
};

void path_book_release(struct path_book *book);

/* The function that lies there; NULL: none, or it cannot be read. Lives as long as the book. */
struct book_function *path_book_find(struct path_book *book, const struct mappings *mappings,
                                     struct place place);
/* The node of its instruction at exactly this address; UINT32_MAX: there is none. `ret_first`: it
 * is the node's first. */
uint32_t book_function_node(const struct book_function *function, struct svma at, bool *ret_first);
