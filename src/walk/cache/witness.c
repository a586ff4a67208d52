#include "walk/cache/witness.h"

#include "walk/base/probe.h"

static bool line_add(struct witness *witness, uint64_t at)
{
    uint32_t slot = (uint32_t)((at * UINT64_C(0x9E3779B97F4A7C15)) >> 48);
    while (witness->index[slot] && witness->lines[witness->index[slot] - 1].at != at)
        slot = (slot + 1) & (WITNESS_INDEX - 1);
    if (witness->index[slot])
        return true;
    if (witness->n == WITNESS_LINES)
        return false;
    witness->lines[witness->n] = (struct witness_line){at, probe_sum(at)};
    __atomic_store_n(&witness->n, witness->n + 1, __ATOMIC_RELEASE);
    witness->index[slot] = witness->n;
    return true;
}

bool witness_add(struct witness *witness, uint64_t start, uint64_t bytes)
{
    uint64_t at = start & ~(uint64_t)(PROBE_LINE_BYTES - 1);
    for (; at < start + bytes; at += PROBE_LINE_BYTES)
        if (!line_add(witness, at))
            return false;
    return true;
}

bool witness_holds(const struct witness *witness)
{
    uint32_t n = __atomic_load_n(&witness->n, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (probe_sum(witness->lines[i].at) != witness->lines[i].sum)
            return false;
    return true;
}

void witness_forget(struct witness *witness)
{
    for (uint32_t i = 0; witness->n && i < WITNESS_INDEX; i++)
        if (witness->index[i])
            witness->index[i] = 0;
    __atomic_store_n(&witness->n, 0, __ATOMIC_RELEASE);
}
