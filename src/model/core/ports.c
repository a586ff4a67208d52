#include "model/core/ports.h"

void ports_init(struct core *core)
{
    for (uint32_t i = 0; i < RING_CYCLES; i++)
        core->ports[i].cycle = UINT32_MAX;
}

static struct port_cycle *cycle_at(struct core *core, uint64_t cycle)
{
    struct port_cycle *at = &core->ports[cycle & RING_MASK];
    if (at->cycle != (uint32_t)cycle) {
        at->cycle = (uint32_t)cycle;
        at->busy = 0;
    }
    return at;
}

static uint8_t *bank_at(struct core *core, uint64_t address, uint64_t cycle)
{
    struct bank_cycle *at = &core->banks[cycle & RING_MASK];
    if (at->cycle != (uint32_t)cycle)
        *at = (struct bank_cycle){.cycle = (uint32_t)cycle};
    return &at->loads[address >> BANK_BITS & (BANKS - 1)];
}

/* Who could go to several ports goes to the one that is wanted least by those who have less choice:
 * as a core does that looks at the lengths of its queues. */
static uint32_t port_pick(const struct core *core, uint32_t free)
{
    uint32_t best = 0, wanted = UINT32_MAX;
    for (uint32_t left = free; left; left &= left - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(left);
        if (core->port_wanted[port] < wanted) {
            wanted = core->port_wanted[port];
            best = port;
        }
    }
    return best;
}

static void ports_want(struct core *core, uint32_t ports)
{
    enum { WANT = 840, TURN = 64 };
    static const uint16_t shares[] = {0, WANT, WANT / 2, WANT / 3, WANT / 4, WANT / 5, WANT / 6};
    uint32_t n = 0;
    for (uint32_t left = ports; left && n < sizeof shares / sizeof *shares - 1; left &= left - 1)
        n++;
    for (uint32_t left = ports; left; left &= left - 1)
        core->port_wanted[__builtin_ctz(left)] += shares[n];
    if (++core->port_takes % TURN == 0)
        for (uint32_t port = 0; port < core->model->n_ports; port++)
            core->port_wanted[port] /= 2;
}

uint64_t port_take(struct core *core, uint32_t ports, uint64_t ready, uint32_t every)
{
    ports_want(core, ports);
    for (;; ready++) {
        uint32_t free = ports & ~cycle_at(core, ready)->busy;
        for (uint32_t i = 1; i < every && free; i++)
            free &= ~cycle_at(core, ready + i)->busy;
        if (!free)
            continue;
        uint32_t mask = free & (free - 1) ? 1u << port_pick(core, free) : free;
        for (uint32_t i = 0; i < every; i++)
            cycle_at(core, ready + i)->busy |= mask;
        core->port = (uint32_t)__builtin_ctz(mask);
        return ready;
    }
}

uint64_t port_take_load(struct core *core, uint32_t ports, uint64_t ready, uint64_t address)
{
    uint32_t most = core->model->bank_loads;
    if (!most)
        return port_take(core, ports, ready, 1);
    while (*bank_at(core, address, ready) >= most)
        ready++;
    uint64_t issue = port_take(core, ports, ready, 1);
    while (*bank_at(core, address, issue) >= most)
        issue++;
    ++*bank_at(core, address, issue);
    return issue;
}

void ports_block(struct core *core, uint32_t ports, uint64_t from, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++)
        cycle_at(core, from + i)->busy |= ports;
}

static void pool_drain(struct pool *pool, uint64_t time)
{
    /* Nobody plans more than a turn ahead: one turn empties it. */
    for (uint32_t turn = 0; pool->cycle < time && turn < RING_CYCLES; turn++) {
        uint16_t *leaves = &pool->leaves[++pool->cycle & RING_MASK];
        pool->used -= *leaves;
        *leaves = 0;
    }
    if (pool->cycle < time)
        pool->cycle = time;
}

uint64_t pool_wait(struct pool *pool, uint64_t time)
{
    pool_drain(pool, time);
    while (pool->used >= pool->size)
        pool_drain(pool, pool->cycle + 1);
    return pool->cycle > time ? pool->cycle : time;
}

void pool_take(struct pool *pool, uint64_t leaves)
{
    if (leaves <= pool->cycle)
        return;
    if (leaves > pool->cycle + RING_MASK)
        leaves = pool->cycle + RING_MASK;
    pool->leaves[leaves & RING_MASK]++;
    pool->used++;
}
