/* Which blocks of a function have statements of which source lines. */
#pragma once

#include "gcov/notes.h"

#define GROUP_NONE UINT32_MAX

/* A line with the blocks that have statements of it. */
struct line_group {
    const char
        *name; /* of the file, without its folder: the program may have been built elsewhere */
    uint32_t line;
    uint32_t first, n; /* of line_groups.blocks */
};

struct line_groups {
    VEC(struct line_group); /* by line, then name */
    struct group_blocks {
        VEC(uint32_t); /* of each group in order, none twice */
    } blocks;
};

void line_groups_make(struct line_groups *groups, const struct notes_function *function);
void line_groups_release(struct line_groups *groups);
/* GROUP_NONE: no block has it. */
uint32_t line_groups_find(const struct line_groups *groups, const char *file, uint32_t line);

/* Whether blocks have any line of the text of another function. */
bool line_groups_have(const struct line_groups *groups, const struct notes_function *other);

/* The path without its folders. */
const char *file_last_part(const char *path);
