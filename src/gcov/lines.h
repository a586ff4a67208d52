/* The source lines of the blocks of a function. */
#pragma once

#include "gcov/notes.h"

#define GROUP_NONE UINT32_MAX

/* A line and the blocks with statements of it. */
struct line_group {
    const char *name; /* file name without folder: the program may have been built elsewhere */
    uint32_t line;
    uint32_t first, n; /* of line_groups.blocks */
};

struct line_groups {
    VEC(struct line_group); /* by line, then name */
    struct group_blocks {
        VEC(uint32_t); /* group by group, unique in each */
    } blocks;
};

void line_groups_make(struct line_groups *groups, const struct notes_function *function);
void line_groups_release(struct line_groups *groups);
/* GROUP_NONE: no block has the line. */
uint32_t line_groups_find(const struct line_groups *groups, const char *file, uint32_t line);

/* Whether a block has a line of the other function's text. */
bool line_groups_have(const struct line_groups *groups, const struct notes_function *other);

/* The path without its folders. */
const char *file_last_part(const char *path);
