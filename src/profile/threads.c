#include "profile/threads.h"

#include "profile/sums.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int row_compare(const struct thread_times *row, uint32_t pid, uint32_t tid, const char *name)
{
    if (row->pid != pid)
        return row->pid < pid ? -1 : 1;
    if (row->tid != tid)
        return row->tid < tid ? -1 : 1;
    return strcmp(row->name, name);
}

/* The first that does not come before; whether it is the one. */
static bool position(const struct threads *threads, uint32_t pid, uint32_t tid, const char *name,
                     size_t *ret_at)
{
    size_t low = 0, high = threads->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_compare(&threads->at[middle], pid, tid, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_at = low;
    return low < threads->n && row_compare(&threads->at[low], pid, tid, name) == 0;
}

struct thread_times *threads_row(struct threads *threads, struct arena *arena, uint32_t pid,
                                 uint32_t tid, const char *name)
{
    size_t at;
    if (position(threads, pid, tid, name, &at))
        return &threads->at[at];
    (void)vec_push(threads);
    struct thread_times *row = &threads->at[at];
    memmove(row + 1, row, (threads->n - 1 - at) * sizeof *row);
    *row = (struct thread_times){.pid = pid, .tid = tid, .name = arena_string(arena, name)};
    return row;
}

static int rows_compare(const void *a, const void *b)
{
    const struct thread_times *x = a, *y = b;
    return row_compare(x, y->pid, y->tid, y->name);
}

void thread_times_add(struct thread_times *to, const struct thread_times *from)
{
    sum_add(&to->user_ns, from->user_ns);
    sum_add(&to->kernel_ns, from->kernel_ns);
    sum_add(&to->off_ns, from->off_ns);
    sum_add(&to->switches, from->switches);
}

struct thread_times *threads_find(struct threads *threads, uint32_t pid, uint32_t tid,
                                  const char *name)
{
    size_t at;
    return position(threads, pid, tid, name, &at) ? &threads->at[at] : NULL;
}

static bool lasted_longer(const struct thread_times *row, const struct thread_times *than)
{
    uint64_t cpu = row->user_ns + row->kernel_ns, other = than->user_ns + than->kernel_ns;
    return cpu != other ? cpu > other : row->off_ns > than->off_ns;
}

const char *threads_name(const struct threads *threads, uint32_t pid, uint32_t tid)
{
    const struct thread_times *best = NULL;
    size_t at;
    position(threads, pid, tid, "", &at);
    for (; at < threads->n && threads->at[at].pid == pid && threads->at[at].tid == tid; at++)
        if (*threads->at[at].name && (!best || lasted_longer(&threads->at[at], best)))
            best = &threads->at[at];
    return best ? best->name : NULL;
}

size_t threads_count(const struct threads *threads)
{
    size_t n = 0;
    for (size_t i = 0; i < threads->n; i++)
        n += !i || threads->at[i].pid != threads->at[i - 1].pid ||
             threads->at[i].tid != threads->at[i - 1].tid;
    return n;
}

void threads_sort(struct threads *threads)
{
    size_t n = 0;
    if (threads->n)
        qsort(threads->at, threads->n, sizeof *threads->at, rows_compare);
    for (size_t i = 0; i < threads->n; i++)
        if (n && rows_compare(&threads->at[n - 1], &threads->at[i]) == 0)
            thread_times_add(&threads->at[n - 1], &threads->at[i]);
        else
            threads->at[n++] = threads->at[i];
    threads->n = n;
}

void threads_merge(struct threads *into, struct arena *arena, const struct threads *other)
{
    struct threads both = {0};
    for (size_t a = 0, b = 0; a < into->n || b < other->n;) {
        int order = a == into->n    ? 1
                    : b == other->n ? -1
                                    : rows_compare(&into->at[a], &other->at[b]);
        struct thread_times *row = vec_push(&both);
        *row = order <= 0 ? into->at[a++] : other->at[b];
        if (order > 0)
            row->name = arena_string(arena, row->name);
        else if (order == 0)
            thread_times_add(row, &other->at[b]);
        b += order >= 0;
    }
    vec_release(into);
    *into = both;
}

void threads_forget_times(struct threads *threads)
{
    for (size_t i = 0; i < threads->n; i++)
        threads->at[i].user_ns = threads->at[i].kernel_ns = threads->at[i].off_ns =
            threads->at[i].switches = 0;
}
