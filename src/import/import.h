/* What other tools took, as a profile: exact counts, a truth to compare with; samples of perf. One
 * file a format; which one it is, is told by content. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct profile;

struct import_bytes {
    VEC(uint8_t);
};

/* The profile is the caller's to release; its mode is exact, or plain if samples were taken
 * (import/perf_data.h). path: of the file; binary: the program that fdata of BOLT are about, which
 * do not say, or one that stands for what has its name in perf.data; NULL: none. */
bool import_file(struct profile *ret_profile, const char *path, const char *binary,
                 struct err *err);

/* Everything up to the end of the stream; the caller releases it. */
bool import_bytes(FILE *from, struct import_bytes *ret_bytes, struct err *err);

/* callgrind --dump-instr=yes --collect-jumps=yes. */
bool import_callgrind(struct profile *profile, FILE *from, struct err *err);
/* BOLT's branches, as `llvm-bolt -instrument` writes them. */
bool import_fdata(struct profile *profile, FILE *from, const char *binary, struct err *err);
