/* The dump that a JIT compiler writes for profilers (jit-PID.dump; "jitdump", version 1): records
 * of code as it was made, with its name, its bytes and, before it, its lines. The format is that of
 * Linux, tools/perf/Documentation/jitdump-specification.txt.
 *
 * Codes are in the order in which they were made; where two overlap, the later one was there last.
 */
#pragma once

#include "base/bytes.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct jit_line {
    uint64_t at; /* in memory */
    const char *file;
    uint32_t line;
};
struct jit_code {
    uint64_t start, bytes;
    const uint8_t *code; /* in the dump's text; NULL: not there */
    const char *name;
    size_t first_line, n_lines; /* of the dump's lines */
};

struct jit_dump {
    struct arena arena;
    struct bytes text; /* the file */
    struct jit_lines {
        VEC(struct jit_line);
    } lines;
    VEC(struct jit_code);
    const char *bad; /* what of it could not be read, and where; NULL: nothing */
};

/* False: the file is missing, unreadable or no dump. A record that makes no sense ends the reading;
 * a compiler that was killed leaves half of one. */
bool jit_dump_read(struct jit_dump *dump, const char *path, struct err *err);
/* The same of bytes in memory, which the dump takes; path is for messages. */
bool jit_dump_parse(struct jit_dump *dump, const char *path, struct bytes text, struct err *err);
void jit_dump_release(struct jit_dump *dump);
