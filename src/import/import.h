/* Counts that other tools took, as an exact profile: a truth to compare with. One file a format; which one it is, is told
 * by content. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct err;
struct profile;

/* The profile is the caller's to release; its mode is exact. path: of the file; binary: the program that fdata of BOLT
 * are about, which do not say; NULL for files that do. */
bool import_file(struct profile *ret_profile, const char *path, const char *binary,
                 struct err *err);

/* callgrind --dump-instr=yes --collect-jumps=yes. */
bool import_callgrind(struct profile *profile, FILE *from, struct err *err);
/* BOLT's branches, as `llvm-bolt -instrument` writes them. */
bool import_fdata(struct profile *profile, FILE *from, const char *binary, struct err *err);
