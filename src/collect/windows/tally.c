#include "collect/windows/tally.h"

#include "base/memory.h"

enum { SLOTS_FIRST = 1 << 10 }; /* a power of two */

/* 16 bits of an address stand for it: that a walk goes on where it should is a check against
 * garbled memory, not a proof. They are odd; the even ones are for what has no address. */
enum mark { MARK_ANYWHERE = 0, MARK_RETURN = 2, MARK_NO_EXIT = 4 };

static uint16_t mark_of(uint64_t address)
{
    return (uint16_t)(address * 0x9E3779B97F4A7C15u >> 48 | 1);
}

void tally_init(struct tally *tally)
{
    *tally = (struct tally){.n_slots = SLOTS_FIRST};
    tally->slots = mem_alloc(SLOTS_FIRST * sizeof *tally->slots);
}

void tally_release(struct tally *tally)
{
    mem_free(tally->slots);
    vec_release(&tally->exits);
    vec_release(&tally->ways);
    vec_release(&tally->exits_seen);
    vec_release(&tally->turns);
    vec_release(&tally->slots_seen);
    vec_release(&tally->blocks_touched);
    vec_release(&tally->ways_touched);
}

static void touch(struct tally_bits *bits, uint32_t index)
{
    bits->at[index / 64] |= (uint64_t)1 << index % 64;
}

static void bits_reach(struct tally_bits *bits, uint32_t index)
{
    while (bits->n <= index / 64)
        *vec_push(bits) = 0;
}

void tally_exit_add(struct tally *tally, uint32_t id, uint32_t block, uint64_t start,
                    uint64_t target, uint32_t instructions, bool is_return)
{
    while (tally->exits.n <= id)
        *vec_push(&tally->exits) = (struct tally_exit){.start = MARK_NO_EXIT};
    tally->exits.at[id] = (struct tally_exit){.start = mark_of(start),
                                              .target = target      ? mark_of(target)
                                                        : is_return ? MARK_RETURN
                                                                    : MARK_ANYWHERE,
                                              .block = block,
                                              .instructions = instructions};
    bits_reach(&tally->blocks_touched, block);
}

/* ---- ways */

static struct tally_slot *slot_find(const struct tally *tally, uint32_t exit, uint32_t block)
{
    uint32_t mask = tally->n_slots - 1;
    uint64_t hash = ((uint64_t)exit << 32 | block) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(hash >> 32) & mask;
    while (tally->slots[at].way &&
           (tally->slots[at].exit != exit || tally->slots[at].block != block))
        at = (at + 1) & mask;
    return &tally->slots[at];
}

/* Room for so many more, so that slots stay where they are within a window. */
static void slots_reserve(struct tally *tally, size_t more)
{
    if ((tally->ways.n + more) * 4 <= tally->n_slots)
        return;
    while ((tally->ways.n + more) * 4 > tally->n_slots)
        tally->n_slots *= 2;
    mem_free(tally->slots);
    tally->slots = mem_alloc(tally->n_slots * sizeof *tally->slots);
    for (uint32_t i = 0; i < tally->ways.n; i++) {
        const struct tally_way *way = &tally->ways.at[i];
        *slot_find(tally, way->exit, way->block) =
            (struct tally_slot){.exit = way->exit, .block = way->block, .way = i + 1};
    }
}

static void slot_fill(struct tally *tally, struct tally_slot *slot, uint32_t exit, uint32_t block)
{
    *vec_push(&tally->ways) = (struct tally_way){.exit = exit, .block = block};
    bits_reach(&tally->ways_touched, (uint32_t)tally->ways.n - 1);
    *slot = (struct tally_slot){.exit = exit, .block = block, .way = (uint32_t)tally->ways.n};
}

/* `turns` are the positions of exits that do not start where the exit before goes. False: one of
 * them should. */
static bool count_ways(struct tally *tally, const uint32_t *exits)
{
    size_t n = tally->turns.n, i = 0;
    slots_reserve(tally, n);
    vec_reserve(&tally->slots_seen, n + 1);
    uint32_t *seen = tally->slots_seen.at;
    for (; i < n; i++) {
        uint32_t at = tally->turns.at[i], exit = exits[at - 1];
        const struct tally_exit *from = &tally->exits.at[exit], *to = &tally->exits.at[exits[at]];
        if (from->target & 1 || !(to->start & 1))
            break;
        if (from->target == MARK_RETURN)
            exit = TALLY_ANYWHERE;
        struct tally_slot *slot = slot_find(tally, exit, to->block);
        if (!slot->way)
            slot_fill(tally, slot, exit, to->block);
        *seen = (uint32_t)(slot - tally->slots);
        seen += !slot->seen;
        slot->seen++;
    }
    tally->slots_seen.n = (size_t)(seen - tally->slots_seen.at);
    return i == n;
}

/* ---- windows */

/* Which exits are new to the window and where turns are is written down in any case and kept only
 * if it is so: cheaper than asking. */
static bool count_exits(struct tally *tally, const uint32_t *exits, uint32_t n)
{
    vec_reserve(&tally->exits_seen, (size_t)n + 1);
    vec_reserve(&tally->turns, (size_t)n + 1);
    uint32_t *seen = tally->exits_seen.at, *turn = tally->turns.at;
    struct tally_exit *const known = tally->exits.at;
    const size_t n_known = tally->exits.n;
    uint32_t i = 0, expected = n && exits[0] < n_known ? known[exits[0]].start : 0;
    for (; i < n && exits[i] < n_known; i++) {
        struct tally_exit *exit = &known[exits[i]];
        *turn = i;
        turn += expected != exit->start;
        *seen = exits[i];
        seen += !exit->seen;
        exit->seen++;
        expected = exit->target;
    }
    tally->exits_seen.n = (size_t)(seen - tally->exits_seen.at);
    tally->turns.n = (size_t)(turn - tally->turns.at);
    return i == n && n && known[exits[0]].start & 1 && count_ways(tally, exits);
}

bool tally_window(struct tally *tally, const uint32_t *exits, uint32_t n,
                  struct tally_window *ret_window)
{
    struct tally_window window = {0};
    if (!count_exits(tally, exits, n))
        return false;
    for (size_t i = 0; i < tally->exits_seen.n; i++) {
        uint32_t exit = tally->exits_seen.at[i];
        uint64_t ran = (uint64_t)tally->exits.at[exit].seen * tally->exits.at[exit].instructions;
        window.instructions += ran;
        if (ran > window.most) {
            window.most = ran;
            window.most_exit = exit;
        }
    }
    *ret_window = window;
    return true;
}

static bool is_exit(const struct tally *tally, uint32_t exit)
{
    return exit < tally->exits.n && tally->exits.at[exit].start & 1;
}

static void way_see(struct tally *tally, const struct tally_sighting *sighting)
{
    uint32_t block = tally->exits.at[sighting->next].block;
    bool returns = tally->exits.at[sighting->exit].target == MARK_RETURN;
    uint32_t exit = returns ? TALLY_ANYWHERE : sighting->exit;
    struct tally_slot *slot = slot_find(tally, exit, block);
    if (!slot->way)
        slot_fill(tally, slot, exit, block);
    if (!slot->seen)
        *vec_push(&tally->slots_seen) = (uint32_t)(slot - tally->slots);
    slot->seen += sighting->seen;
}

uint64_t tally_sightings(struct tally *tally, const struct tally_sighting *sightings, size_t n)
{
    uint64_t nobodys = 0;
    slots_reserve(tally, n);
    for (size_t i = 0; i < n; i++) {
        const struct tally_sighting *sighting = &sightings[i];
        if (!is_exit(tally, sighting->exit) || !sighting->seen) {
            nobodys++;
            continue;
        }
        struct tally_exit *exit = &tally->exits.at[sighting->exit];
        if (!exit->seen)
            *vec_push(&tally->exits_seen) = sighting->exit;
        exit->seen += sighting->seen;
        if (!tally_goes(tally, sighting->exit) && sighting->next && is_exit(tally, sighting->next))
            way_see(tally, sighting);
    }
    return nobodys;
}

/* ---- weights */

/* Division by the window's length, once for many: by multiplication with its inverse. */
struct divisor {
    const struct tally_weight *weight;
    uint64_t inverse; /* 2^64 / instructions, rounded up; 0: it would not be exact enough */
};

/* Exact while dividend * instructions < 2^64; no ring holds 2^20 exits. */
static struct divisor divisor_of(const struct tally_weight *weight)
{
    uint64_t n = weight->instructions;
    bool exact = n > 1 && n < UINT32_MAX && n * weight->units < (uint64_t)1 << 43;
    return (struct divisor){.weight = weight, .inverse = exact ? UINT64_MAX / n + 1 : 0};
}

static uint64_t units_of(const struct divisor *divisor, uint64_t seen)
{
    const struct tally_weight *weight = divisor->weight;
    if (!divisor->inverse)
        return tally_units(weight, seen);
    uint64_t dividend = seen * weight->units + weight->instructions / 2;
    return (uint64_t)((u128)dividend * divisor->inverse >> 64);
}

static void weigh(struct tally_flow *flow, const struct divisor *divisor, uint32_t seen)
{
    uint64_t units = units_of(divisor, seen);
    flow->time += units;
    flow->count += units * divisor->weight->rate;
}

static void window_weigh(struct tally *tally, const struct divisor *divisor)
{
    for (size_t i = 0; i < tally->exits_seen.n; i++) {
        struct tally_exit *exit = &tally->exits.at[tally->exits_seen.at[i]];
        weigh(&exit->flow, divisor, exit->seen);
        touch(&tally->blocks_touched, exit->block);
        exit->seen = 0;
    }
    for (size_t i = 0; i < tally->slots_seen.n; i++) {
        struct tally_slot *slot = &tally->slots[tally->slots_seen.at[i]];
        weigh(&tally->ways.at[slot->way - 1].flow, divisor, slot->seen);
        touch(&tally->ways_touched, slot->way - 1);
        slot->seen = 0;
    }
}

static void window_forget(struct tally *tally)
{
    for (size_t i = 0; i < tally->exits_seen.n; i++)
        tally->exits.at[tally->exits_seen.at[i]].seen = 0;
    for (size_t i = 0; i < tally->slots_seen.n; i++)
        tally->slots[tally->slots_seen.at[i]].seen = 0;
}

void tally_weigh(struct tally *tally, const struct tally_weight *weight)
{
    struct divisor divisor = divisor_of(weight);
    if (weight->instructions)
        window_weigh(tally, &divisor);
    else
        window_forget(tally);
    tally->exits_seen.n = tally->slots_seen.n = 0;
}
