/* Profiles of other tools: exact counts, to compare with; samples of perf. Each format has a file;
 * the content says which it is. */
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

/* The caller releases the profile; its mode is exact, or plain if it has samples
 * (import/perf_data.h). `binary`: the program of a BOLT fdata, which does not name it, or a file
 * that replaces the one of its name in perf.data; NULL: none. */
bool import_file(struct profile *ret_profile, const char *path, const char *binary,
                 struct err *err);

/* Reads the whole stream; the caller releases it. */
bool import_bytes(FILE *from, struct import_bytes *ret_bytes, struct err *err);

/* callgrind --dump-instr=yes --collect-jumps=yes. */
bool import_callgrind(struct profile *profile, FILE *from, struct err *err);
/* BOLT's branches, as `llvm-bolt -instrument` writes them. */
bool import_fdata(struct profile *profile, FILE *from, const char *binary, struct err *err);
