/* Programs of others that commands run: where they are, and what package has those that are
 * missing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct err;

/* The path of a program: on PATH, or where Debian keeps LLVM's, the newest first. Not there: an
 * error that names the package. */
const char *tool_find(struct arena *arena, const char *name, struct err *err);

/* If a log says that a program was not found which one of Debian's packages has: that one is
 * missing, and where it is. NULL: it does not. */
const char *tool_missing(struct arena *arena, const char *log);

/* The major version that `NAME -dumpversion` states; 0: there is none. */
uint32_t tool_version(const char *name);
