#include "profile/threads.h"

#include "profile/sums.h"

#include <string.h>

static int row_compare(const struct thread *row, uint32_t pid, uint32_t tid, const char *name)
{
    if (row->pid != pid)
        return row->pid < pid ? -1 : 1;
    if (row->tid != tid)
        return row->tid < tid ? -1 : 1;
    return strcmp(row->name, name);
}

struct thread *threads_row(struct threads *threads, struct arena *arena, uint32_t pid, uint32_t tid,
                           const char *name)
{
    size_t low = 0, high = threads->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = row_compare(&threads->at[middle], pid, tid, name);
        if (order == 0)
            return &threads->at[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    (void)vec_push(threads);
    struct thread *row = &threads->at[low];
    memmove(row + 1, row, (threads->n - 1 - low) * sizeof *row);
    *row = (struct thread){.pid = pid, .tid = tid, .name = arena_string(arena, name)};
    return row;
}

void threads_merge(struct threads *into, struct arena *arena, const struct threads *other)
{
    for (size_t i = 0; i < other->n; i++) {
        const struct thread *from = &other->at[i];
        struct thread *to = threads_row(into, arena, from->pid, from->tid, from->name);
        sum_add(&to->user_ns, from->user_ns);
        sum_add(&to->kernel_ns, from->kernel_ns);
        sum_add(&to->off_ns, from->off_ns);
        sum_add(&to->switches, from->switches);
    }
}
