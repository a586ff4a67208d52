/* Parts of windows in which nobody has searched for paths yet.
 *
 * Reading a function for the first time costs a thousand times what following its paths does. So a
 * recording keeps the exits of windows, and whoever wants paths searches them
 * (consumers/path_settle.h). A sheet holds parts of one process, and all that a search must know of
 * the code besides the files of its modules.
 *
 * The exits of all parts of a sheet are one body. Mostly an exit is followed by the one that
 * followed it last time, so the body is a list of: how many exits in a row are as expected, then
 * one that is not. Bodies are checked when they are read; an invalid one ends at its error. */
#pragma once

#include "base/bytes.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PARTS_EXITS_MAX = 1 << 22,    /* numbers of exits are below */
    PARTS_SEGMENTS_MAX = 1 << 19, /* of a sheet, so that it fits into a chunk */
    PARTS_BODY_MAX = 1 << 22,     /* bytes, likewise */
    PARTS_PART_MAX = 1 << 12,     /* exits of a part */
};

/* As struct unit_segment of process/units.h. */
struct parts_segment {
    uint64_t start;  /* avma.v */
    uint64_t at;     /* svma.v */
    uint32_t module; /* of the profile */
    uint32_t bytes;
    uint16_t instructions;
    uint8_t end, last_bytes;
};

/* A superblock. Its segments follow those of the block before. */
struct parts_block {
    uint32_t first_exit, n_segments;
};

struct window_part {
    uint32_t n;            /* exits */
    uint32_t instructions; /* of them */
    uint64_t weight;       /* of each path */
    uint32_t end;          /* the exit that follows: its block is where the last one went */
    uint32_t unused;
};

struct parts_batch {
    uint32_t n_parts;
    uint32_t group;           /* of series */
    uint64_t x_time, x_count; /* weight of all windows of the batch */
    uint64_t moment_ns;       /* middle of the batch, in Unix time; 0: not known */
};

struct path_sheet {
    struct parts_segments {
        VEC(struct parts_segment);
    } segments;
    struct parts_blocks {
        VEC(struct parts_block);
    } blocks; /* by first exit */
    struct window_parts {
        VEC(struct window_part);
    } parts;
    struct parts_batches {
        VEC(struct parts_batch);
    } batches;
    struct bytes body;
};

struct path_parts {
    VEC(struct path_sheet);
};

void path_sheet_release(struct path_sheet *sheet);

void path_parts_release(struct path_parts *parts);
void path_parts_clear(struct path_parts *parts);
void path_parts_merge(struct path_parts *into, const struct path_parts *other,
                      const uint32_t *modules, size_t n_modules);

/* ---- a body, written and read */

/* What follows each exit, and the exit before. */
struct parts_habits {
    VEC(uint32_t);     /* by exit; HABIT_NONE, HABIT_OPEN, or what followed it + HABIT_FIRST */
    uint32_t exit;     /* the last one */
    bool begun;        /* there is one */
    uint32_t expected; /* exits in a row that are not written or read yet */
};
/* Not met; met, but nothing came after it. */
enum { HABIT_NONE, HABIT_OPEN, HABIT_FIRST };

void parts_habits_release(struct parts_habits *habits);

/* Appends exits, all below PARTS_EXITS_MAX, of a body that begins with habits that are 0. */
void parts_write(struct bytes *body, struct parts_habits *habits, const uint32_t *exits, size_t n);
/* After the last: the body is whole. The next one begins with habits that are 0. */
void parts_write_end(struct bytes *body, struct parts_habits *habits);

struct parts_reader {
    const uint8_t *at, *end;
    struct parts_habits habits;
    bool other; /* when the expected exits are over, one that is not expected comes next */
};

void parts_reader_open(struct parts_reader *reader, const struct bytes *body);
void parts_reader_close(struct parts_reader *reader);
/* False: there are not so many. */
bool parts_read(struct parts_reader *reader, uint32_t *ret_exits, size_t n);
