/* The program's system calls in an exact run: executed for it, those apart that the agent must
 * answer itself or that change what it knows. */
#pragma once

#include "walk/run.h"

/* A walk.syscall. */
bool syscalls_run(struct walk *walk, uint64_t next);

/* From and to an address that the program gave. False: it is a bad one. */
bool syscalls_read(uint64_t from, void *to, uint64_t bytes);
bool syscalls_write(uint64_t to, const void *from, uint64_t bytes);
