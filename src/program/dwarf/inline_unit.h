/* The functions and inlined calls of one unit, skimmed from its entries. */
#pragma once

#include "base/vec.h"
#include "program/dwarf/dwarf_ranges.h"
#include "program/dwarf/dwarf_sections.h"
#include "program/dwarf/paint.h"

#include <stdint.h>

struct dwarf_unit;
struct image;

#define NODE_NONE UINT32_MAX

struct inline_node {
    uint64_t origin; /* the entry that has its name: in .debug_info, or marked DIE_IN_ALT */
    uint32_t parent; /* what it is inlined into; NODE_NONE: a function of its own */
    uint32_t call_file, call_line, call_column; /* where; of a function 0 */
    uint32_t discriminator;
};

/* From `start` bytes into its piece up to the next one, or the piece's end. */
struct inline_segment {
    uint32_t start, node;
};
struct inline_piece {
    uint64_t start, end; /* svma; without holes */
    uint32_t first_segment, n_segments;
};

struct inline_nodes {
    VEC(struct inline_node); /* outer before inner */
};
struct inline_segments {
    VEC(struct inline_segment);
};

struct inline_unit {
    struct inline_node *nodes;
    struct inline_segment *segments;
    struct inline_pieces {
        VEC(struct inline_piece);
    } pieces;
    struct dwarf_damage damage;
};

/* Memory that is used again and again, so that what is kept is no larger than it has to be. */
struct inline_scratch {
    struct inline_nodes nodes;
    struct inline_segments segments;
    struct stretches claims, painted;
    struct address_ranges ranges;
    struct inline_levels {
        VEC(uint32_t);
    } levels;
};
void inline_scratch_release(struct inline_scratch *scratch);

/* Only what lies in code of the image is kept: the rest was dropped by the linker. */
void inline_unit_read(struct inline_unit *result, const struct dwarf_unit *unit,
                      const struct image *image, struct range_budget *budget,
                      struct inline_scratch *scratch);
void inline_unit_release(struct inline_unit *result);
