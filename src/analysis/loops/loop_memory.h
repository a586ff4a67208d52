/* Which instruction of a window stored each byte last. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

enum { LOOP_NOT_STORED = UINT32_MAX };

struct loop_cell {
    uint32_t steps[8]; /* of each byte of a word: the step of the window, plus 1 */
};

struct loop_memory {
    struct map words;
    struct {
        VEC(struct loop_cell);
    } cells;
};

void loop_memory_init(struct loop_memory *memory);
void loop_memory_release(struct loop_memory *memory);
void loop_memory_store(struct loop_memory *memory, uint64_t address, uint32_t bytes, uint32_t step);
/* The last step that stored any of these bytes. */
uint32_t loop_memory_load(const struct loop_memory *memory, uint64_t address, uint32_t bytes);
