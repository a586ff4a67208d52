/* Inlined functions at each address, from .debug_info.
 *
 * Several threads read the units once. They keep only functions and inlined calls, as nodes that
 * know their caller. The code of a function is cut into segments with one innermost node each. A
 * lookup is two binary searches: for the stretch of code, and for the segment in it. Names are read
 * on demand. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "program/dwarf/inline_unit.h"
#include "program/dwarf/paint.h"
#include "wire/address.h"

#include <stdint.h>

struct debug_info;

struct inlines {
    const struct debug_info *info;
    struct inline_units {
        VEC(struct inline_unit); /* for each of info->units */
    } units;
    struct inline_runs {
        VEC(struct inline_run);
    } runs;
    struct stretches stretches; /* value: run */
    struct dwarf_damage damage;
};

struct inline_run {
    uint32_t unit, piece;
};

/* A cache of names. The tables never change; this does, so each thread has its own. */
struct inline_names {
    struct map known; /* unit's sections and entry -> index */
    VEC(const char *);
};

/* The info must outlive it. */
void inlines_read(struct inlines *inlines, const struct debug_info *info);
void inlines_release(struct inlines *inlines);

void inline_names_init(struct inline_names *names);
void inline_names_release(struct inline_names *names);

/* The innermost node at an address and its unit; NULL: no function is known. */
const struct inline_node *inlines_find(const struct inlines *inlines, struct svma at,
                                       uint32_t *ret_unit);
/* The same; *ret_end is where the answer stops to hold, also if there is none. */
const struct inline_node *inlines_up_to(const struct inlines *inlines, struct svma at,
                                        uint32_t *ret_unit, struct svma *ret_end);
/* The caller that a node is inlined into; NULL: the node is a function. */
const struct inline_node *inlines_parent(const struct inlines *inlines, uint32_t unit,
                                         const struct inline_node *node);
/* Name of the function; NULL: it has none. Lives as long as the info. */
const char *inlines_name(const struct inlines *inlines, struct inline_names *names, uint32_t unit,
                         const struct inline_node *node);
