/* The functions and inlined calls of one unit. */
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
    uint64_t origin; /* the entry with its name: in .debug_info, or marked DIE_IN_ALT */
    uint32_t parent; /* the caller it is inlined into; NODE_NONE: a function */
    uint32_t call_file, call_line, call_column; /* of the inlined call; 0 for a function */
    uint32_t discriminator;
};

/* From `start` bytes into its piece up to the next segment or the end of the piece. */
struct inline_segment {
    uint32_t start, node;
};
struct inline_piece {
    uint64_t start, end; /* svma; no gaps */
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

/* Memory reused between units, so that results are no larger than needed. */
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

/* Keeps only code of the image; the linker dropped the rest. */
void inline_unit_read(struct inline_unit *result, const struct dwarf_unit *unit,
                      const struct image *image, struct range_budget *budget,
                      struct inline_scratch *scratch);
void inline_unit_release(struct inline_unit *result);
