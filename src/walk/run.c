#include "walk/run.h"

/* How the superblock that comes next was reached, so that it can be linked. */
enum arrival { ARRIVAL_NEW, ARRIVAL_DIRECT, ARRIVAL_LAZY, ARRIVAL_INDIRECT, ARRIVAL_SITE };

/* The superblock at context.pc. */
static struct superblock *block_next(struct walk *walk, enum flavour flavour, enum arrival *arrival,
                                     uint32_t *ret_refusal)
{
    struct cache *cache = walk->cache;
    uint64_t pc = cache->context->pc;
    uint32_t segments = walk->brief ? SHAPE_BRIEF : SHAPE_SEGMENTS;
    walk->brief = false;
    struct superblock *block = cache_get(cache, flavour, pc, segments, ret_refusal);
    if (block || !cache->full || !walk->flushes)
        return block;
    if (*arrival == ARRIVAL_SITE)
        cache_pair(cache, cache->context->exit, pc);
    cache_flush(cache);
    *arrival = ARRIVAL_NEW;
    return cache_get(cache, flavour, pc, segments, ret_refusal);
}

static void arrive(struct cache *cache, enum arrival arrival, uint32_t exit,
                   const struct superblock *block)
{
    switch (arrival) {
    case ARRIVAL_DIRECT: cache_link(cache, exit, false, block); break;
    case ARRIVAL_LAZY: cache_link(cache, exit, true, block); break;
    case ARRIVAL_INDIRECT: cache_land(cache, block); break;
    case ARRIVAL_SITE: cache_land_site(cache, exit, block); break;
    case ARRIVAL_NEW: break;
    }
}

/* What the code of an exit would have done. True: the budget is used up or the records are full. */
static bool exit_work(struct context *context, const struct exit *exit)
{
    switch ((enum flavour)exit->flavour) {
    case FLAVOUR_PLAIN:
        context->budgets[exit->budget] += exit_charge(exit);
        return context->budgets[exit->budget] >= 0;
    case FLAVOUR_RECORD:
        context->records[CONTEXT_RECORDS + context->record_at / 4] = context->exit;
        context->record_at += 4;
        return context->record_at >= 0;
    default:
        if (exit->counter)
            context->counters[exit->counter]++;
        return false;
    }
}

/* Handles a leave; LOSS_N with *ret_arrival set to go on, or with *ret_done to end. */
static uint32_t leave(struct walk *walk, enum arrival *ret_arrival, bool *ret_done)
{
    struct context *context = walk->cache->context;
    const struct exit *exit = cache_exit(walk->cache, context->exit);
    *ret_arrival = ARRIVAL_NEW;
    switch ((enum leave)context->leave) {
    case LEAVE_DIRECT:
        context->pc = exit->target;
        *ret_arrival = ARRIVAL_DIRECT;
        break;
    case LEAVE_LAZY:
        context->pc = exit->target;
        *ret_arrival = ARRIVAL_LAZY;
        *ret_done = exit_work(context, exit);
        break;
    case LEAVE_INDIRECT: *ret_arrival = ARRIVAL_INDIRECT; break;
    case LEAVE_SITE: *ret_arrival = ARRIVAL_SITE; break;
    case LEAVE_BUDGET:
        context->pc = exit->target;
        *ret_done = true;
        break;
    case LEAVE_BUDGET_INDIRECT: *ret_done = true; break;
    case LEAVE_STOP:
        context->pc = exit->target;
        exit_work(context, exit);
        break;
    case LEAVE_CALLED: context->pc = exit->target; break;
    case LEAVE_SYSCALL: return walk->syscall(walk, context->exit) ? LOSS_N : LOSS_at_syscall;
    }
    return LOSS_N;
}

uint32_t walk_run(struct walk *walk, enum flavour flavour)
{
    struct context *context = walk->cache->context;
    enum arrival arrival = ARRIVAL_NEW;
    for (;;) {
        uint32_t refusal;
        const struct superblock *block = block_next(walk, flavour, &arrival, &refusal);
        if (!block)
            return refusal;
        arrive(walk->cache, arrival, context->exit, block);
        context_enter(context, block->entry);
        bool done = false;
        uint32_t stop = leave(walk, &arrival, &done);
        if (done || stop != LOSS_N)
            return stop;
    }
}
