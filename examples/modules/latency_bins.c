/* Load latencies in bins, by the limits that gait has measured on this machine. */
#include "gait-module.h"

#include <stdio.h>

static uint32_t wants(const struct gait_instruction *instruction)
{
    return instruction->loads ? GAIT_LATENCY : 0;
}

static void take(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n,
                 gait_emit *emit, void *to)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t ticks = tuples[i].words[0];
        emit(to, tuples[i].place,
             ticks <= scale->near_max     ? 0
             : ticks <= scale->l3_max     ? 1
             : ticks <= scale->memory_max ? 2
                                          : 3);
    }
}

static void format(uint64_t value, char *text, size_t room)
{
    static const char *const names[] = {"near", "third cache", "memory", "longer"};
    snprintf(text, room, "%s", value < 4 ? names[value] : "?");
}

const struct gait_module gait_module = {
    GAIT_MODULE_VERSION, "latency bins", GAIT_LATENCY, wants, take, format};
