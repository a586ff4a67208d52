#include "analysis/loops/loop_memory.h"

void loop_memory_init(struct loop_memory *memory)
{
    *memory = (struct loop_memory){0};
    map_init(&memory->words, sizeof(uint64_t));
}

void loop_memory_release(struct loop_memory *memory)
{
    map_release(&memory->words);
    vec_release(&memory->cells);
}

void loop_memory_store(struct loop_memory *memory, uint64_t address, uint32_t bytes, uint32_t step)
{
    for (uint32_t i = 0; i < bytes; i++) {
        uint64_t word = (address + i) / 8;
        uint32_t n = memory->words.n, index = map_add(&memory->words, &word);
        if (index == n)
            *vec_push(&memory->cells) = (struct loop_cell){{0}};
        uint32_t *steps = memory->cells.at[index].steps;
        for (; i < bytes && (address + i) / 8 == word; i++)
            steps[(address + i) % 8] = step + 1;
        i--;
    }
}

uint32_t loop_memory_load(const struct loop_memory *memory, uint64_t address, uint32_t bytes)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        uint64_t word = (address + i) / 8;
        uint32_t index = map_find(&memory->words, &word);
        for (; i < bytes && (address + i) / 8 == word; i++)
            if (index != MAP_NONE && memory->cells.at[index].steps[(address + i) % 8] > last)
                last = memory->cells.at[index].steps[(address + i) % 8];
        i--;
    }
    return last ? last - 1 : LOOP_NOT_STORED;
}
