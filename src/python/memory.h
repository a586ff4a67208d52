/* Memory of a process that runs Python: the agent's own, or that of another process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct python_memory {
    /* False: not all of it is there. */
    bool (*read)(void *closure, uint64_t from, void *to, uint64_t bytes);
    void *closure;
};

static inline bool python_read(const struct python_memory *memory, uint64_t from, void *to,
                               uint64_t bytes)
{
    return memory->read(memory->closure, from, to, bytes);
}

/* 0: not there. */
static inline uint64_t python_word(const struct python_memory *memory, uint64_t from)
{
    uint64_t word;
    return python_read(memory, from, &word, sizeof word) ? word : 0;
}
