/* Ports, each of which takes one operation a cycle, and places in schedulers. */
#pragma once

#include "model/core/state.h"

void ports_init(struct core *core);

/* The first cycle from `ready` on in which one of these ports is free for `every` cycles; it is
 * taken. */
uint64_t port_take(struct core *core, uint32_t ports, uint64_t ready, uint32_t every);
/* The same of a load, which needs its bank of the first cache, too. */
uint64_t port_take_load(struct core *core, uint32_t ports, uint64_t ready, uint64_t address);

/* None of these ports takes anything for so many cycles. */
void ports_block(struct core *core, uint32_t ports, uint64_t from, uint32_t cycles);

/* The first cycle from `time` on in which there is a place. */
uint64_t pool_wait(struct pool *pool, uint64_t time);
/* Takes one until `leaves`. */
void pool_take(struct pool *pool, uint64_t leaves);
