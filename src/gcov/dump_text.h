/* gcc's dumps, line by line: what valued.c and dumped.c read of them. */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMP_LIST_ENDING "i.profile"
#define DUMP_PLACES_ENDING "t.release_ssa"

struct dump_text {
    const char *at, *end;
};

/* The next line without its newline. */
bool dump_line_next(struct dump_text *text, struct dump_text *ret_line);
/* Goes on behind the word, if the line begins with it. */
bool dump_skip(struct dump_text *line, const char *word);
/* ;; Function m<int> (_Z1mIiET_S0_S0_, funcdef_no=2, ...: what the linker calls it. */
bool dump_function_take(struct dump_text line, struct dump_text *ret_name);

struct dump_place {
    struct dump_text file;
    uint32_t line, column;
};

/* Behind [a.c:12:107] or [a.c:12:107 discrim 2] and a blank; NULL: the line does not begin so. */
const char *dump_place_end(struct dump_text line);
/* What is between `at` and that end. */
bool dump_place_take(const char *at, const char *end, struct dump_place *ret_place);

/* The dump with that ending that lies beside the notes; NULL: there is none. Free it. */
uint8_t *dump_read(struct arena *arena, const char *notes, const char *ending, size_t *ret_n);
