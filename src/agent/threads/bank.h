/* A thread's bank in the shared memory: exact counts, tables of paths and nodes, or the ring and
 * records of a trace. The tool can read it whatever happens to the process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Maps it over the counters of the thread's context. */
bool bank_map(const struct thread *thread);
/* Before a fork: keeps a copy of the thread's tree of contexts for the child, because the parent
 * may end, and its bank be reused, before the child has read it. bank_forked drops the copy, in
 * both. */
void bank_fork(struct thread *thread);
void bank_forked(struct thread *thread);
/* Adds the counts of a thread that ends to the process's; its bank is then free. Costs what was
 * written, not what it could hold. */
void bank_merge(const struct thread *thread);
