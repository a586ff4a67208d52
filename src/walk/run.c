#include "walk/run.h"

#include "walk/count/event_clock.h"
#include "walk/count/node_ticks.h"
#include "walk/count/passages.h"
#include "walk/count/plan_apply.h"
#include "walk/base/sys.h"

/* How the superblock that comes next was reached, so that it can be linked. */
enum arrival {
    ARRIVAL_NEW,
    ARRIVAL_DIRECT,
    ARRIVAL_LAZY,
    ARRIVAL_INDIRECT,
    ARRIVAL_SITE,
    ARRIVAL_STALE
};

static void arrive(struct walk *walk, enum arrival arrival, struct copied_block *block)
{
    struct cache *cache = walk->cache;
    uint32_t exit = walk->context->exit;
    switch (arrival) {
    case ARRIVAL_DIRECT: cache_link(cache, exit, false, block); break;
    case ARRIVAL_LAZY: cache_link(cache, exit, true, block); break;
    case ARRIVAL_INDIRECT: cache_land(cache, block); break;
    case ARRIVAL_SITE: cache_land_site(cache, walk->context, exit, block); break;
    case ARRIVAL_STALE: cache_lead(cache, exit, block); break;
    case ARRIVAL_NEW: break;
    }
}

/* What is known of the plan's register at context.pc. */
static struct plan_path path_next(const struct walk *walk, enum arrival arrival)
{
    const struct plan *plan = walk->cache->plan;
    uint64_t pc = walk->context->pc;
    const struct exit *exit = cache_exit(walk->cache, walk->context->exit);
    struct plan_path path = {0};
    switch (arrival) {
    case ARRIVAL_DIRECT: path = exit_path(exit); break;
    case ARRIVAL_LAZY: path = plan_follow(plan, exit->plan, exit_path(exit)); break;
    case ARRIVAL_INDIRECT: path = plan_follow(plan, plan_arrival(plan, 0, pc), path); break;
    case ARRIVAL_SITE:
        path = plan_follow(plan, plan_arrival(plan, walk->from, pc), exit_path(exit));
        break;
    case ARRIVAL_STALE: /* its guard finds the register true */
    case ARRIVAL_NEW: break;
    }
    path = plan_enter(plan, pc, path);
    return path.known ? path : (struct plan_path){0};
}

/* What comes next, reached in that way. */
static struct wanted wanted_next(const struct walk *walk, enum flavour flavour,
                                 enum arrival arrival, uint32_t segments)
{
    struct wanted wanted = {.pc = walk->context->pc,
                            .flavour = flavour,
                            .max_segments = segments,
                            .lands = arrival == ARRIVAL_INDIRECT ||
                                     (arrival == ARRIVAL_SITE && flavour == FLAVOUR_PLAIN),
                            .sp = walk->cache->tallies ? 0 : walk->context->gpr[RSP]};
    wanted.owes = arrival == ARRIVAL_DIRECT || arrival == ARRIVAL_LAZY;
    if (wanted.owes)
        wanted.visits = cache_exit(walk->cache, walk->context->exit)->visits;
    if (wanted.owes && flavour != FLAVOUR_COUNT)
        wanted.owed = cache_exit(walk->cache, walk->context->exit)->owed;
    if (walk->cache->plan && flavour == FLAVOUR_COUNT)
        wanted.path = path_next(walk, arrival);
    return wanted;
}

/* The superblock at context.pc, under the lock: translated if it is not there, and linked. */
static struct copied_block *block_make(struct walk *walk, enum flavour flavour,
                                       enum arrival arrival, uint32_t segments,
                                       uint32_t *ret_refusal)
{
    struct cache *cache = walk->cache;
    uint64_t before = cache->translate_ticks;
    struct wanted wanted = wanted_next(walk, flavour, arrival, segments);
    struct copied_block *block = cache_get(cache, &wanted, ret_refusal);
    if (!block && cache->full && walk->make_room) {
        if (arrival == ARRIVAL_SITE)
            cache_pair(cache, walk->context, walk->context->exit, walk->context->pc);
        arrival = ARRIVAL_NEW;
        wanted = wanted_next(walk, flavour, arrival, segments);
        if (walk->make_room(walk))
            block = cache_get(cache, &wanted, ret_refusal);
    }
    walk->translate_ticks += cache->translate_ticks - before;
    if (cache->units.n_counters < cache->units.max_counters / 2)
        ahead_of(&cache->counters_ahead, walk->context->counters,
                 cache->units.n_counters * sizeof *walk->context->counters);
    if (block)
        arrive(walk, arrival, block);
    else if (arrival == ARRIVAL_SITE) /* it came there, though nothing can be walked */
        cache_pair(cache, walk->context, walk->context->exit, walk->context->pc);
    return block;
}

/* The superblock at context.pc. `generation`: of the cache when the last one was left. */
static struct copied_block *block_next(struct walk *walk, enum flavour flavour,
                                       enum arrival arrival, uint32_t generation,
                                       uint32_t *ret_refusal)
{
    struct cache *cache = walk->cache;
    uint32_t segments = walk->single ? SHAPE_SINGLE : walk->brief ? SHAPE_BRIEF : SHAPE_SEGMENTS;
    walk->brief = false;
    struct copied_block *block = cache_find(cache, flavour, walk->context->pc, segments);
    bool computed = arrival == ARRIVAL_INDIRECT || arrival == ARRIVAL_SITE;
    walk->transfer = 0;
    if (block && arrival == ARRIVAL_NEW)
        return block;
    if (!gate_lock(&cache->gate, walk->waits)) {
        *ret_refusal = LOSS_busy;
        return block;
    }
    if (generation != cache->generation) { /* the exit that it left by is no more */
        if (arrival == ARRIVAL_SITE)
            cache_pair(cache, walk->context, walk->context->exit, walk->context->pc);
        arrival = ARRIVAL_NEW;
    }
    block = block_make(walk, flavour, arrival, segments, ret_refusal);
    walk->transfer = computed ? cache_transfer(cache, walk->from, walk->context->pc) : 0;
    cache_publish(cache);
    gate_unlock(&cache->gate);
    return block;
}

/* What the code of an exit would have done. True: the budget is used up or the records are full. */
static bool exit_work(const struct walk *walk, const struct exit *exit)
{
    struct context *context = walk->context;
    switch ((enum flavour)exit->flavour) {
    case FLAVOUR_PLAIN:
        if (exit->counter)
            context_tallies(context)[exit->counter]++;
        context->budgets[exit->budget] += budget_charge(exit->owed);
        return context->budgets[exit->budget] >= 0;
    case FLAVOUR_RECORD:
        context->records[CONTEXT_RECORDS + context->record_at / 4] = context->exit;
        context->record_at += 4;
        context->payload_at += exit->payload;
        return context->record_at >= 0;
    default:
        if (exit->counter)
            context->counters[exit->counter]++;
        if (contexts_first(walk->cache->contexts, exit->transfer))
            contexts_apply(walk->cache->contexts, exit->transfer, context);
        if (walk->cache->plan) {
            path_apply(exit_path(exit), context);
            plan_apply(walk->cache->plan, exit->plan, context);
        }
        if (contexts_last(walk->cache->contexts, exit->transfer))
            contexts_apply(walk->cache->contexts, exit->transfer, context);
        return false;
    }
}

/* Plain: instructions that no exit pays for. */
static void debt_charge(struct context *context, int32_t instructions)
{
    context->budgets[0] += budget_charge(instructions) - 1;
}

/* What is to be done at an arrival that no landing has seen. */
static void arrival_apply(const struct walk *walk, enum arrival arrival)
{
    const struct cache *cache = walk->cache;
    if (arrival != ARRIVAL_INDIRECT && arrival != ARRIVAL_SITE)
        return;
    if (cache->contexts)
        contexts_apply(cache->contexts, walk->transfer, walk->context);
    if (cache->plan)
        plan_apply(cache->plan, plan_arrival(cache->plan, walk->from, walk->context->pc),
                   walk->context);
}

/* What the code has left to us. */
static void left_apply(const struct walk *walk)
{
    struct context *context = walk->context;
    if (context->exit & CONTEXTS_LEFT)
        contexts_apply(walk->cache->contexts, context->exit & ~CONTEXTS_LEFT, context);
    else
        plan_apply_left(walk->cache->plan, context);
}

/* ---- what is measured does not see us */

static void clock_stop(struct context *context)
{
    event_clock_pause(context);
    if (context->node_timed || passages_run(context) || flow_runs(context))
        context->paused = sys_tsc();
}

static void clock_go_on(const struct walk *walk)
{
    struct context *context = walk->context;
    event_clock_go_on(context);
    if (walk->cache->contexts && walk->cache->contexts->ticks_some)
        node_stay_resume(context, context->paused, sys_tsc());
    if (!context->paused)
        return;
    uint64_t now = sys_tsc(), ticks = now - context->paused;
    if (context->node_timed) /* it may have begun meanwhile */
        context->node_began +=
            context->node_began < context->paused ? ticks : now - context->node_began;
    if (walk->cache->plan)
        passages_pause(walk->cache->plan, context, ticks);
    context->paused = 0;
}

/* Runs code until it leaves. `midway`: the program is inside a superblock, where context.pc and the
 * registers are not its state, so a signal cannot be delivered before the code runs: it is delayed.
 */
static void enter(struct walk *walk, uint64_t code, bool midway)
{
    struct context *context = walk->context;
    for (;;) {
        clock_go_on(walk);
        context_enter(context, code);
        clock_stop(context);
        if (!midway || context->leave != LEAVE_SIGNAL || !walk->put_off)
            return;
        walk->put_off(walk);
    }
}

/* Runs a superblock until it leaves to something that is not done on the way. */
static void run(struct walk *walk, const struct copied_block *block)
{
    struct context *context = walk->context;
    uint64_t code = block->entry;
    bool midway = false;
    context->slot_r11 = context->gpr[R11]; /* not midway, where it is only in its slot, perhaps */
    while (code) {
        enter(walk, code, midway);
        midway = true;
        switch (context->leave) {
        case LEAVE_GUARD:
            walk->guards++;
            code = cache_pass(walk->cache, context->exit);
            break;
        case LEAVE_PLAN:
            left_apply(walk);
            code = context->resume;
            break;
        default: return;
        }
    }
}

/* Handles a leave; LOSS_N with *ret_arrival set to go on, or with *ret_done to end. */
static uint32_t leave(struct walk *walk, enum arrival *ret_arrival, bool *ret_done)
{
    struct context *context = walk->context;
    const struct exit *exit = cache_exit(walk->cache, context->exit);
    *ret_arrival = ARRIVAL_NEW;
    walk->from = 0;
    walk->moved |= context->leave != LEAVE_SIGNAL;
    switch ((enum leave)context->leave) {
    case LEAVE_DIRECT:
        context->pc = exit->target;
        path_apply(exit_path(exit), context);
        *ret_arrival = ARRIVAL_DIRECT;
        break;
    case LEAVE_LAZY:
        context->pc = exit->target;
        *ret_arrival = ARRIVAL_LAZY;
        *ret_done = exit_work(walk, exit);
        break;
    case LEAVE_INDIRECT: *ret_arrival = ARRIVAL_INDIRECT; break;
    case LEAVE_SITE:
        *ret_arrival = ARRIVAL_SITE;
        walk->from = exit->target;
        path_apply(exit_path(exit), context);
        break;
    case LEAVE_BUDGET:
        context->pc = exit->target;
        *ret_done = true;
        break;
    case LEAVE_BUDGET_INDIRECT: *ret_done = true; break;
    case LEAVE_STOP:
        context->pc = exit->target;
        exit_work(walk, exit);
        break;
    case LEAVE_SIGNAL: *ret_done = true; break;
    case LEAVE_GUARD: /* what was owed on the way to it is paid here */
        context->pc = walk->cache->superblocks[context->exit].pc;
        debt_charge(context, walk->cache->superblocks[context->exit].debt);
        *ret_arrival = walk->cache->whole ? ARRIVAL_STALE : ARRIVAL_NEW;
        break;
    case LEAVE_PLAN: break; /* not seen here */
    case LEAVE_STEP:
        *ret_done = exit_work(walk, exit);
        context->pc = exit->link;
        if (!walk->step(walk, exit->target))
            return LOSS_at_trap;
        if (context->pc != exit->target)
            *ret_arrival = ARRIVAL_INDIRECT;
        break;
    case LEAVE_SYSCALL:
        *ret_done = exit_work(walk, exit);
        return walk->syscall(walk, exit->target) ? LOSS_N : LOSS_at_syscall;
    }
    return LOSS_N;
}

uint32_t walk_run(struct walk *walk, enum flavour flavour)
{
    struct context *context = walk->context;
    enum arrival arrival = ARRIVAL_NEW;
    uint32_t generation = 0;
    bool timed = flavour == FLAVOUR_PLAIN;
    uint64_t left = timed ? sys_tsc() : 0;
    for (;;) {
        uint32_t refusal;
        const struct copied_block *block = block_next(walk, flavour, arrival, generation, &refusal);
        if (!block) {
            arrival_apply(walk, arrival);
            return refusal;
        }
        generation = __atomic_load_n(&walk->cache->generation, __ATOMIC_ACQUIRE);
        arrival_apply(walk, arrival);
        debt_charge(context, -block->debt);
        walk->between_ticks += timed ? sys_tsc() - left : 0;
        run(walk, block);
        left = timed ? sys_tsc() : 0;
        bool done = false;
        uint32_t stop = leave(walk, &arrival, &done);
        if (done || stop != LOSS_N)
            return stop;
    }
}
