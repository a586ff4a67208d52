#include "values/payloads.h"

const char *payload_kind_name(enum payload_kind kind)
{
    static const char *const names[PAYLOAD_KINDS] = {
        [PAYLOAD_ADDRESS] = "address",
        [PAYLOAD_PUSH] = "push",
        [PAYLOAD_POP] = "pop",
        [PAYLOAD_SOURCE] = "source",
        [PAYLOAD_DESTINATION] = "destination",
        [PAYLOAD_COUNT] = "count",
        [PAYLOAD_GATHER_BASE] = "gather-base",
        [PAYLOAD_GATHER_INDEX] = "gather-index",
        [PAYLOAD_GATHER_MASK] = "gather-mask",
        [PAYLOAD_OPERAND] = "operand",
        [PAYLOAD_RESULT] = "result",
        [PAYLOAD_VECTOR] = "vector",
        [PAYLOAD_LATENCY] = "latency",
        [PAYLOAD_ARGUMENT] = "argument",
        [PAYLOAD_RETURNED] = "returned",
        [PAYLOAD_SYSCALL] = "syscall",
    };
    return names[kind] ? names[kind] : "none";
}

/* What one exit says of its superblock. */
struct visit {
    const struct superblock *superblock;
    uint32_t instructions; /* executed */
};

/* False: the exit is nobody's. */
static bool visit_find(const struct units *units, uint32_t exit, struct visit *ret)
{
    int32_t owner = units_owner(units, exit);
    if (owner == UNIT_NONE)
        return false;
    *ret = (struct visit){.superblock = &units->superblocks.at[owner]};
    uint32_t last = superblock_last_segment(ret->superblock, exit - ret->superblock->first_exit);
    for (uint32_t s = 0; s <= last; s++)
        ret->instructions += units->segments.at[ret->superblock->first_segment + s].instructions;
    return true;
}

static bool executed(const struct wire_payload *item, const struct visit *visit)
{
    return item->instruction < visit->instructions;
}

bool payload_part(const struct units *units, uint32_t exit, struct payload_part *ret)
{
    struct visit visit;
    if (!visit_find(units, exit, &visit))
        return false;
    const struct wire_payload *items = &units->payload.at[visit.superblock->first_item];
    *ret = (struct payload_part){.first_item = visit.superblock->first_item};
    while (ret->n_items < visit.superblock->n_items && executed(&items[ret->n_items], &visit))
        ret->words += items[ret->n_items++].words;
    return true;
}

const struct wire_payload *payload_word(const struct units *units, uint32_t first_exit,
                                        uint32_t word, struct place *ret_at)
{
    int32_t owner = units_owner(units, first_exit);
    if (owner == UNIT_NONE)
        return NULL;
    const struct superblock *superblock = &units->superblocks.at[owner];
    const struct unit_segment *segment = &units->segments.at[superblock->first_segment];
    const struct unit_segment *behind = segment + superblock->n_segments;
    const struct wire_payload *item = &units->payload.at[superblock->first_item];
    const struct wire_payload *end = item + superblock->n_items;
    uint32_t before = 0, words = 0;
    for (; item < end && words < word; item++)
        words += item->words;
    if (item == end || words != word)
        return NULL;
    while (segment < behind && item->instruction >= before + segment->instructions)
        before += segment++->instructions;
    if (segment == behind)
        return NULL;
    *ret_at = (struct place){segment->at.module, {segment->at.address.v + item->offset}};
    return item;
}

uint64_t payloads_words(const struct units *units, const uint32_t *exits, uint32_t n)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct payload_part part;
        if (!payload_part(units, exits[i], &part))
            return UINT64_MAX;
        words += part.words;
    }
    return words;
}

struct reading {
    const struct units *units;
    struct payload_sum *sum;
    struct payload_consumer *const *consumers;
    size_t n_consumers;
    struct payload_event event;
};

static const uint64_t *visit_read(struct reading *reading, const struct visit *visit,
                                  const uint64_t *words)
{
    const struct units *units = reading->units;
    const struct wire_payload *items = &units->payload.at[visit->superblock->first_item];
    const struct unit_segment *segment = &units->segments.at[visit->superblock->first_segment];
    uint32_t before = 0;
    for (uint32_t i = 0; i < visit->superblock->n_items && executed(&items[i], visit); i++) {
        while (items[i].instruction >= before + segment->instructions)
            before += segment++->instructions;
        reading->sum->events[items[i].kind]++;
        reading->sum->timed += items[i].kind == PAYLOAD_LATENCY && *words;
        reading->event.pc = segment->start + items[i].offset;
        reading->event.at =
            (struct place){segment->at.module, {segment->at.address.v + items[i].offset}};
        reading->event.item = &items[i];
        reading->event.words = words;
        for (size_t c = 0; c < reading->n_consumers; c++)
            reading->consumers[c]->event(reading->consumers[c], &reading->event);
        reading->event.first = false;
        words += items[i].words;
    }
    reading->sum->instructions += visit->instructions;
    reading->sum->left_out += visit->superblock->left_out;
    return words;
}

void payloads_read(const struct units *units, const struct payload_window *window,
                   struct payload_sum *sum, struct payload_consumer *const *consumers,
                   size_t n_consumers)
{
    if (payloads_words(units, window->exits, window->n_exits) != window->n_words) {
        sum->astray++;
        return;
    }
    struct reading reading = {.units = units,
                              .sum = sum,
                              .consumers = consumers,
                              .n_consumers = n_consumers,
                              .event = {.tid = window->tid, .first = true}};
    const uint64_t *words = window->words;
    sum->windows++;
    for (uint32_t i = 0; i < window->n_exits; i++) {
        struct visit visit;
        if (visit_find(units, window->exits[i], &visit))
            words = visit_read(&reading, &visit, words);
    }
}

void payload_sum_exit(struct payload_sum *sum, const struct units *units, uint32_t exit,
                      uint64_t times)
{
    struct visit visit;
    struct payload_part part;
    if (!visit_find(units, exit, &visit) || !payload_part(units, exit, &part))
        return;
    for (uint32_t i = 0; i < part.n_items; i++)
        sum->events[units->payload.at[part.first_item + i].kind] += times;
    sum->instructions += visit.instructions * times;
    sum->left_out += visit.superblock->left_out * times;
}

void payload_sum_add(struct payload_sum *sum, const struct payload_sum *more)
{
    sum->windows += more->windows;
    sum->instructions += more->instructions;
    for (uint32_t i = 0; i < PAYLOAD_KINDS; i++)
        sum->events[i] += more->events[i];
    sum->timed += more->timed;
    sum->left_out += more->left_out;
    sum->astray += more->astray;
}
