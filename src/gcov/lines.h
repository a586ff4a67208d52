/* The source lines of the blocks of a function; and, if the dump of its compilation is there, the
 * places of those lines that several blocks have. */
#pragma once

#include "gcov/block_places.h"
#include "gcov/notes.h"

#define GROUP_NONE UINT32_MAX

/* What of a line, or of a place, blocks have. */
enum group_what {
    GROUP_LINE,   /* statements of the line */
    GROUP_CODE,   /* statements there that become code */
    GROUP_BEGINS, /* where one begins, says the compiler */
    GROUP_BRANCH, /* an if or a switch at the end of the block */
    GROUP_CALL    /* calls there */
};

/* A line, or a place in it, and the blocks with statements of it. */
struct line_group {
    const char *name;      /* file name without folder: the program may have been built elsewhere */
    uint32_t line, column; /* column of a GROUP_LINE: 0 */
    uint8_t what;          /* enum group_what */
    uint32_t whole;        /* the GROUP_LINE of the line */
    uint32_t first, n;     /* of line_groups.blocks */
};

struct line_groups {
    VEC(struct line_group); /* by line, then name, column, what */
    struct group_blocks {
        VEC(uint32_t); /* group by group, unique in each */
    } blocks;
};

/* places: NULL: none are known. Names are those of the places and of the notes. */
void line_groups_make(struct line_groups *groups, const struct notes_function *function,
                      const struct block_places *places);
void line_groups_release(struct line_groups *groups);
/* The GROUP_LINE; GROUP_NONE: no block has the line. */
uint32_t line_groups_find(const struct line_groups *groups, const char *file, uint32_t line);
/* The group of a place, or of code there if nothing else is known of it, or of the line. */
uint32_t line_groups_place(const struct line_groups *groups, const char *file, uint32_t line,
                           uint32_t column, enum group_what what);

/* Whether a block has a line of the other function's text. */
bool line_groups_have(const struct line_groups *groups, const struct notes_function *other);

/* The path without its folders. */
const char *file_last_part(const char *path);
