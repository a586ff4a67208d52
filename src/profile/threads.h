/* The threads of a recording and the time each used. A process that becomes another program by exec
 * is a new row: its time before belonged to the old one. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_times {
    uint32_t pid, tid;
    const char *name;            /* as the kernel has it, 15 bytes at most */
    uint64_t user_ns, kernel_ns; /* 0: not known */
    uint64_t off_ns;             /* alive but not running: waiting, or waiting to run */
    uint64_t switches;           /* times it left a CPU */
};
struct threads {
    VEC(struct thread_times); /* by pid, tid, name; no such three twice */
};

/* The row of that thread, created as zero; the pointer holds until the next call. A new row's name
 * is copied into the arena. */
struct thread_times *threads_row(struct threads *threads, struct arena *arena, uint32_t pid,
                                 uint32_t tid, const char *name);
/* NULL: there is none. */
struct thread_times *threads_find(struct threads *threads, uint32_t pid, uint32_t tid,
                                  const char *name);
/* How many there are: one that took another name has two rows. */
size_t threads_count(const struct threads *threads);
/* Exact runs do not tell times of threads. */
static inline bool thread_times_known(const struct thread_times *thread)
{
    return thread->user_ns || thread->kernel_ns;
}
/* Adds the times of a row to another's. */
void thread_times_add(struct thread_times *to, const struct thread_times *from);
/* Makes threads of rows that are in any order: equal ones are added up. */
void threads_sort(struct threads *threads);
void threads_merge(struct threads *into, struct arena *arena, const struct threads *other);
