#include "export/compilers/source_counts_build.h"

#include "export/compilers/recorded.h"
#include "program/binary.h"
#include "program/elf/symtab.h"

void source_unrecorded_add(struct source_counts *counts)
{
    const struct recorded_starts *starts = &counts->recorded->starts;
    const struct inlines *inlines = counts->code->binary->inlines;
    struct map ran;
    map_init(&ran, sizeof(uint32_t));
    for (size_t i = 0; i < starts->n; i++) {
        uint32_t name = i && starts->at[i] == starts->at[i - 1]
                            ? BODY_NONE
                            : source_function_name(counts, starts->at[i]);
        if (name != BODY_NONE)
            map_add(&ran, &name);
    }
    for (size_t i = 0; i < inlines->stretches.n; i++) {
        const struct stretch *stretch = &inlines->stretches.at[i];
        uint32_t name = source_function_name(counts, stretch->start);
        if (name != BODY_NONE && map_find(&ran, &name) != MAP_NONE)
            source_block_add(
                counts, &(struct code_block){.start = stretch->start,
                                             .bytes = (uint32_t)(stretch->end - stretch->start)});
    }
    map_release(&ran);
}

/* How many pieces of code have each name. */
static void ranges_count(struct source_counts *counts)
{
    const struct code_ranges *ranges = &counts->code->binary->symbols.ranges;
    for (size_t i = 0; i < ranges->n; i++) {
        uint32_t name = source_function_name(counts, ranges->at[i].start.v);
        uint32_t index = name == BODY_NONE ? MAP_NONE : map_add(&counts->ranges, &name);
        if (index == MAP_NONE)
            continue;
        if (index == counts->n_ranges.n)
            *vec_push(&counts->n_ranges) = 0;
        counts->n_ranges.at[index]++;
    }
}

/* Of several symbols at one address, functions have the name of one. */
static bool symbol_is(struct source_counts *counts, struct svma at, uint32_t name)
{
    struct symtab symtab;
    bool found = false;
    symtab_read_between(&symtab, &counts->code->binary->image, at, (struct svma){at.v + 1});
    for (size_t i = 0; i < symtab.n && !found; i++)
        found = source_name_add(counts, symtab.at[i].name) == name;
    symtab_release(&symtab);
    return found;
}

bool source_entry_believed(struct source_counts *counts, function_id function, uint32_t name)
{
    if (!counts->recorded)
        return true;
    if (!counts->n_ranges.n)
        ranges_count(counts);
    const struct function *at = &counts->code->binary->symbols.functions.at[function];
    uint32_t index = map_find(&counts->ranges, &name);
    return source_name_add(counts, at->name) == name ||
           (index != MAP_NONE && counts->n_ranges.at[index] == 1) ||
           symbol_is(counts, at->start, name);
}
