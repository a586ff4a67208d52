/* A thread's bank in the share: exact counts, tables of paths and nodes, or the ring and records of
 * a trace. The tool can read it whatever happens to us. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Lays it over the counters of the thread's context. */
bool bank_map(const struct thread *thread);
/* The calling thread is about to fork: keeps its tree of contexts for the child, whose parent may
 * end, and its bank be used again, before the child has read it. And lets go of that again, in
 * both. */
void bank_fork(struct thread *thread);
void bank_forked(struct thread *thread);
/* The counts of a thread that ends are the process's; its bank is for the next. Costs what was
 * written, not what it could hold. */
void bank_merge(const struct thread *thread);
