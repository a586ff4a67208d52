#include "core/ports.h"

void ports_init(struct core *core)
{
    const struct model *model = core->model;
    for (size_t i = 0; i < model->ops.n; i++)
        for (uint32_t port = 0; port < model->n_ports; port++)
            core->port_users[port] += model->ops.at[i].ports >> port & 1;
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

/* Of several free ports the one that fewest other kinds of operations want. */
static uint32_t port_pick(const struct core *core, uint32_t free)
{
    uint32_t best = 0, users = UINT32_MAX;
    for (uint32_t left = free; left; left &= left - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(left);
        if (core->port_users[port] < users) {
            users = core->port_users[port];
            best = port;
        }
    }
    return best;
}

uint64_t port_take(struct core *core, uint32_t ports, uint64_t ready, uint32_t every)
{
    for (;; ready++) {
        uint32_t free = ports & ~cycle_at(core, ready)->busy;
        for (uint32_t i = 1; i < every && free; i++)
            free &= ~cycle_at(core, ready + i)->busy;
        if (!free)
            continue;
        uint32_t mask = free & (free - 1) ? 1u << port_pick(core, free) : free;
        for (uint32_t i = 0; i < every; i++)
            cycle_at(core, ready + i)->busy |= mask;
        return ready;
    }
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
