/* Makes machine code of its columns (code_shapes.h), which may be damaged. */
#pragma once

#include "base/cursor.h"
#include "base/vec.h"
#include "profile/file/code_fields.h"

struct err;

struct reader_jump {
    uint32_t end, before; /* the byte after it; targets before that */
    uint64_t apart;
    uint32_t to; /* apart is 0: where it leads */
    uint8_t bytes;
};

struct code_reader {
    struct cursor columns[OLD_COLUMNS]; /* the first CODE_COLUMNS, if it is not old */
    bool old;                           /* of version 2: all are columns of bytes */
    struct code_fields fields;          /* if it is not old */
    struct shape_list {
        VEC(struct code_shape);
    } shapes;
    uint64_t apart; /* instructions before the next target of a jump */
    /* Scratch, of one piece. */
    struct reader_targets {
        VEC(uint32_t);
    } targets;
    struct reader_jumps {
        VEC(struct reader_jump);
    } jumps;
};

/* Columns that are not there are empty. */
bool code_reader_open(struct code_reader *reader, struct err *err);
/* The next n bytes, which lie at the address that they were written with. */
bool code_reader_take(struct code_reader *reader, uint64_t address, uint8_t *to, size_t n,
                      struct err *err);
/* Fewer than so many bytes are left in any case: to be asked before room is made for them. */
size_t code_reader_left(const struct code_reader *reader);
void code_reader_release(struct code_reader *reader);
