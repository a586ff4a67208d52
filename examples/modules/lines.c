/* Which cache lines, and which pages they are of, an access goes to. */
#include "gait-module.h"

#include <stdio.h>

static uint32_t wants(const struct gait_instruction *instruction)
{
    return instruction->loads || instruction->stores ? GAIT_ADDRESS : 0;
}

static void take(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n,
                 gait_emit *emit, void *to)
{
    (void)scale;
    for (size_t i = 0; i < n; i++)
        emit(to, tuples[i].place, tuples[i].words[0] & ~(uint64_t)63);
}

static void format(uint64_t value, char *text, size_t room)
{
    snprintf(text, room, "page 0x%llx, line %llu", (unsigned long long)value >> 12,
             (unsigned long long)value % 4096 / 64);
}

const struct gait_module gait_module = {
    GAIT_MODULE_VERSION, "lines and pages", GAIT_ADDRESS, wants, take, format};
