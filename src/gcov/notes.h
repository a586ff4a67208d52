/* A .gcno file: the control flow graphs of one compilation, as gcc saw them when it placed or
 * looked for counters.
 *
 * Block 0 is the entry and block 1 the exit. Arcs are in file order, by block. Arcs off the
 * spanning tree have counters, in that order. A fake arc leads to the exit from a call that may not
 * return. gcc compares the checksums with those of the counts. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "gcov/format.h"

enum { NOTES_ENTRY = 0, NOTES_EXIT = 1 };
enum notes_arc_flags { ARC_ON_TREE = 1, ARC_FAKE = 2, ARC_FALL = 4 };

struct notes_arc {
    uint32_t from, to;
    uint32_t flags; /* enum notes_arc_flags */
};
struct notes_line {
    uint32_t block, line;
    const char *file; /* as given to the compiler: often relative to notes.folder */
};

struct notes_function {
    uint32_t ident, lineno_checksum, cfg_checksum;
    const char *name;   /* as linked */
    const char *source; /* file it is defined in */
    uint32_t line, column, end_line, end_column;
    bool artificial; /* made by the compiler */
    uint32_t n_blocks;
    uint32_t n_counters; /* arcs off the tree */
    struct notes_arcs {
        VEC(struct notes_arc);
    } arcs;
    struct notes_lines {
        VEC(struct notes_line); /* in statement order; those of a block together */
    } lines;
};

struct notes {
    struct gcov_head head;
    struct arena arena;
    const char *folder; /* where the compiler ran */
    struct notes_functions {
        VEC(struct notes_function);
    } functions;
};

/* The bytes may be freed afterwards. */
bool notes_parse(struct notes *notes, const uint8_t *bytes, size_t n, struct err *err);
bool notes_read(struct notes *notes, const char *path, struct err *err);
void notes_release(struct notes *notes);
