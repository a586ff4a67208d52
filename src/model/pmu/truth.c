#include "model/pmu/truth.h"

void truth_init(struct truth *truth)
{
    *truth = (struct truth){0};
    map_init(&truth->places, sizeof(uint64_t));
    truth->before = mem_alloc(TRUTH_CYCLES * sizeof *truth->before);
    truth->issues = mem_alloc(TRUTH_CYCLES * sizeof *truth->issues);
}

void truth_release(struct truth *truth)
{
    map_release(&truth->places);
    mem_free(truth->before);
    mem_free(truth->issues);
    vec_release(&truth->pending);
    vec_release(truth);
}

static void overlap_add(struct truth *truth, const struct truth_pending *one)
{
    if (truth->settled - one->fetch >= TRUTH_CYCLES) {
        truth->lost++;
        return;
    }
    truth->at[one->row].overlap += truth->before[one->done % TRUTH_CYCLES] -
                                   truth->before[one->fetch % TRUTH_CYCLES] - one->self;
}

static void settle(struct truth *truth, uint64_t until)
{
    for (; truth->settled < until; truth->settled++) {
        truth->issued += truth->issues[truth->settled % TRUTH_CYCLES];
        truth->issues[truth->settled % TRUTH_CYCLES] = 0;
        truth->before[(truth->settled + 1) % TRUTH_CYCLES] = truth->issued;
    }
    struct truth_pending *pending = truth->pending.at;
    size_t head = truth->pending.head;
    for (; head < truth->pending.n && pending[head].done <= until; head++)
        overlap_add(truth, &pending[head]);
    truth->pending.head = head;
    /* What is done is moved away when it is half of all. */
    if (head < 4096 || head < truth->pending.n / 2)
        return;
    memmove(pending, pending + head, (truth->pending.n - head) * sizeof *pending);
    truth->pending.n -= head;
    truth->pending.head = 0;
}

static uint32_t row_of(struct truth *truth, uint64_t at)
{
    uint32_t index = map_add(&truth->places, &at);
    if (index == truth->n)
        *vec_push(truth) = (struct truth_row){0};
    return index;
}

void truth_see(struct truth *truth, const struct pmu_step *step)
{
    const struct core_times *times = step->times;
    uint32_t index = row_of(truth, step->fact->at.v);
    struct truth_row *row = &truth->at[index];
    settle(truth, times->fetch);
    truth->fetched++;
    row->fetched++;
    if (!step->aborted) {
        truth->retired++;
        truth->last_retire = times->retire;
        row->retired++;
        row->l1d_misses += times->events & CORE_L1D_MISS ? 1 : 0;
        row->mispredicts += times->events & CORE_MISPREDICT ? 1 : 0;
        if (times->issue - truth->settled < TRUTH_CYCLES)
            truth->issues[times->issue % TRUTH_CYCLES]++;
        else
            truth->lost++;
    }
    if (!times->complete)
        return;
    row->in_progress += times->complete - times->fetch;
    *vec_push(&truth->pending) = (struct truth_pending){
        times->fetch, times->complete, index, !step->aborted && times->issue < times->complete};
}

void truth_finish(struct truth *truth)
{
    uint64_t last = truth->settled;
    for (size_t i = truth->pending.head; i < truth->pending.n; i++)
        if (truth->pending.at[i].done > last)
            last = truth->pending.at[i].done;
    settle(truth, last);
}

const struct truth_row *truth_find(const struct truth *truth, struct avma at)
{
    uint32_t index = map_find(&truth->places, &at.v);
    return index == MAP_NONE ? NULL : &truth->at[index];
}
