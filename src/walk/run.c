#include "walk/run.h"

/* How the superblock that comes next was reached, so that it can be linked. */
enum arrival { ARRIVAL_NEW, ARRIVAL_DIRECT, ARRIVAL_INDIRECT, ARRIVAL_SITE };

/* The superblock at context.pc. */
static struct superblock *block_next(struct walk *walk, enum flavour flavour, enum arrival *arrival,
                                     uint32_t *ret_refusal)
{
    struct cache *cache = walk->cache;
    uint64_t pc = cache->context->pc;
    struct superblock *block = cache_get(cache, flavour, pc, ret_refusal);
    if (block || !cache->full || !walk->flushes)
        return block;
    cache_flush(cache);
    *arrival = ARRIVAL_NEW;
    return cache_get(cache, flavour, pc, ret_refusal);
}

static void arrive(struct cache *cache, enum arrival arrival, uint32_t exit,
                   const struct superblock *block)
{
    switch (arrival) {
    case ARRIVAL_DIRECT: cache_link(cache, exit, block); break;
    case ARRIVAL_INDIRECT: cache_land(cache, block); break;
    case ARRIVAL_SITE: cache_land_site(cache, exit, block); break;
    case ARRIVAL_NEW: break;
    }
}

uint32_t walk_run(struct walk *walk, enum flavour flavour)
{
    struct cache *cache = walk->cache;
    struct context *context = cache->context;
    enum arrival arrival = ARRIVAL_NEW;
    for (;;) {
        uint32_t refusal;
        const struct superblock *block = block_next(walk, flavour, &arrival, &refusal);
        if (!block)
            return refusal;
        arrive(cache, arrival, context->exit, block);
        context_enter(context, block->entry);
        switch ((enum leave)context->leave) {
        case LEAVE_DIRECT:
            context->pc = cache_exit(cache, context->exit)->target;
            arrival = ARRIVAL_DIRECT;
            break;
        case LEAVE_INDIRECT: arrival = ARRIVAL_INDIRECT; break;
        case LEAVE_SITE: arrival = ARRIVAL_SITE; break;
        case LEAVE_BUDGET: context->pc = cache_exit(cache, context->exit)->target; return LOSS_N;
        case LEAVE_BUDGET_INDIRECT: return LOSS_N;
        case LEAVE_STOP:
        case LEAVE_CALLED:
            context->pc = cache_exit(cache, context->exit)->target;
            arrival = ARRIVAL_NEW;
            break;
        case LEAVE_SYSCALL:
            arrival = ARRIVAL_NEW;
            if (!walk->syscall(walk, context->exit))
                return LOSS_at_syscall;
            break;
        }
    }
}
