#include "walk/cache/cache_parts.h"

/* Count: the operations of a lazy exit, and those for code that does not know the register. */
static void exit_plan_write(struct cache *cache, const struct exit *exit, bool lazy,
                            const struct copied_block *to, struct code_cursor *hot,
                            struct code_cursor *cold)
{
    struct plan_room room = {
        .regions = cache->regions, .cold = cold, .pc = to->pc, .rotates = cache->rotates};
    struct plan_path path = exit_path(exit);
    if (lazy) {
        if (contexts_first(cache->contexts, exit->transfer))
            contexts_emit(cache->contexts, exit->transfer, hot, cold, &room);
        plan_emit(cache->plan, exit->plan, hot, &room, &path);
        if (contexts_last(cache->contexts, exit->transfer))
            contexts_emit(cache->contexts, exit->transfer, hot, cold, &room);
    }
    path = plan_enter(cache->plan, to->pc, path);
    if (!to->path.known)
        plan_settle(hot, &room, &path);
}

/* Writes an exit's work for its first taking; 0: no room, it stays with the dispatcher. */
static uint64_t exit_write(struct cache *cache, uint32_t id, bool lazy,
                           const struct copied_block *to)
{
    const struct exit *exit = cache_exit(cache, id);
    if (to->flavour == FLAVOUR_PLAIN && exit->owed == to->debt && !exit->counter)
        return to->entry;
    struct zone *zone = cache_zone(cache, to->pc, to->flavour, to->entry);
    struct zone *cold = cache_zone_cold(cache, to->pc, zone);
    if (!zone || !cold)
        return 0;
    struct code_cursor hot_cursor = zone_cursor(zone), cold_cursor = zone_cursor(cold);
    uint64_t runs_at = cursor_runs_at(&hot_cursor);
    struct entry_point target = {to->entry, to->debt, to->flags_free};
    if (to->flavour == FLAVOUR_COUNT)
        exit_plan_write(cache, exit, lazy, to, &hot_cursor, &cold_cursor);
    if (lazy)
        translate_exit(cache->regions, exit, id, &target, &hot_cursor, &cold_cursor);
    else
        emit_jump(&hot_cursor, to->entry);
    zones_advance(&cache->zones, zone, &hot_cursor);
    zones_advance(&cache->zones, cold, &cold_cursor);
    return runs_at;
}

/* From now on the exit goes there. */
static void exit_lead(struct cache *cache, const struct exit *exit, uint64_t next)
{
    uint8_t *field = (uint8_t *)exit->link;
    const struct zone *zone = &cache->zones.at[(size_t)(field - cache->zones.arena) / ZONE_BYTES];
    int64_t shift = (int64_t)zone->runs_at - (int64_t)zone->writable;
    int64_t distance = (int64_t)next - ((int64_t)field + shift + 4);
    if (exit->far)
        __atomic_store_n((uint64_t *)(void *)field, next, __ATOMIC_RELEASE);
    else if (distance == (int32_t)distance)
        __atomic_store_n((int32_t *)(void *)field, (int32_t)distance, __ATOMIC_RELEASE);
}

void cache_link(struct cache *cache, uint32_t id, bool lazy, const struct copied_block *to)
{
    struct exit *exit = cache_exit(cache, id);
    if (!exit->link || exit->linked || to->unbound)
        return;
    if (cache->waiting) {
        exit->visits++;
        return;
    }
    bool unsettled = to->flavour == FLAVOUR_COUNT && exit->path_known && !to->path.known;
    uint64_t next = lazy || unsettled ? exit_write(cache, id, lazy, to) : to->entry;
    if (!next)
        return;
    exit->linked = true;
    exit_lead(cache, exit, next);
}

void cache_unlink(struct cache *cache, uint32_t id)
{
    struct exit *exit = cache_exit(cache, id);
    if (exit->guessed && exit->linked)
        exit_lead(cache, exit, exit->path);
    exit->linked = false;
}

/* The exit at the end of the shape if it always leads to one place; 0: it does not. `ret_certain`:
 * whoever enters the shape reaches its end. */
static uint32_t end_exit(const struct shape *shape, const struct copied_block *block,
                         bool *ret_certain)
{
    uint32_t last = shape->n_segments - 1;
    uint8_t end = shape->segments[last].end;
    bool direct = end == SEGMENT_CALL || end == SEGMENT_JUMP || end == SEGMENT_SPLIT;
    *ret_certain = true;
    for (uint32_t i = 0; i < last; i++)
        *ret_certain = *ret_certain && shape->segments[i].end == SEGMENT_JUMP;
    return direct && !shape->stepped ? block->first_exit + last : 0;
}

void cache_follow(struct cache *cache, const struct wanted *wanted,
                  const struct copied_block *block)
{
    enum { AT_ONCE = 4 };
    struct wanted next = {.flavour = wanted->flavour, .max_segments = wanted->max_segments};
    bool follows = cache->whole && wanted->flavour == FLAVOUR_COUNT && !cache->plan &&
                   wanted->max_segments == SHAPE_SEGMENTS;
    for (uint32_t i = 0; follows && i < AT_ONCE; i++) {
        bool certain;
        uint32_t refusal, exit = end_exit(&cache->shape, block, &certain);
        next.pc = cache->shape.segments[cache->shape.n_segments - 1].target;
        if (!exit || cache->shape.kind != REGION_LASTING || !next.pc)
            return;
        struct copied_block *to = cache_find(cache, next.flavour, next.pc, next.max_segments);
        follows = !to && certain && regions_peek(cache->regions, next.pc);
        if (follows)
            to = cache_translate(cache, &next, &refusal);
        if (!to)
            return;
        cache_link(cache, exit, false, to);
        block = to;
    }
}

uint32_t cache_transfer(struct cache *cache, uint64_t from, uint64_t to)
{
    if (!cache->contexts)
        return 0;
    struct insn insn;
    size_t room = from ? regions_peek(cache->regions, from) : 0;
    bool call = room && insn_decode((const uint8_t *)from, room, &insn) && insn.class == INSN_ICALL;
    enum transfer_way way = !from ? WAY_RETURN : call ? WAY_COMPUTED_CALL : WAY_COMPUTED_JUMP;
    return contexts_transfer(cache->contexts, from, to, way);
}

void cache_publish(struct cache *cache)
{
    struct contexts *contexts = cache->contexts;
    while (contexts && contexts->n_published < contexts->n_functions) {
        struct wire_function *unit =
            unit_mark(&cache->units) ? unit_take(&cache->units, sizeof *unit) : NULL;
        if (!unit)
            return;
        uint32_t number = ++contexts->n_published;
        *unit = (struct wire_function){.kind = UNIT_FUNCTION,
                                       .bytes = sizeof *unit,
                                       .number = number,
                                       .start = contexts->functions[number].start};
        unit_publish(&cache->units, sizeof *unit, 0);
    }
}

/* False: no room; the next branch to it asks again. */
static bool land(struct cache *cache, uint64_t *slot, const struct copied_block *to,
                 const struct exit *from, uint32_t counter)
{
    struct zone *zone = cache_zone(cache, to->pc, to->flavour, to->entry);
    struct zone *cold = cache_zone_cold(cache, to->pc, zone);
    if (!zone || !cold)
        return false;
    struct code_cursor cursor = zone_cursor(zone), cold_cursor = zone_cursor(cold);
    uint64_t runs_at = cursor_runs_at(&cursor);
    struct landing landing = {.pc = to->pc,
                              .next = *slot,
                              .counter = counter,
                              .flags_free = to->flags_free,
                              .tally = to->flavour == FLAVOUR_PLAIN,
                              .debt = to->debt,
                              .plan = to->flavour == FLAVOUR_COUNT ? cache->plan : NULL,
                              .rotates = cache->rotates};
    if (landing.plan)
        landing.place = plan_arrival(cache->plan, from ? from->target : 0, to->pc);
    if (landing.plan && from)
        landing.before = exit_path(from);
    landing.entry = to->path;
    if (to->flavour == FLAVOUR_COUNT && cache->contexts) {
        landing.contexts = cache->contexts;
        landing.transfer = cache_transfer(cache, from ? from->target : 0, to->pc);
    }
    translate_landing(cache->regions, &landing, to->entry, &cursor, &cold_cursor);
    zones_advance(&cache->zones, zone, &cursor);
    zones_advance(&cache->zones, cold, &cold_cursor);
    __atomic_store_n(slot, runs_at, __ATOMIC_RELEASE);
    return true;
}

void cache_land(struct cache *cache, struct copied_block *to)
{
    uint64_t *slot = cache_landing_slot(cache, to->flavour, to->pc);
    if (to->landed)
        return;
    if (to->lands)
        __atomic_store_n(slot, to->code, __ATOMIC_RELEASE);
    to->landed = to->lands || land(cache, slot, to, NULL, 0);
}

uint32_t cache_pair(struct cache *cache, struct context *context, uint32_t exit, uint64_t target)
{
    struct wire_pair *pair = unit_take(&cache->units, sizeof *pair);
    if (!pair || cache->units.n_counters >= cache->units.max_counters)
        return 0;
    uint32_t counter = cache->units.n_counters;
    *pair = (struct wire_pair){.kind = UNIT_PAIR,
                               .bytes = sizeof *pair,
                               .exit = exit,
                               .counter = counter,
                               .target = target};
    if (cache->tallies)
        context_tallies(context)[counter] = 1;
    else
        context->counters[counter] = 1;
    unit_publish(&cache->units, sizeof *pair, 1);
    return counter;
}

/* A fan in the place of what the slot has led to; its number + 1. 0: no room, all stays as it is.
 */
static uint32_t spread(struct cache *cache, uint64_t *slot, uint32_t level,
                       const struct copied_block *to)
{
    struct tables *tables = cache->tables;
    struct zone *zone = cache_zone(cache, to->pc, to->flavour, 0);
    if (!zone || cache->n_fans == TABLES_FANS)
        return 0;
    struct code_cursor cursor = zone_cursor(zone);
    uint64_t runs_at = cursor_runs_at(&cursor);
    tables_prepare_fan(tables, cache->n_fans, *slot);
    emit_fan(&cursor, tables->fans[cache->n_fans], level);
    zones_advance(&cache->zones, zone, &cursor);
    __atomic_store_n(slot, runs_at, __ATOMIC_RELEASE);
    return ++cache->n_fans;
}

/* Where the landing of one more target of a fan belongs: there, or in one below it. */
static uint64_t *fan_slot(struct cache *cache, uint32_t fan, const struct copied_block *to)
{
    struct tables *tables = cache->tables;
    for (uint32_t level = 0;; level++) {
        uint32_t slot = tables_fan_slot(to->pc, level);
        uint16_t *below = &tables->fan_below[fan - 1][slot];
        uint8_t *landings = &tables->fan_landings[fan - 1][slot];
        if (*landings < TABLES_MANY)
            ++*landings;
        else if (!*below && level + 1 < TABLES_FAN_LEVELS)
            *below = (uint16_t)spread(cache, &tables->fans[fan - 1][slot], level + 1, to);
        if (!*below)
            return &tables->fans[fan - 1][slot];
        fan = *below;
    }
}

/* Where the landing of one more target belongs. */
static uint64_t *site_slot(struct cache *cache, uint32_t site, const struct copied_block *to)
{
    struct tables *tables = cache->tables;
    if (!tables->fan_of[site] && tables->landings_of[site] == TABLES_FEW)
        tables->fan_of[site] = (uint16_t)spread(cache, &tables->sites[site], 0, to);
    if (tables->fan_of[site])
        return fan_slot(cache, tables->fan_of[site], to);
    if (tables->landings_of[site] < TABLES_FEW)
        tables->landings_of[site]++;
    return &tables->sites[site];
}

void cache_land_site(struct cache *cache, struct context *context, uint32_t exit,
                     const struct copied_block *to)
{
    uint32_t counter = cache_pair(cache, context, exit, to->pc);
    if (!counter)
        return;
    const struct exit *site = cache_exit(cache, exit);
    land(cache, site_slot(cache, (uint32_t)site->link, to), to, site, counter);
}
