/* Finds external programs, and names the package of a missing one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct err;

/* The path of a program: on PATH, or in Debian's folders of LLVM, newest first. If it is missing,
 * the error names its package. */
const char *tool_find(struct arena *arena, const char *name, struct err *err);

/* A sentence that names a program that the log reports as not found, and its Debian package. NULL:
 * the log reports none. */
const char *tool_missing(struct arena *arena, const char *log);

/* The major version by `NAME -dumpversion`; 0: not installed. */
uint32_t tool_version(const char *name);
