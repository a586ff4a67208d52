/* Threads and processes that the program creates or ends in an exact run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The program's clone, fork or vfork, as in the context; moves pc past it. False: a child that must
 * go on natively. */
bool exact_clone(struct thread *thread, uint64_t next);
/* The program's exit of one thread. */
__attribute__((noreturn)) void exact_exit(struct thread *thread, int status);
