#include "lab/events/line_counts.h"

/* No padding: compared by bytes. Lines of inlined functions are those of the function around them.
 */
struct line_key {
    uint64_t function, file; /* entry; one pointer per file */
    uint64_t line;
};

static bool key_of(const struct line_counts *counts, const struct cfg *cfg, struct svma at,
                   struct line_key *ret_key)
{
    struct line_place place;
    if (!lines_at(counts->lines, at, &place) || !place.line)
        return false;
    *ret_key = (struct line_key){cfg->entry.v, (uint64_t)(uintptr_t)place.file, place.line};
    return true;
}

void line_counts_open(struct line_counts *counts, struct binary *binary)
{
    *counts = (struct line_counts){.lines = binary_lines(binary)};
    map_init(&counts->keys, sizeof(struct line_key));
}

bool line_counts_known(const struct line_counts *counts)
{
    return counts->lines->runs.n;
}

void line_counts_close(struct line_counts *counts)
{
    map_release(&counts->keys);
    vec_release(counts);
}

void line_counts_add(struct line_counts *counts, const struct cfg *cfg, const struct flow *flow)
{
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        struct line_key key;
        if (!key_of(counts, cfg, cfg->instructions.at[i].at, &key))
            continue;
        uint32_t index = map_add(&counts->keys, &key);
        if (index == counts->n)
            *vec_push(counts) = 0;
        if (flow->instructions[i].count > counts->at[index])
            counts->at[index] = flow->instructions[i].count;
    }
}

uint64_t line_counts_block(const struct line_counts *counts, const struct cfg *cfg, block_id block)
{
    const struct cfg_block *of = &cfg->blocks.at[block];
    uint64_t n = 0;
    double sum = 0;
    for (uint32_t i = of->first; i < of->first + of->instructions; i++) {
        struct line_key key;
        uint32_t index = key_of(counts, cfg, cfg->instructions.at[i].at, &key)
                             ? map_find(&counts->keys, &key)
                             : MAP_NONE;
        if (index == MAP_NONE)
            continue;
        sum += (double)counts->at[index];
        n++;
    }
    return n ? (uint64_t)(sum / (double)n) : 0;
}
