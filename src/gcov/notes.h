/* A .gcno file: the control flow graphs of one compilation as gcc saw them when it would have put
 * counters into them, or looks for counts.
 *
 * Block 0 is the entry and block 1 the exit. Arcs stand in the file's order, by block; those that
 * are not on the spanning tree have counters, in that order. A fake arc leads to the exit from a
 * call that may not come back. The checksums are those that gcc expects of counts. */
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
    const char *file; /* as the compiler was told: often relative to notes.folder */
};

struct notes_function {
    uint32_t ident, lineno_checksum, cfg_checksum;
    const char *name;   /* as linked */
    const char *source; /* file it is defined in */
    uint32_t line, column, end_line, end_column;
    bool artificial; /* the compiler's own */
    uint32_t n_blocks;
    uint32_t n_counters; /* arcs that are not on the tree */
    struct notes_arcs {
        VEC(struct notes_arc);
    } arcs;
    struct notes_lines {
        VEC(struct notes_line); /* in the order of statements, a block's after each other */
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

/* The bytes are not needed any more afterwards. */
bool notes_parse(struct notes *notes, const uint8_t *bytes, size_t n, struct err *err);
bool notes_read(struct notes *notes, const char *path, struct err *err);
void notes_release(struct notes *notes);
