/* The common format of gcc's coverage files: .gcno, its control flow graphs (notes.h), and .gcda,
 * the execution counts of their arcs (counts.h).
 *
 * Both have a header, with the compiler's version ("B22*" is gcc 12.2), and records of tag and
 * length. Only little-endian files are read. From gcc 12 on lengths are in bytes and the header has
 * one more word; before, lengths are in words of four bytes. */
#pragma once

#include "base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

enum gcov_tag {
    GCOV_FUNCTION = 0x01000000,
    GCOV_BLOCKS = 0x01410000,
    GCOV_ARCS = 0x01430000,
    GCOV_LINES = 0x01450000,
    GCOV_COUNTERS = 0x01A10000, /* of the first kind; each further one is 0x20000 more */
};
#define GCOV_SUMMARY 0xA1000000U
#define GCOV_MAGIC_NOTES 0x67636E6FU
#define GCOV_MAGIC_COUNTS 0x67636461U

struct gcov_head {
    uint32_t version, stamp;
    uint32_t checksum; /* of gcc 12 and later */
    unsigned major;    /* 12 of "B22*" */
    unsigned unit;     /* bytes that a length counts: 1 or 4 */
    bool has_checksum;
};

/* A record's bytes. */
struct gcov_record {
    uint32_t tag;
    bool zeros; /* counters that are all zero: only their number is stored */
    uint64_t bytes;
    struct cursor cursor;
};

enum { GCOV_OLDEST = 9 }; /* older files say less about functions */

/* Fails on files of another kind, byte order, or of a compiler older than GCOV_OLDEST. */
bool gcov_head_read(struct cursor *cursor, uint32_t magic, struct gcov_head *ret_head,
                    struct err *err);
/* False at the end; a record that passes it is an error, with its offset from start. */
bool gcov_record_next(struct cursor *cursor, const struct gcov_head *head, const uint8_t *start,
                      struct gcov_record *ret_record, struct err *err);
/* Points into the file, zero-terminated; NULL: empty, or the cursor is bad. */
const char *gcov_string(struct cursor *cursor, const struct gcov_head *head);

/* "12.2" of a version word. */
struct gcov_version_name {
    char text[16];
};
struct gcov_version_name gcov_version_name(uint32_t version);

/* Reads a file; NULL with an error: missing, or larger than such files can be. */
uint8_t *gcov_file_read(const char *path, size_t *ret_n, struct err *err);
