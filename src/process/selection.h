/* What of a program is kept (record --only): places, classes of instructions, or such instructions
 * of such places.
 *
 *     GLOB              functions of that name; modules whose file has it
 *     MODULE+0xA-0xB    addresses as linked, B excluded
 *     load, store ...   classes of instructions: program/insn/opclass.h
 *     function:GLOB, module:GLOB, class:NAME    if a word is ambiguous
 *
 * A list with commas means: any of the places, and any of the classes. Names are resolved for a
 * module when its code is first met. */
#pragma once

#include "base/vec.h"
#include "process/units.h"
#include "program/elf/image.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct selected_range {
    uint64_t start, end; /* svma; end is excluded */
};

struct selected_module {
    bool settled, whole;
    bool has_image;
    struct image image; /* to decode instructions */
    struct {
        VEC(struct selected_range); /* by start, disjoint */
    } ranges;
};

struct selection {
    struct arena arena;
    struct selection_items {
        VEC(struct selection_item {
            uint8_t kind;        /* enum, in selection.c */
            const char *pattern; /* a glob */
            struct selected_range range;
            const char *typed;
            bool met; /* it matched something */
        });
    } items;          /* places; none: everywhere */
    uint32_t classes; /* bits of enum opclass; 0: all */
    struct selected_modules {
        VEC(struct selected_module);
    } modules; /* by the profile's index */
};

bool selection_parse(struct selection *selection, const char *text, struct err *err);
void selection_release(struct selection *selection);

/* The ranges that it selects in a module. */
const struct selected_module *selection_module(struct selection *selection,
                                               const struct mappings *mappings, uint32_t index);
/* Whether the code is in one of the places, of whatever class. */
bool selection_has(struct selection *selection, const struct mappings *mappings,
                   struct place place);
/* Whether the instruction is kept. */
bool selection_takes(struct selection *selection, const struct mappings *mappings,
                     struct place place);
/* Whether an edge is kept: one of its ends is in a place or, for classes, its branch is of one. The
 * branch of a return is not known: where it arrives counts. */
bool selection_takes_edge(struct selection *selection, const struct mappings *mappings,
                          struct place from, struct place to, enum edge_kind kind);

/* The kept parts of a segment: all of it, or single instructions. */
struct piece {
    struct svma start, last;
    uint32_t instructions;
};
struct pieces {
    VEC(struct piece);
};
void selection_pieces(struct selection *selection, const struct mappings *mappings,
                      const struct unit_segment *segment, struct pieces *pieces);

/* The kept parts of all segments of a process, each computed once. */
struct kept_segment {
    uint32_t first, n; /* of pieces */
    bool known;
};
struct kept {
    struct pieces pieces;
    struct kept_segments {
        VEC(struct kept_segment);
    } segments; /* as units->segments */
};
void kept_release(struct kept *kept);
const struct kept_segment *kept_segment(struct kept *kept, struct selection *selection,
                                        const struct units *units, uint32_t segment);
