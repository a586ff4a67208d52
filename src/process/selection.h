/* What of a program is kept (record --only): places, sorts of instructions, or such instructions of
 * such places.
 *
 *     GLOB              functions of that name; modules whose file has it
 *     MODULE+0xA-0xB    addresses as linked, up to but without B
 *     load, store ...   sorts of instructions: program/insn/opclass.h
 *     function:GLOB, module:GLOB, class:NAME    if a word could mean another
 *
 * Several, with commas between: any of the places, and any of the sorts. What a name means in a
 * module is settled when code of that module is first met. */
#pragma once

#include "base/vec.h"
#include "process/units.h"
#include "program/elf/image.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct selected_range {
    uint64_t start, end; /* svma; end: behind the last byte */
};

struct selected_module {
    bool settled, whole;
    bool has_image;
    struct image image; /* to tell instructions apart */
    struct {
        VEC(struct selected_range); /* by start, disjoint */
    } ranges;
};

struct selection {
    struct arena arena;
    struct selection_items {
        VEC(struct selection_item {
            uint8_t kind;        /* enum, in selection.c */
            const char *pattern; /* of names */
            struct selected_range range;
            const char *typed;
            bool met; /* something that it means was there */
        });
    } items;          /* places; none: everywhere */
    uint32_t classes; /* bits of enum opclass; 0: all */
    struct selected_modules {
        VEC(struct selected_module);
    } modules; /* by the profile's index */
};

bool selection_parse(struct selection *selection, const char *text, struct err *err);
void selection_release(struct selection *selection);

/* What it means in a module. */
const struct selected_module *selection_module(struct selection *selection,
                                               const struct mappings *mappings, uint32_t index);
/* Whether the code there is in one of the places, whatever it is. */
bool selection_has(struct selection *selection, const struct mappings *mappings,
                   struct place place);
/* Whether the instruction there is kept. */
bool selection_takes(struct selection *selection, const struct mappings *mappings,
                     struct place place);
/* Whether an edge is: one end in a place or, of sorts of instructions, the one that makes it. What
 * a return returned from is not known: it is where it arrives. */
bool selection_takes_edge(struct selection *selection, const struct mappings *mappings,
                          struct place from, struct place to, enum edge_kind kind);

/* Parts of a segment that are kept: all of it, or single instructions. */
struct piece {
    struct svma start, last;
    uint32_t instructions;
};
struct pieces {
    VEC(struct piece);
};
/* Adds them. */
void selection_pieces(struct selection *selection, const struct mappings *mappings,
                      const struct unit_segment *segment, struct pieces *pieces);

/* Those of all segments of a process, found out once. */
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
