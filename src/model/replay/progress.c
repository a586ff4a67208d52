#include "model/replay/progress.h"

#include "base/memory.h"

enum {
    RING_LEAST = 1 << 13, /* cycles */
    RING_MOST = 1 << 24,
    WAYS_LEAST = 1 << 11, /* instructions */
};

void progress_init(struct progress *progress, struct account *account)
{
    *progress =
        (struct progress){.account = account, .room = RING_LEAST, .ways = {.room = WAYS_LEAST}};
    progress->sums = mem_alloc(RING_LEAST * sizeof *progress->sums);
    progress->issued = mem_alloc(RING_LEAST * sizeof *progress->issued);
    progress->ways.at = mem_alloc(WAYS_LEAST * sizeof *progress->ways.at);
}

void progress_release(struct progress *progress)
{
    mem_free(progress->sums);
    mem_free(progress->issued);
    mem_free(progress->ways.at);
}

static struct issues *cycle_of(const struct progress *progress, struct issues *ring, uint64_t cycle)
{
    return &ring[cycle & (progress->room - 1)];
}

static void way_end(struct progress *progress, const struct under_way *way)
{
    struct account_row *row = account_row(progress->account, way->id);
    uint64_t to = way->issue + ACCOUNT_NEAR / 2;
    uint64_t from = way->issue > ACCOUNT_NEAR / 2 ? way->issue - ACCOUNT_NEAR / 2 : 0;
    if (way->fetch < progress->oldest || from < progress->oldest ||
        way->complete > progress->frontier || to > progress->frontier) {
        progress->account->clipped++;
        return;
    }
    struct account_slots *slots = &row->slots[way->missed];
    slots->n++;
    slots->span += way->complete - way->fetch;
    slots->used += cycle_of(progress, progress->sums, way->complete)->slots -
                   cycle_of(progress, progress->sums, way->fetch)->slots -
                   (way->retires && !way->rides && way->issue < way->complete);
    if (way->retires)
        row->nearby += cycle_of(progress, progress->sums, to)->all -
                       cycle_of(progress, progress->sums, from)->all;
}

/* The first cycle that somebody may still ask about. */
static uint64_t oldest_asked(const struct progress *progress)
{
    uint64_t oldest =
        progress->ways.n ? progress->ways.at[progress->ways.first].fetch : progress->frontier;
    return oldest > ACCOUNT_NEAR ? oldest - ACCOUNT_NEAR : 0;
}

static void ring_copy(const struct progress *from, struct progress *to)
{
    for (uint64_t cycle = to->oldest; cycle <= to->frontier; cycle++)
        *cycle_of(to, to->sums, cycle) = *cycle_of(from, from->sums, cycle);
    for (uint64_t cycle = to->frontier; cycle <= to->latest; cycle++)
        *cycle_of(to, to->issued, cycle) = *cycle_of(from, from->issued, cycle);
}

/* Room for all cycles from the first that may be asked about to this one. False: more than anybody
 * should take. */
static bool ring_reach(struct progress *progress, uint64_t cycle)
{
    struct progress old = *progress;
    uint64_t oldest = oldest_asked(progress);
    if (oldest > progress->oldest)
        progress->oldest = oldest;
    if (cycle < progress->oldest + progress->room)
        return true;
    if (cycle - progress->oldest >= RING_MOST)
        return false;
    while (cycle >= progress->oldest + progress->room)
        progress->room *= 2;
    progress->sums = mem_alloc(progress->room * sizeof *progress->sums);
    progress->issued = mem_alloc(progress->room * sizeof *progress->issued);
    ring_copy(&old, progress);
    mem_free(old.sums);
    mem_free(old.issued);
    return true;
}

/* Cycle by cycle. */
static void frontier_step(struct progress *progress, uint64_t to)
{
    while (progress->frontier < to) {
        struct issues *issued = cycle_of(progress, progress->issued, progress->frontier++);
        progress->issued_sum.all += issued->all;
        progress->issued_sum.slots += issued->slots;
        *issued = (struct issues){0};
        *cycle_of(progress, progress->sums, progress->frontier) = progress->issued_sum;
    }
}

/* Over a gap that nobody is under way in, or that is longer than there is room for: nothing is
 * issued in it. */
static void frontier_jump(struct progress *progress, uint64_t to)
{
    progress->account->clipped += progress->ways.n;
    progress->ways.n = 0;
    if (progress->latest >= progress->frontier)
        frontier_step(progress, progress->latest + 1);
    progress->frontier = to;
    progress->oldest = to > ACCOUNT_NEAR ? to - ACCOUNT_NEAR : 0;
    for (uint64_t cycle = progress->oldest; cycle <= to; cycle++)
        *cycle_of(progress, progress->sums, cycle) = progress->issued_sum;
}

static void frontier_move(struct progress *progress, uint64_t to)
{
    bool idle = !progress->ways.n && progress->latest + RING_LEAST < to;
    if (idle || !ring_reach(progress, to))
        frontier_jump(progress, to);
    else
        frontier_step(progress, to);
}

static void ways_end(struct progress *progress, bool all)
{
    struct ways *ways = &progress->ways;
    while (ways->n) {
        const struct under_way *way = &ways->at[ways->first];
        uint64_t end = way->complete > way->issue + ACCOUNT_NEAR / 2
                           ? way->complete
                           : way->issue + ACCOUNT_NEAR / 2;
        if (end > progress->frontier && !all)
            return;
        way_end(progress, way);
        ways->first = (ways->first + 1) % ways->room;
        ways->n--;
    }
}

static struct under_way *way_new(struct ways *ways)
{
    if (ways->n == ways->room) {
        struct under_way *at = mem_alloc(2 * (size_t)ways->room * sizeof *at);
        for (uint32_t i = 0; i < ways->n; i++)
            at[i] = ways->at[(ways->first + i) % ways->room];
        mem_free(ways->at);
        *ways = (struct ways){at, 2 * ways->room, 0, ways->n};
    }
    return &ways->at[(ways->first + ways->n++) % ways->room];
}

void progress_take(struct progress *progress, const struct replay_step *step)
{
    const struct core_times *times = step->times;
    if (times->fetch > progress->frontier)
        frontier_move(progress, times->fetch);
    uint64_t issue = times->load_issue ? times->load_issue : times->issue;
    if (!step->aborted && issue >= progress->frontier && ring_reach(progress, issue)) {
        struct issues *issued = cycle_of(progress, progress->issued, issue);
        issued->all++;
        issued->slots += !times->rides;
        progress->latest = issue > progress->latest ? issue : progress->latest;
    }
    ways_end(progress, false);
    if (step->warming || !times->complete)
        return;
    *way_new(&progress->ways) =
        (struct under_way){times->fetch,
                           issue,
                           times->complete,
                           step->insn->id,
                           times->load_issue && times->events & CORE_L1D_MISS,
                           !step->aborted,
                           times->rides};
}

void progress_settle(struct progress *progress, uint64_t last)
{
    frontier_move(progress, last + ACCOUNT_NEAR);
    ways_end(progress, true);
}
