#include "walk/cache/cache_parts.h"

#include "walk/emit/known_paths.h"
#include "walk/base/sys.h"
#include "walk/cache/unit.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* ---- room for code */

struct zone *cache_zone(struct cache *cache, uint64_t pc, uint32_t use, uint64_t beside)
{
    bool more = (use == FLAVOUR_RECORD && (cache->events & EVENTS_PAYLOAD)) ||
                (use == FLAVOUR_COUNT && cache->plan);
    struct zone_wish wish = {.pc = pc,
                             .beside = beside,
                             .use = use,
                             .room = more ? TRANSLATION_BYTES_MORE : TRANSLATION_BYTES_MAX};
    return zones_get(&cache->zones, &wish);
}

struct zone *cache_zone_cold(struct cache *cache, uint64_t pc, const struct zone *hot)
{
    return hot ? cache_zone(cache, pc, ZONE_COLD, hot->runs_at) : NULL;
}

bool cache_contains(const struct cache *cache, uint64_t pc)
{
    return zones_find(&cache->zones, pc) != NULL;
}

/* ---- the whole */

static bool cpu_has_rorx(void)
{
    uint32_t a = 7, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return b & 1u << 8; /* BMI2 */
}

/* xbegin is valid: it begins a transaction, or aborts it, as always on some processors. */
static bool cpu_has_transactions(void)
{
    uint32_t a = 7, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (b | d) & 1u << 11; /* RTM; RTM_ALWAYS_ABORT */
}

bool cache_init(struct cache *cache, struct regions *regions, uint8_t *arena)
{
    cache->regions = regions;
    cache->zones.arena = arena;
    cache->units.n_counters = 1; /* counter 0 means none */
    cache->exit_base = 1;        /* so does exit 0 */
    cache->rotates = cpu_has_rorx();
    cache->most = CACHE_SAMPLED;
    cache->tables = tables_map();
    return cache->tables;
}

/* Huge pages cost a seventh of small ones when first touched. So the part of the tables that small
 * programs use is on huge pages; large programs do not begin another for a little more. */
static void expect(const void *at, uint64_t bytes)
{
    const uint64_t huge = 2 << 20;
    uint64_t start = (uint64_t)at & -huge, end = ((uint64_t)at + bytes + huge - 1) & -huge;
    sys3(SYS_madvise, (long)start, (long)(end - start), MADV_HUGEPAGE);
}

void cache_expect_all(struct cache *cache)
{
    enum { SURE_BYTES = 1 << 20 };
    cache->whole = true;
    cache->zones.keeps_land = true;
    cache->regions->transactions = cpu_has_transactions();
    cache->most = CACHE_SUPERBLOCKS;
    /* The other flavours' landings, on one huge page with these, are not used. */
    sys3(SYS_madvise, (long)cache->tables, sizeof cache->tables->landings, MADV_NOHUGEPAGE);
    expect(cache->index[FLAVOUR_COUNT], sizeof cache->index[FLAVOUR_COUNT] + SURE_BYTES);
    expect(cache->exits, SURE_BYTES);
    cache->units.ahead.on = cache->counters_ahead.on = true;
    cache->blocks_ahead = cache->exits_ahead = (struct ahead){.on = true, .end = SURE_BYTES};
}

static void forget(struct cache *cache)
{
    /* Only what was used: an untouched table is a table of untouched pages. */
    for (uint32_t f = 0; f < FLAVOURS; f++)
        for (uint32_t i = 0; cache->n_superblocks && i < CACHE_INDEX; i++)
            if (cache->index[f][i])
                __atomic_store_n(&cache->index[f][i], 0, __ATOMIC_RELAXED);
    tables_forget(cache->tables);
    for (uint32_t i = 0; i < cache->n_sites; i++)
        tables_prepare_site(cache->tables, i);
    for (uint32_t i = 0; i < cache->n_fans; i++)
        tables_forget_fan(cache->tables, i);
    __atomic_fetch_add(&cache->generation, 1, __ATOMIC_RELEASE);
    cache->flushes++;
}

/* Threads that are in old copies look up where they go at their next indirect branch, also at one
 * that was guessed. */
void cache_forget(struct cache *cache)
{
    forget(cache);
    for (uint32_t i = 0; i < cache->n_superblocks; i++)
        if (cache->superblocks[i].guess)
            cache_unlink(cache, cache->superblocks[i].first_exit + cache->superblocks[i].guessed);
}

void cache_flush(struct cache *cache)
{
    forget(cache);
    cache_places_forget(cache);
    zones_clear(&cache->zones);
    if (cache->witness)
        witness_forget(cache->witness);
    if (cache->guards)
        guards_forget(cache->guards);
    cache->exit_base += cache->n_exits;
    cache->n_superblocks = cache->n_exits = cache->n_sites = cache->n_fans = cache->n_words = 0;
    cache->full = false;
}

void cache_unmap(struct cache *cache)
{
    zones_unmap(&cache->zones);
    if (cache->tables)
        sys3(SYS_munmap, (long)cache->tables, sizeof *cache->tables, 0);
}

void cache_rehouse(struct cache *cache, uint8_t *arena)
{
    zones_unmap(&cache->zones);
    cache->zones.arena = arena;
    cache->gate = (struct gate){0};
    cache->units.full = false;
    cache->units.n_counters = 1 + cache->n_kept;
    if (cache->plan && cache->plan->known)
        known_paths_forget(cache->plan->known);
    cache_flush(cache);
    cache->exit_base = 1;
    cache->counters_ahead.end = 0;
    cache->translate_ticks = cache->translated = cache->flushes = 0;
    cache->zones.code_bytes = 0;
}

/* ---- translation */

/* Code that lies within 64 bytes has its slots in one line of the processor's cache. */
static uint32_t hash_pc(uint64_t pc)
{
    uint32_t line = (uint32_t)(((pc >> 6) * UINT64_C(0x9E3779B97F4A7C15)) >> 45);
    return (line << 4 | (pc >> 2 & 15)) & (CACHE_INDEX - 1);
}

static uint32_t *index_slot(struct cache *cache, enum flavour flavour, uint64_t pc)
{
    uint32_t at = hash_pc(pc), number;
    uint32_t *index = cache->index[flavour];
    while ((number = __atomic_load_n(&index[at], __ATOMIC_ACQUIRE)) &&
           cache->superblocks[number - 1].pc != pc)
        at = (at + 1) & (CACHE_INDEX - 1);
    return &index[at];
}

struct copied_block *cache_find(struct cache *cache, enum flavour flavour, uint64_t pc,
                                uint32_t max_segments)
{
    uint32_t number = __atomic_load_n(index_slot(cache, flavour, pc), __ATOMIC_ACQUIRE);
    struct copied_block *block = number ? &cache->superblocks[number - 1] : NULL;
    while (block && block->path.known)
        block = block->older ? &cache->superblocks[block->older - 1] : NULL;
    return block && !block->stale && block->max_segments >= max_segments ? block : NULL;
}

struct exit *cache_exit(struct cache *cache, uint32_t exit)
{
    return &cache->exits[exit - cache->exit_base];
}

/* Code of this flavour has counters. */
static bool cache_counts(const struct cache *cache, enum flavour flavour)
{
    return flavour == FLAVOUR_COUNT || (flavour == FLAVOUR_PLAIN && cache->tallies);
}

static bool site_prepare(struct cache *cache, const struct shape *shape, struct copied_block *block)
{
    uint8_t end = shape->segments[shape->n_segments - 1].end;
    if (!cache_counts(cache, block->flavour) || (end != SEGMENT_IJUMP && end != SEGMENT_ICALL))
        return true;
    if (cache->n_sites == TABLES_SITES) {
        cache->full = true;
        return false;
    }
    block->site = (uint16_t)cache->n_sites++;
    tables_prepare_site(cache->tables, block->site);
    return true;
}

/* What is left of the log is for threads that leave because it is full: the last indirect branch
 * of each still counts. */
static bool log_has_room(const struct unit_log *log)
{
    enum { KEPT = 1 << 16 };
    return log->n_counters + SHAPE_SEGMENTS + 1 <= log->max_counters &&
           (log->bytes < KEPT || log->room - log->bytes >= KEPT);
}

static bool has_room(struct cache *cache)
{
    if (!log_has_room(&cache->units))
        cache->units.full = true;
    return !cache->units.full && cache->n_superblocks < cache->most &&
           cache->n_exits + SHAPE_SEGMENTS + 1 <= CACHE_EXITS &&
           cache->n_words + PAYLOAD_WORDS_MAX <= CACHE_WORDS;
}

/* Its guard is in its code. Windows are few, and count how often they ask. */
static bool cache_asks_itself(const struct cache *cache, const struct copied_block *block)
{
    return cache->whole && block->guard;
}

struct translation cache_translation(struct cache *cache, const struct copied_block *block)
{
    bool has_payload = block->flavour == FLAVOUR_RECORD && (cache->events & EVENTS_PAYLOAD);
    return (struct translation){.flavour = block->flavour,
                                .regions = cache->regions,
                                .tables = cache->tables,
                                .first_exit = block->first_exit,
                                .counter = block->counter,
                                .rotates = cache->rotates,
                                .site = block->site,
                                .sited = cache_counts(cache, block->flavour),
                                .debt = block->debt,
                                .plan = block->flavour == FLAVOUR_COUNT ? cache->plan : NULL,
                                .path = block->path,
                                .contexts =
                                    block->flavour == FLAVOUR_COUNT ? cache->contexts : NULL,
                                .payload = has_payload ? &cache->payload : NULL,
                                .lands = block->lands,
                                .guess = block->guess,
                                .guarded = block->guard != 0,
                                .guards = cache->guards,
                                .guard = cache_asks_itself(cache, block) ? block->guard : 0,
                                .number = (uint32_t)(block - cache->superblocks)};
}

/* What is owed on arrival; landings pay for all of it in advance. */
static int32_t debt_of(const struct wanted *wanted, const struct shape *shape)
{
    if (wanted->flavour != FLAVOUR_PLAIN)
        return 0;
    if (wanted->lands)
        return -(int32_t)shape->n_steps;
    return wanted->owed <= DEBT_MAX && wanted->owed >= -DEBT_MAX ? wanted->owed : 0;
}

uint64_t *cache_landing_slot(struct cache *cache, enum flavour flavour, uint64_t pc)
{
    return &cache->tables->landings[flavour][tables_landing(pc, cache->rotates)];
}

static bool witness_shape(struct cache *cache, const struct shape *shape)
{
    bool asked = cache->witness && shape->kind == REGION_LASTING;
    for (uint32_t i = 0; asked && i < shape->n_segments; i++)
        if (!witness_add(cache->witness, shape->segments[i].start, shape->segments[i].bytes))
            return false;
    return true;
}

/* Forms the shape once more; false: another came of it. */
static bool shape_stays(struct cache *cache, struct shape *shape, const struct copied_block *block,
                        uint64_t reach)
{
    struct wire_segment before[SHAPE_SEGMENTS];
    uint32_t n = shape->n_segments;
    __builtin_memcpy(before, shape->segments, n * sizeof *before);
    shape_form(shape, cache->regions, block->pc, cache->whole, block->max_segments, reach);
    return shape->n_segments == n &&
           __builtin_memcmp(before, shape->segments, n * sizeof *before) == 0;
}

/* True: the shape needs no guard, or has one. False: *ret_refusal, unless room is missing. */
static bool guard_shape(struct cache *cache, struct shape *shape, struct copied_block *block,
                        uint64_t reach, uint32_t *ret_refusal)
{
    if (shape->kind == REGION_LASTING)
        return true;
    block->guard = cache->guards ? guards_add(cache->guards, shape) : 0;
    /* Formed again from what is kept: the first time it may have been something else. */
    if (block->guard && !shape_stays(cache, shape, block, reach))
        block->guard = 0;
    cache->full |= cache->guards && GUARDS_BYTES - cache->guards->used < 2 * TRANSLATION_BYTES_MAX;
    if (!block->guard && !cache->full)
        *ret_refusal = LOSS_at_anonymous;
    return block->guard;
}

uint64_t cache_pass(struct cache *cache, uint32_t number)
{
    struct copied_block *block = &cache->superblocks[number];
    if (!block->stale && guards_hold(cache->guards, block->guard))
        return block->code + block->body;
    block->stale = true;
    return 0;
}

/* Where the jump of a guard that has found a difference stands: a byte before its field. */
static uint64_t guard_jump(const struct copied_block *block)
{
    return guard_field(block->code + block->body) - 1;
}

static void guard_lead(struct cache *cache, const struct copied_block *stale, uint64_t to)
{
    uint64_t field = guard_jump(stale) + 1;
    const struct zone *zone = zones_find(&cache->zones, field);
    int64_t distance = (int64_t)(to - field - 4);
    if (zone && distance == (int32_t)distance)
        __atomic_store_n((int32_t *)(void *)(zone->writable + (field - zone->runs_at)),
                         (int32_t)distance, __ATOMIC_RELEASE);
}

void cache_lead(struct cache *cache, uint32_t number, const struct copied_block *to)
{
    const struct copied_block *stale = &cache->superblocks[number];
    const struct copied_block *root = &cache->superblocks[stale->root];
    if (!cache_asks_itself(cache, stale) || stale == to)
        return;
    bool through = root->stale && root != stale && cache_asks_itself(cache, root);
    if (through)
        guard_lead(cache, root, to->entry);
    guard_lead(cache, stale, through ? guard_jump(root) : to->entry);
}

static bool guard_overlaps(const struct cache *cache, uint32_t guard, uint64_t start,
                           uint64_t bytes)
{
    struct guards_run run = {0};
    while (guards_next(cache->guards, guard, &run))
        if (run.start < start + bytes && run.start + run.bytes > start)
            return true;
    return false;
}

static void block_spoil(struct cache *cache, struct copied_block *block)
{
    block->stale = true;
    if (!cache_asks_itself(cache, block))
        return;
    uint64_t at = guard_switch(block->code + block->body);
    const struct zone *zone = zones_find(&cache->zones, at);
    if (zone)
        __atomic_store_n(zone->writable + (at - zone->runs_at), 0, __ATOMIC_RELEASE);
}

void cache_spoil(struct cache *cache, uint64_t start, uint64_t bytes)
{
    for (uint32_t i = 0; i < cache->n_superblocks; i++) {
        struct copied_block *block = &cache->superblocks[i];
        if (block->guard && guard_overlaps(cache, block->guard, start, bytes))
            block_spoil(cache, block);
    }
}

static bool guard_in_regions(const struct cache *cache, uint32_t guard)
{
    struct guards_run run = {0};
    while (guards_next(cache->guards, guard, &run))
        if (!regions_hold(cache->regions, run.start) ||
            !regions_hold(cache->regions, run.start + run.bytes - 1))
            return false;
    return true;
}

void cache_sift(struct cache *cache)
{
    for (uint32_t i = 0; i < cache->n_superblocks; i++) {
        struct copied_block *block = &cache->superblocks[i];
        if (block->guard && !block->stale && !guard_in_regions(cache, block->guard))
            block_spoil(cache, block);
    }
}

bool cache_guards_at(struct cache *cache, uint64_t cache_pc, uint32_t *ret_number)
{
    const struct copied_block *block = cache_block_at(cache, cache_pc);
    if (!block || !cache_asks_itself(cache, block) || cache_pc < block->entry ||
        cache_pc >= block->code + block->body)
        return false;
    *ret_number = (uint32_t)(block - cache->superblocks);
    return true;
}

/* What the superblock's words are, for its exits to tell. */
static void words_keep(struct cache *cache, struct exit *exits, uint32_t n)
{
    const struct payload *payload = &cache->payload;
    for (uint32_t i = 0; i < n; i++) {
        exits[i].superblock = cache->n_superblocks;
        exits[i].words_at = cache->n_words;
    }
    if (!(cache->events & EVENTS_PAYLOAD))
        return;
    uint8_t *words = &cache->words[cache->n_words];
    for (uint32_t i = 0; i < payload->n; i++)
        for (uint32_t word = 0; word < payload->items[i].words; word++)
            *words++ = word ? 0 : payload->items[i].kind;
    cache->n_words += payload->words;
}

/* Of its entry, and of exits up to its last conditional branch. */
static uint32_t shape_counters(const struct shape *shape)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < shape->n_segments; i++)
        if (shape->segments[i].end == SEGMENT_COND)
            n = 2 + i;
    return n;
}

static struct copied_block *translate_at(struct cache *cache, const struct wanted *wanted,
                                         uint32_t *slot, uint32_t *ret_refusal)
{
    enum flavour flavour = wanted->flavour;
    uint64_t pc = wanted->pc;
    struct zone *zone = cache_zone(cache, pc, flavour, 0), *cold = cache_zone_cold(cache, pc, zone);
    struct shape *shape = &cache->shape;
    enum region_kind kind;
    if (!zone && regions_room(cache->regions, pc, &kind, ret_refusal) == 0)
        return NULL; /* no code is there, so no room near it is wanting */
    *ret_refusal = LOSS_cache_full;
    if (!zone || !cold || !has_room(cache)) {
        cache->full = !cache->units.full;
        return NULL;
    }
    shape_form(shape, cache->regions, pc, cache->whole, wanted->max_segments, zone->runs_at);
    if (shape_empty(shape)) {
        *ret_refusal = shape->refusal;
        return NULL;
    }
    const struct plan_path nothing = {0}; /* who asks a guard first must find the register true */
    bool counted = cache_counts(cache, flavour) && !plan_covers(cache->plan, pc);
    struct copied_block *block = &cache->superblocks[cache->n_superblocks];
    struct code_cursor cursor = zone_cursor(zone), cold_cursor = zone_cursor(cold);
    uint32_t n_exits = shape_exits(shape);
    if (cache->events & EVENTS_PAYLOAD)
        payload_plan(&cache->payload, shape, cache->events);
    *block = (struct copied_block){.pc = pc,
                                   .flavour = (uint8_t)flavour,
                                   .max_segments = (uint8_t)wanted->max_segments,
                                   .code = cursor_runs_at(&cursor),
                                   .lands = wanted->lands,
                                   .debt = (int16_t)debt_of(wanted, shape),
                                   .path = shape->kind == REGION_LASTING ? wanted->path : nothing,
                                   .first_exit = cache->exit_base + cache->n_exits,
                                   .counter = counted ? cache->units.n_counters : 0};
    if (!guard_shape(cache, shape, block, zone->runs_at, ret_refusal) ||
        !site_prepare(cache, shape, block))
        return NULL;
    struct guess guess;
    cache_guess(wanted, shape, block, &guess);
    uint32_t older = __atomic_load_n(slot, __ATOMIC_RELAXED);
    block->root = cache->n_superblocks;
    if (block->guard && older && cache->superblocks[older - 1].guard)
        block->root = cache->superblocks[older - 1].root;
    while (older && cache->superblocks[older - 1].stale)
        older = cache->superblocks[older - 1].older;
    block->older = older;
    uint8_t copies = older ? cache->superblocks[older - 1].copies : 0;
    block->copies = copies < UINT8_MAX ? (uint8_t)(copies + 1) : copies;
    struct translation translation = cache_translation(cache, block);
    translation.place = block->guess ? &guess : NULL;
    if (wanted->lands)
        translation.next_landing = *cache_landing_slot(cache, flavour, pc);
    if (!witness_shape(cache, shape)) {
        cache->full = true;
        return NULL;
    }
    /* Before code is made: paths may have counters of their own. */
    cache->units.n_counters += counted ? shape_counters(shape) : 0;
    translate(&translation, shape, &cursor, &cold_cursor);
    /* If they changed meanwhile, what was written is neither the one nor the other. */
    if (block->guard && !guards_hold(cache->guards, block->guard)) {
        *ret_refusal = LOSS_at_anonymous;
        return NULL;
    }
    struct wire_superblock id = {.first_exit = block->first_exit, .counter = block->counter};
    if ((flavour != FLAVOUR_PLAIN || cache->tallies) &&
        !unit_superblock(&cache->units, &id, shape, translation.payload))
        return NULL;
    block->entry = translation.entry;
    block->flags_free = translation.flags_free;
    block->body = translation.body ? (uint16_t)(translation.body - block->code) : 0;
    block->code_bytes = (uint32_t)(cursor_runs_at(&cursor) - block->code);
    cache_place(cache, zone, block);
    zones_advance(&cache->zones, zone, &cursor);
    zones_advance(&cache->zones, cold, &cold_cursor);
    n_exits += block->guess != 0;
    for (uint32_t i = 0; i < n_exits; i++)
        cache->exits[cache->n_exits + i] = translation.exits[i];
    if (flavour == FLAVOUR_RECORD && cache->keeps_words)
        words_keep(cache, &cache->exits[cache->n_exits], n_exits);
    cache->n_exits += n_exits;
    ahead_of(&cache->blocks_ahead, cache->superblocks, cache->n_superblocks * sizeof *block);
    ahead_of(&cache->exits_ahead, cache->exits, cache->n_exits * sizeof *cache->exits);
    cache->translated++;
    cache->aborts += shape_aborts(shape);
    __atomic_store_n(slot, ++cache->n_superblocks, __ATOMIC_RELEASE);
    return block;
}

struct copied_block *cache_translate(struct cache *cache, const struct wanted *wanted,
                                     uint32_t *ret_refusal)
{
    uint32_t *slot = index_slot(cache, wanted->flavour, wanted->pc);
    return translate_at(cache, wanted, slot, ret_refusal);
}

/* The copy of plain code that fits; NULL: make one more. Landings pay in advance for code that
 * expects it, a debt that fits costs nothing, and so does a return that goes where it was guessed.
 */
static struct copied_block *copy_for(struct cache *cache, const struct wanted *wanted,
                                     struct copied_block *newest)
{
    struct copied_block *found = NULL;
    uint32_t right = 0, wrong = 0;
    if (wanted->flavour != FLAVOUR_PLAIN || !(wanted->lands || wanted->owes))
        return newest;
    for (struct copied_block *block = newest;; block = &cache->superblocks[block->older - 1]) {
        bool fits = wanted->lands ? block->lands : block->debt == wanted->owed;
        bool guessed = wanted->lands || cache_guessed(wanted, block);
        bool able = !block->stale && !block->unbound && block->max_segments >= wanted->max_segments;
        if (fits && guessed && able)
            return block;
        right += guessed && !block->unbound;
        wrong += !guessed;
        found = guessed && able && !found ? block : found;
        if (!block->older)
            break;
    }
    cache->waiting = !wanted->lands && !right && wrong && wanted->visits < CACHE_VISITS &&
                     newest->copies < CACHE_GUESSES;
    if (cache->waiting)
        return newest;
    bool more = wanted->lands || (right ? right < CACHE_COPIES : newest->copies < CACHE_GUESSES);
    if (more && wanted->owed <= DEBT_MAX && wanted->owed >= -DEBT_MAX)
        return NULL;
    return found ? found : newest;
}

/* The copy of counting code that knows the register; NULL: none. `ret_more`: make one. */
static struct copied_block *copy_known(struct cache *cache, const struct wanted *wanted,
                                       bool *ret_more)
{
    uint32_t number = *index_slot(cache, wanted->flavour, wanted->pc), n = 0;
    while (number) {
        struct copied_block *block = &cache->superblocks[number - 1];
        bool fits = path_same(&block->path, &wanted->path) || block->guard;
        if (fits && !block->stale && block->max_segments >= wanted->max_segments)
            return block;
        n += block->path.known;
        number = block->older;
    }
    *ret_more = n < CACHE_KNOWN && cache->n_superblocks < cache->most / 2;
    return NULL;
}

/* What takes half a millisecond was not all ours: others had the CPU. */
enum { TRANSLATED_MEANWHILE = 1 << 20 };

struct copied_block *cache_get(struct cache *cache, const struct wanted *wanted,
                               uint32_t *ret_refusal)
{
    bool more = false;
    cache->waiting = false;
    struct copied_block *found = wanted->path.known ? copy_known(cache, wanted, &more) : NULL;
    struct wanted any = *wanted;
    if (!found && !more) {
        any.path = (struct plan_path){0};
        found = cache_find(cache, wanted->flavour, wanted->pc, wanted->max_segments);
        if (found)
            found = copy_for(cache, wanted, found);
    }
    if (found)
        return found;
    tables_prepare(cache->tables, wanted->flavour);
    uint64_t start = sys_tsc();
    struct copied_block *block = cache_translate(cache, &any, ret_refusal);
    if (block)
        cache_follow(cache, &any, block);
    uint64_t ticks = sys_tsc() - start;
    cache->translate_ticks += ticks < TRANSLATED_MEANWHILE ? ticks : 0;
    return block;
}
