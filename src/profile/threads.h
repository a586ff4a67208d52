/* The threads of a recording and their times. After an exec a process is a new row: the time before
 * belongs to the old program. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_times {
    uint32_t pid, tid;
    const char *name;            /* the kernel's name, at most 15 bytes */
    uint64_t user_ns, kernel_ns; /* 0: not known */
    uint64_t off_ns;             /* alive but not on a CPU */
    uint64_t switches;           /* context switches */
};
struct threads {
    VEC(struct thread_times); /* by pid, tid, name; unique */
};

/* The row of a thread, created as zero; valid until the next call. The name is copied into the
 * arena. */
struct thread_times *threads_row(struct threads *threads, struct arena *arena, uint32_t pid,
                                 uint32_t tid, const char *name);
/* NULL: none. */
struct thread_times *threads_find(struct threads *threads, uint32_t pid, uint32_t tid,
                                  const char *name);
/* What a thread is called everywhere: of several names the one that used the most CPU time, then
 * the one that lasted longest. After an exec that is the program, not what started it. NULL: none.
 */
const char *threads_name(const struct threads *threads, uint32_t pid, uint32_t tid);
/* Number of threads; a renamed thread has two rows but counts once. */
size_t threads_count(const struct threads *threads);
/* Exact runs have no thread times. */
static inline bool thread_times_known(const struct thread_times *thread)
{
    return thread->user_ns || thread->kernel_ns;
}
/* Where a profile is of a part: times of threads cannot be divided. */
void threads_forget_times(struct threads *threads);
/* Adds the times of one row to another. */
void thread_times_add(struct thread_times *to, const struct thread_times *from);
/* Sorts rows that are in any order, and adds up equal ones. */
void threads_sort(struct threads *threads);
void threads_merge(struct threads *into, struct arena *arena, const struct threads *other);
