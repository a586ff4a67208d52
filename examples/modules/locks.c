/* Which addresses locked instructions lock. */
#include "gait-module.h"

#include <stdio.h>
#include <string.h>

static uint32_t wants(const struct gait_instruction *instruction)
{
    int swaps = !strcmp(instruction->mnemonic, "xchg") && instruction->stores;
    return instruction->locked || swaps ? GAIT_ADDRESS : 0;
}

static void take(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n,
                 gait_emit *emit, void *to)
{
    (void)scale;
    for (size_t i = 0; i < n; i++)
        emit(to, tuples[i].place, tuples[i].words[0]);
}

static void format(uint64_t value, char *text, size_t room)
{
    snprintf(text, room, "lock at 0x%llx", (unsigned long long)value);
}

const struct gait_module gait_module = {
    GAIT_MODULE_VERSION, "locks", GAIT_ADDRESS, wants, take, format};
