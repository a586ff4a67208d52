/* What running programs are called. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The file's name, without its folders. */
const char *called_name(const char *path);

/* The file that a process runs, as the kernel names it; without the kernel's mark on a file that
 * was replaced. False, with errno: it cannot be told. */
bool called_file(int pid, char *ret_path, size_t room);

/* One program may have several names: redis-server is a link to redis-check-rdb, and python3 to
 * python3.11. The kernel knows the file that was run, and calls the process as it was called: says
 * whether that file has the name of the process, too. */
bool called_so(int pid, const char *file, const char *name);
