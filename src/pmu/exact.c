#include "pmu/exact.h"

void exact_init(struct exact *exact)
{
    *exact = (struct exact){0};
    map_init(&exact->places, sizeof(uint64_t));
    exact->before = mem_alloc(EXACT_CYCLES * sizeof *exact->before);
    exact->issues = mem_alloc(EXACT_CYCLES * sizeof *exact->issues);
}

void exact_release(struct exact *exact)
{
    map_release(&exact->places);
    mem_free(exact->before);
    mem_free(exact->issues);
    vec_release(&exact->pending);
    vec_release(exact);
}

static void overlap_add(struct exact *exact, const struct exact_pending *one)
{
    if (exact->settled - one->fetch >= EXACT_CYCLES) {
        exact->lost++;
        return;
    }
    exact->at[one->row].overlap += exact->before[one->done % EXACT_CYCLES] -
                                   exact->before[one->fetch % EXACT_CYCLES] - one->self;
}

static void settle(struct exact *exact, uint64_t until)
{
    for (; exact->settled < until; exact->settled++) {
        exact->issued += exact->issues[exact->settled % EXACT_CYCLES];
        exact->issues[exact->settled % EXACT_CYCLES] = 0;
        exact->before[(exact->settled + 1) % EXACT_CYCLES] = exact->issued;
    }
    struct exact_pending *pending = exact->pending.at;
    size_t head = exact->pending.head;
    for (; head < exact->pending.n && pending[head].done <= until; head++)
        overlap_add(exact, &pending[head]);
    exact->pending.head = head;
    /* What is done is moved away when it is half of all. */
    if (head < 4096 || head < exact->pending.n / 2)
        return;
    memmove(pending, pending + head, (exact->pending.n - head) * sizeof *pending);
    exact->pending.n -= head;
    exact->pending.head = 0;
}

static uint32_t row_of(struct exact *exact, uint64_t at)
{
    uint32_t index = map_add(&exact->places, &at);
    if (index == exact->n)
        *vec_push(exact) = (struct exact_row){0};
    return index;
}

void exact_see(struct exact *exact, const struct pmu_step *step)
{
    const struct core_times *times = step->times;
    uint32_t index = row_of(exact, step->fact->at.v);
    struct exact_row *row = &exact->at[index];
    settle(exact, times->fetch);
    exact->fetched++;
    row->fetched++;
    if (!step->aborted) {
        exact->retired++;
        exact->last_retire = times->retire;
        row->retired++;
        row->l1d_misses += times->events & CORE_L1D_MISS ? 1 : 0;
        row->mispredicts += times->events & CORE_MISPREDICT ? 1 : 0;
        if (times->issue - exact->settled < EXACT_CYCLES)
            exact->issues[times->issue % EXACT_CYCLES]++;
        else
            exact->lost++;
    }
    if (!times->complete)
        return;
    row->in_progress += times->complete - times->fetch;
    *vec_push(&exact->pending) = (struct exact_pending){
        times->fetch, times->complete, index, !step->aborted && times->issue < times->complete};
}

void exact_finish(struct exact *exact)
{
    uint64_t last = exact->settled;
    for (size_t i = exact->pending.head; i < exact->pending.n; i++)
        if (exact->pending.at[i].done > last)
            last = exact->pending.at[i].done;
    settle(exact, last);
}

const struct exact_row *exact_find(const struct exact *exact, struct avma at)
{
    uint32_t index = map_find(&exact->places, &at.v);
    return index == MAP_NONE ? NULL : &exact->at[index];
}
