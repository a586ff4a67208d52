#include "analysis/live/live.h"

#include "base/clock.h"
#include "profile/sums.h"

#include <string.h>
#include <time.h>

/* Programs that come and go, and code made at run time: contexts that no slice has are forgotten
 * when there are this many of all. */
enum { NODES_MAX = 1 << 19 };
static const uint64_t NAMES_NS = 40000000; /* to open binaries, of each slice */

void live_init(struct live *live, uint64_t span_ns, bool measured)
{
    *live = (struct live){.span_ns = span_ns, .measured = measured};
    live_code_init(&live->code);
    intern_init(&live->names);
    stacks_init(&live->nodes);
}

static void slice_release(struct live_slice *slice)
{
    vec_release(&slice->cells);
    vec_release(&slice->times);
}

void live_release(struct live *live)
{
    for (size_t i = 0; i < live->slices.n; i++)
        slice_release(&live->slices.at[i]);
    vec_release(&live->slices);
    vec_release(&live->function_of);
    stacks_release(&live->nodes);
    intern_release(&live->names);
    live_code_release(&live->code);
}

/* ---- contexts */

static uint32_t function_at(struct live *live, const struct profile *news, struct stack_key key)
{
    return key.parent == STACK_NONE
               ? LIVE_NONE
               : live_code_function(&live->code, news, key.module, key.address);
}

/* The node of the same context; `parent` is its parent's. */
static uint32_t node_take(struct live *live, const struct profile *news, struct stack_key key,
                          uint32_t parent)
{
    uint32_t node = stacks_node(&live->nodes, parent, key.module, key.address);
    if (node == live->function_of.n)
        *vec_push(&live->function_of) = function_at(live, news, key);
    return node;
}

/* Code that a program made may be named after it was met. */
static void functions_rename(struct live *live, const struct profile *news)
{
    for (uint32_t node = 0; node < live->function_of.n; node++) {
        uint32_t function = live->function_of.at[node];
        if (function != LIVE_NONE && live->code.functions.at[function].unnamed)
            live->function_of.at[node] = function_at(live, news, stacks_key(&live->nodes, node));
    }
}

static void nodes_forget(struct live *live)
{
    struct stacks old = live->nodes;
    struct live_functions_of old_functions = live->function_of;
    uint32_t n = old.nodes.n, *moved = mem_alloc((n + 1) * sizeof *moved);
    uint8_t *needed = mem_alloc(n + 1);
    stacks_init(&live->nodes);
    live->function_of = (struct live_functions_of){0};
    for (size_t i = 0; i < live->slices.n; i++)
        for (size_t k = 0; k < live->slices.at[i].cells.n; k++)
            needed[live->slices.at[i].cells.at[k].node] = 1;
    for (uint32_t node = n; node-- > 0;) { /* parents have lower numbers */
        struct stack_key key = stacks_key(&old, node);
        if (needed[node] && key.parent != STACK_NONE)
            needed[key.parent] = 1;
    }
    for (uint32_t node = 0; node < n; node++) {
        struct stack_key key = stacks_key(&old, node);
        if (!needed[node])
            continue;
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : moved[key.parent];
        moved[node] = stacks_node(&live->nodes, parent, key.module, key.address);
        *vec_push(&live->function_of) = old_functions.at[node];
    }
    for (size_t i = 0; i < live->slices.n; i++)
        for (size_t k = 0; k < live->slices.at[i].cells.n; k++) {
            uint32_t *node = &live->slices.at[i].cells.at[k].node;
            *node = moved[*node];
        }
    mem_free(needed);
    mem_free(moved);
    vec_release(&old_functions);
    stacks_release(&old);
}

/* ---- slices */

static void cells_take(struct live *live, const struct profile *news, struct live_slice *slice)
{
    const struct stacks *stacks = &news->stacks;
    uint32_t n = stacks->nodes.n, *node_of = mem_alloc((n + 1) * sizeof *node_of);
    for (uint32_t node = 0; node < n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        node_of[node] =
            node_take(live, news, key, key.parent == STACK_NONE ? STACK_NONE : node_of[key.parent]);
    }
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        *vec_push(&slice->cells) =
            (struct live_cell){node_of[cell->node], cell->group, stacks->weights.at[i]};
    }
    mem_free(node_of);
}

static void times_take(struct live *live, const struct profile *news, struct live_slice *slice)
{
    for (size_t i = 0; i < news->threads.n; i++) {
        const struct thread_times *thread = &news->threads.at[i];
        *vec_push(&slice->times) =
            (struct live_time){.pid = thread->pid,
                               .tid = thread->tid,
                               .name = intern_text(&live->names, thread->name),
                               .user_ns = thread->user_ns,
                               .kernel_ns = thread->kernel_ns};
    }
}

static void slices_drop(struct live *live, uint64_t now_ns)
{
    size_t old = 0;
    /* Half a slice too old still counts: slices are never exactly as long as asked for. */
    while (old + 1 < live->slices.n) {
        const struct live_slice *slice = &live->slices.at[old];
        if (now_ns - slice->to_ns + (slice->to_ns - slice->from_ns) / 2 <= live->span_ns)
            break;
        slice_release(&live->slices.at[old++]);
    }
    live->slices.n -= old;
    memmove(live->slices.at, live->slices.at + old, live->slices.n * sizeof *live->slices.at);
}

void live_add(struct live *live, const struct profile *news, uint64_t from_ns, uint64_t to_ns,
              uint64_t tool_ns, bool patient)
{
    struct live_slice slice = {.from_ns = from_ns,
                               .to_ns = to_ns,
                               .tool_ns = tool_ns,
                               .samples = news->totals.interrupts,
                               .lost = news->totals.losses[LOSS_sample_lost]};
    bool pending = live->code.pending;
    live->code.pending = false;
    live->code.until_ns = patient ? UINT64_MAX : clock_ns(CLOCK_MONOTONIC) + NAMES_NS;
    live_code_news(&live->code, news);
    if (news->names.n || pending)
        functions_rename(live, news);
    cells_take(live, news, &slice);
    times_take(live, news, &slice);
    *vec_push(&live->slices) = slice;
    slices_drop(live, to_ns);
    if (live->nodes.nodes.n > NODES_MAX)
        nodes_forget(live);
}

struct live_sum live_sum(const struct live *live)
{
    struct live_sum sum = {0};
    for (size_t i = 0; i < live->slices.n; i++) {
        const struct live_slice *slice = &live->slices.at[i];
        sum.elapsed_ns += slice->to_ns - slice->from_ns;
        sum.tool_ns += slice->tool_ns;
        sum.samples += slice->samples;
        sum.lost += slice->lost;
        for (size_t k = 0; k < slice->times.n; k++) {
            sum_add(&sum.user_ns, slice->times.at[k].user_ns);
            sum_add(&sum.kernel_ns, slice->times.at[k].kernel_ns);
        }
    }
    return sum;
}
