#include "consumers/call_costs.h"

#include "base/memory.h"

void call_costs_init(struct call_costs *costs)
{
    *costs = (struct call_costs){0};
    map_init(&costs->keys, sizeof(struct call_key));
}

void call_costs_release(struct call_costs *costs)
{
    map_release(&costs->keys);
    vec_release(costs);
}

void call_frames_release(struct call_frames *frames)
{
    vec_release(&frames->active);
    vec_release(frames);
}

static uint32_t callee_of(const struct call_costs *costs, uint32_t call)
{
    return ((const struct call_key *)map_key(&costs->keys, call))->callee;
}

void call_enter(struct call_costs *costs, struct call_frames *frames, struct call_key key,
                uint32_t depth, bool counts)
{
    uint32_t call = map_add(&costs->keys, &key);
    if (call == costs->n)
        *vec_push(costs) = (struct call_cost){0};
    costs->at[call].calls += counts;
    while (frames->active.n <= key.callee)
        *vec_push(&frames->active) = 0;
    *vec_push(frames) = (struct call_frame){.call = call,
                                            .depth = depth,
                                            .entered = frames->ran,
                                            .outermost = !frames->active.at[key.callee]++};
}

static void last_leave(struct call_costs *costs, struct call_frames *frames)
{
    const struct call_frame *frame = &frames->at[--frames->n];
    frames->active.at[callee_of(costs, frame->call)]--;
    if (frame->outermost)
        costs->at[frame->call].instructions += frames->ran - frame->entered;
}

void call_leave(struct call_costs *costs, struct call_frames *frames, uint32_t depth)
{
    while (frames->n && frames->at[frames->n - 1].depth >= depth)
        last_leave(costs, frames);
}

void call_resume(struct call_costs *costs, struct call_frames *frames, uint32_t depth,
                 uint32_t function)
{
    size_t n = frames->n;
    while (n && frames->at[n - 1].depth >= depth &&
           callee_of(costs, frames->at[n - 1].call) != function)
        n--;
    if (!n || frames->at[n - 1].depth < depth)
        return;
    while (frames->n > n)
        last_leave(costs, frames);
}
