#include "values/conflicts.h"

#include "values/flight_code.h"

#define UNREADABLE (UINT32_MAX - 1)

void conflicts_init(struct conflicts *conflicts, const struct units *units, struct batch *batch)
{
    *conflicts = (struct conflicts){.units = units, .batch = batch};
}

void conflicts_release(struct conflicts *conflicts)
{
    images_release(&conflicts->images);
    vec_release(&conflicts->code);
    vec_release(&conflicts->blocks);
    sharing_release(&conflicts->sharing);
    mem_free(conflicts->flight);
}

/* ---- code */

/* What the items of an instruction say that it accesses. Not all have their addresses recorded:
 * where one stores nobody knows, so what was stored before is not looked at any more. False: there
 * are too many. */
static bool accesses_make(struct flight_step *step, const struct flight_code *code,
                          const struct wire_payload *items, uint32_t n)
{
    bool stores = false;
    for (uint32_t i = 0; i < n; i++) {
        struct flight_access access = {code->operand_bytes, items[i].access};
        switch ((enum payload_kind)items[i].kind) {
        case PAYLOAD_PUSH:
        case PAYLOAD_POP: access.bytes = items[i].detail; break;
        case PAYLOAD_ADDRESS:
        case PAYLOAD_SOURCE:
        case PAYLOAD_DESTINATION: break;
        case PAYLOAD_GATHER_BASE: access.bytes = 0; break;
        default: continue;
        }
        if (step->n == FLIGHT_ACCESSES)
            return false;
        step->accesses[step->n++] = access;
        stores |= access.access & FLIGHT_WRITE;
    }
    step->drains |= code->stores && !stores;
    return true;
}

/* The instructions of one segment; false: they cannot be read. */
static bool segment_read(struct conflicts *conflicts, const struct unit_segment *segment,
                         const struct wire_payload *items, uint32_t n_items, uint32_t first)
{
    const struct image *image =
        images_find(&conflicts->images, conflicts->units->mappings, segment->at.module);
    uint64_t at = segment->at.address.v;
    uint32_t item = 0;
    for (uint32_t i = 0; i < segment->instructions; i++) {
        struct flight_code code;
        struct conflict_code *known = vec_push(&conflicts->code);
        if (!image || !flight_code_read(image, (struct svma){at}, &code))
            return false;
        while (item < n_items && items[item].instruction < first + i)
            item++;
        uint32_t n = 0;
        while (item + n < n_items && items[item + n].instruction == first + i)
            n++;
        *known = (struct conflict_code){
            .step = code.step, .at = {segment->at.module, {at}}, .executed = MAP_NONE};
        if (!accesses_make(&known->step, &code, &items[item], n))
            return false;
        at += code.length;
    }
    return at == segment->at.address.v + segment->bytes; /* else the file is not what ran */
}

/* The superblock's first instruction in code; UNREADABLE: they are not to be had. */
static uint32_t block_read(struct conflicts *conflicts, uint32_t index)
{
    const struct superblock *superblock = &conflicts->units->superblocks.at[index];
    const struct wire_payload *items =
        superblock->n_items ? &conflicts->units->payload.at[superblock->first_item] : NULL;
    size_t first = conflicts->code.n;
    uint32_t before = 0;
    for (uint32_t s = 0; s < superblock->n_segments; s++) {
        const struct unit_segment *segment =
            &conflicts->units->segments.at[superblock->first_segment + s];
        if (!segment_read(conflicts, segment, items, superblock->n_items, before)) {
            conflicts->code.n = first;
            return UNREADABLE;
        }
        before += segment->instructions;
    }
    return (uint32_t)first;
}

static uint32_t block_of(struct conflicts *conflicts, uint32_t index)
{
    while (conflicts->blocks.n < conflicts->units->superblocks.n)
        *vec_push(&conflicts->blocks) = 0;
    if (!conflicts->blocks.at[index])
        conflicts->blocks.at[index] = block_read(conflicts, index) + 1;
    return conflicts->blocks.at[index] - 1;
}

/* ---- rows */

static void called_add(struct conflicts *conflicts, uint64_t kind, const struct conflict_step *from,
                       const struct conflict_step *to, uint64_t time)
{
    struct batch *batch = conflicts->batch;
    struct place one = conflicts->code.at[from->code].at, other = conflicts->code.at[to->code].at;
    if (!conflicts->by_callers)
        return;
    struct called_key key = {.from_module = one.module,
                             .to_module = other.module,
                             .from_caller_module = from->caller.module,
                             .to_caller_module = to->caller.module,
                             .from = one.address,
                             .to = other.address,
                             .from_caller = from->caller.address,
                             .to_caller = to->caller.address,
                             .kind = kind};
    if (batch->called.keys.n >= CONFLICTS_PAIRS && map_find(&batch->called.keys, &key) == MAP_NONE)
        conflicts->crowded++;
    else
        batch_table_add(&batch->called, batch_called_index(batch, &key), time, 1);
}

static void row_add(struct conflicts *conflicts, enum conflict_type type,
                    const struct conflict_step *one, const struct conflict_step *other,
                    uint32_t distance)
{
    const struct conflict_code *from = &conflicts->code.at[one->code],
                               *to = &conflicts->code.at[other->code];
    static const uint32_t distances[CONFLICT_CLASSES] = CONFLICT_DISTANCES;
    struct batch *batch = conflicts->batch;
    uint64_t class = 0;
    while (class + 1 < CONFLICT_CLASSES && distance > distances[class])
        class ++;
    struct conflict_key key = {.from_module = from->at.module,
                               .to_module = to->at.module,
                               .from = from->at.address,
                               .to = to->at.address,
                               .kind = type | class << CONFLICT_CLASS_SHIFT};
    if (batch->conflicts.keys.n >= CONFLICTS_PAIRS &&
        map_find(&batch->conflicts.keys, &key) == MAP_NONE)
        conflicts->crowded++;
    else
        batch_table_add(&batch->conflicts, batch_conflict_index(batch, &key), distance, 1);
    called_add(conflicts, key.kind, one, other, distance);
}

static void executed_add(struct conflicts *conflicts, struct conflict_code *code)
{
    struct batch *batch = conflicts->batch;
    if (code->executed == MAP_NONE) {
        struct conflict_key key = {.from_module = code->at.module,
                                   .to_module = code->at.module,
                                   .from = code->at.address,
                                   .to = code->at.address,
                                   .kind = CONFLICT_EXECUTED};
        code->executed = batch_conflict_index(batch, &key);
    }
    batch_table_add(&batch->conflicts, code->executed, code->window != conflicts->window, 1);
    code->window = conflicts->window;
}

static void found(void *context, const struct flight_conflict *conflict)
{
    struct conflicts *conflicts = context;
    row_add(conflicts, conflict->type, &conflicts->course[conflict->from],
            &conflicts->course[conflict->to], conflict->to - conflict->from);
}

/* ---- a stretch */

/* The caller of what another thread did is not kept. */
static void sharing_find(struct conflicts *conflicts, const struct conflict_step *now,
                         const struct flight_at *at, int32_t tid)
{
    const struct flight_step *step = &conflicts->code.at[now->code].step;
    for (uint32_t i = 0; i < step->n; i++) {
        struct sharing_access access = {.tid = tid,
                                        .writes = step->accesses[i].access & FLIGHT_WRITE,
                                        .address = at[i].address,
                                        .bytes = step->accesses[i].bytes,
                                        .tsc = conflicts->tsc,
                                        .window = conflicts->window,
                                        .place = now->code};
        struct conflict_step other = {0, {MODULE_NONE, {0}}};
        enum conflict_type type = access.bytes
                                      ? sharing_look(&conflicts->sharing, &access, &other.code)
                                      : CONFLICT_EXECUTED;
        if (type != CONFLICT_EXECUTED)
            row_add(conflicts, type, &other, now, 0);
    }
}

/* One instruction, its items being the next; false: the stretch is full. */
static bool code_run(struct conflicts *conflicts, uint32_t index, const struct flight_at *at,
                     int32_t tid)
{
    struct conflict_code *code = &conflicts->code.at[index];
    if (conflicts->flight->n_steps == FLIGHT_STEPS)
        return false;
    struct conflict_step *now = &conflicts->course[conflicts->flight->n_steps];
    *now = (struct conflict_step){index, window_calls_caller(&conflicts->calls)};
    if (!flight_step(conflicts->flight, &code->step, at))
        return false;
    if (code->step.n) {
        const struct conflict_step nobody = {index, {MODULE_NONE, {0}}};
        executed_add(conflicts, code);
        called_add(conflicts, CONFLICT_EXECUTED, &nobody, now, 0);
        sharing_find(conflicts, now, at, tid);
    }
    conflicts->instructions++;
    return true;
}

/* What the items of an instruction say, access by access; returns how many items are its. */
static uint32_t addresses_read(const struct flight_step *step, const struct wire_payload *items,
                               uint32_t n, const uint64_t **words, struct flight_at *at)
{
    uint32_t i = 0, access = 0;
    for (; i < n && items[i].instruction == items[0].instruction; i++) {
        bool is_address =
            items[i].kind <= PAYLOAD_DESTINATION || items[i].kind == PAYLOAD_GATHER_BASE;
        if (is_address && access < step->n) {
            at[access] = (struct flight_at){(*words)[0], step->accesses[access].bytes};
            access++;
        } else if (items[i].kind == PAYLOAD_COUNT) {
            /* As many times the largest element there is: it only hides. */
            for (uint32_t k = 0; k < access; k++)
                at[k].bytes = (*words)[0] < UINT32_MAX ? (*words)[0] * 8 : UINT32_MAX;
        }
        *words += items[i].words;
    }
    return i;
}

/* One exit: the instructions that it executed. False: the stretch ends. */
static bool exit_run(struct conflicts *conflicts, uint32_t exit, const uint64_t **words,
                     int32_t tid)
{
    const struct units *units = conflicts->units;
    struct payload_part part;
    int32_t owner = units_owner(units, exit);
    if (owner == UNIT_NONE || !payload_part(units, exit, &part))
        return false;
    const struct superblock *superblock = &units->superblocks.at[owner];
    const struct wire_payload *items = part.n_items ? &units->payload.at[part.first_item] : NULL;
    uint32_t first = block_of(conflicts, (uint32_t)owner), done = 0, i = 0, before = 0;
    if (first == UNREADABLE) {
        conflicts->unread++;
        return false;
    }
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    for (uint32_t s = 0; s <= last; s++) {
        const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
        before += segment->instructions;
        for (; i < before; i++) {
            struct flight_at at[FLIGHT_ACCESSES] = {0};
            if (done < part.n_items && items[done].instruction == i)
                done += addresses_read(&conflicts->code.at[first + i].step, &items[done],
                                       part.n_items - done, words, at);
            if (!code_run(conflicts, first + i, at, tid))
                return false;
        }
        window_calls_leave(&conflicts->calls, segment);
    }
    return true;
}

/* Exits before the stretch: only their calls matter. */
static void exit_skip(struct conflicts *conflicts, uint32_t exit)
{
    const struct units *units = conflicts->units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    for (uint32_t s = 0; s <= last; s++)
        window_calls_leave(&conflicts->calls, &units->segments.at[superblock->first_segment + s]);
}

void conflicts_window(struct conflicts *conflicts, const struct payload_window *window,
                      uint64_t tsc)
{
    if (!window->n_exits ||
        payloads_words(conflicts->units, window->exits, window->n_exits) != window->n_words)
        return;
    if (!conflicts->flight)
        conflicts->flight = mem_alloc(sizeof *conflicts->flight);
    conflicts->window++;
    conflicts->tsc = tsc;
    conflicts->stretches++;
    flight_begin(conflicts->flight, found, conflicts);
    uint32_t start = (uint32_t)random_below(&conflicts->random, window->n_exits);
    const uint64_t *words = window->words + payloads_words(conflicts->units, window->exits, start);
    conflicts->calls.n = 0;
    for (uint32_t i = 0; i < start && conflicts->by_callers; i++)
        exit_skip(conflicts, window->exits[i]);
    for (uint32_t i = start; i < window->n_exits; i++)
        if (!exit_run(conflicts, window->exits[i], &words, window->tid))
            break;
}
