#include "waste/waste_memory.h"

#include "base/memory.h"

enum {
    ROOM_FIRST = 1 << 12,
    STRETCH_BITS = 3, /* 8 grains: a cache line of the program's */
};
static const uint64_t MIXES = 0x9e3779b97f4a7c15;

/* ---- events */

uint32_t waste_event_new(struct waste_events *events, struct waste_site site, uint64_t position,
                         uint32_t left)
{
    if (!events->n)
        *vec_push(events) = (struct waste_event){0}; /* none */
    uint32_t number;
    if (events->free.n) {
        number = events->free.at[--events->free.n];
    } else {
        number = (uint32_t)events->n;
        *vec_push(events) = (struct waste_event){0};
    }
    events->at[number] =
        (struct waste_event){.site = site, .position = position, .left = left, .bytes = left};
    return number;
}

void waste_event_end(struct waste_events *events, uint32_t number)
{
    *vec_push(&events->free) = number;
}

void waste_events_clear(struct waste_events *events)
{
    events->n = events->free.n = 0;
}

/* ---- grains */

void waste_memory_init(struct waste_memory *memory, struct waste_events *events,
                       struct waste_listener *listener)
{
    *memory = (struct waste_memory){.events = events, .listener = listener};
}

void waste_memory_release(struct waste_memory *memory)
{
    vec_release(&memory->grains);
    mem_free(memory->slots);
    memory->slots = NULL;
}

void waste_memory_forget(struct waste_memory *memory)
{
    for (size_t i = 0; i < memory->grains.n; i++)
        memory->slots[memory->grains.at[i].slot] = 0;
    memory->grains.n = 0;
    memory->era++;
}

/* Grains that lie together in memory have slots that do, too: whoever used one is likely to use the
 * next. Only where a stretch of them lies is scattered. */
static uint32_t slot_of(const struct waste_memory *memory, uint64_t number)
{
    uint64_t stretch = number >> STRETCH_BITS;
    uint64_t mixed = (stretch * MIXES >> 32) << STRETCH_BITS;
    uint32_t slot = (uint32_t)(mixed | (number & ((1 << STRETCH_BITS) - 1))) & (memory->room - 1);
    while (memory->slots[slot] && memory->grains.at[memory->slots[slot] - 1].number != number)
        slot = (slot + 1) & (memory->room - 1);
    return slot;
}

static void grow(struct waste_memory *memory)
{
    mem_free(memory->slots);
    memory->room = memory->room ? 2 * memory->room : ROOM_FIRST;
    memory->slots = mem_alloc(memory->room * sizeof *memory->slots);
    for (size_t i = 0; i < memory->grains.n; i++) {
        uint32_t slot = slot_of(memory, memory->grains.at[i].number);
        memory->grains.at[i].slot = slot;
        memory->slots[slot] = (uint32_t)i + 1;
    }
}

static struct waste_grain *grain_find(const struct waste_memory *memory, uint64_t number)
{
    if (!memory->room)
        return NULL;
    uint32_t index = memory->slots[slot_of(memory, number)];
    return index ? &memory->grains.at[index - 1] : NULL;
}

static struct waste_grain *grain_of(struct waste_memory *memory, uint64_t number)
{
    if (memory->grains.n * 2 >= memory->room)
        grow(memory);
    uint32_t slot = slot_of(memory, number);
    if (memory->slots[slot])
        return &memory->grains.at[memory->slots[slot] - 1];
    struct waste_grain *grain = vec_push(&memory->grains);
    *grain = (struct waste_grain){.number = number, .slot = slot};
    memory->slots[slot] = (uint32_t)memory->grains.n;
    return grain;
}

/* The bytes of one grain that an access has. */
struct piece {
    uint64_t number;
    uint32_t from, behind; /* within the grain */
    uint32_t done;         /* bytes of the access before it */
    uint8_t mask;
};

static bool piece_next(struct piece *piece, const struct waste_access *access, uint64_t *done)
{
    if (*done >= access->bytes)
        return false;
    uint64_t at = access->address + *done, left = access->bytes - *done;
    piece->number = at / WASTE_GRAIN;
    piece->from = (uint32_t)(at % WASTE_GRAIN);
    piece->behind = left < WASTE_GRAIN - piece->from ? piece->from + (uint32_t)left : WASTE_GRAIN;
    piece->done = (uint32_t)*done;
    piece->mask = (uint8_t)((1u << piece->behind) - (1u << piece->from));
    *done += piece->behind - piece->from;
    return true;
}

static void tell(struct waste_memory *memory, const struct waste_found *found)
{
    memory->listener->found(memory->listener->of, found);
}

/* ---- loads */

static void used(struct waste_memory *memory, const struct waste_grain *grain,
                 const struct piece *piece, uint32_t but)
{
    uint32_t last = 0;
    for (uint32_t b = piece->from; b < piece->behind; b++) {
        uint32_t writer = grain->writer[b];
        if (writer && writer != last && writer != but)
            waste_event(memory->events, writer)->used = true;
        last = writer;
    }
}

/* What was known there is known not to hold: somebody else wrote. */
static bool contradicts(const struct waste_grain *grain, const struct piece *piece,
                        const uint8_t *value)
{
    for (uint32_t b = piece->from; b < piece->behind; b++)
        if (grain->known >> b & 1 && grain->value[b] != value[piece->done + b - piece->from])
            return true;
    return false;
}

static void value_put(struct waste_grain *grain, const struct piece *piece, const uint8_t *value)
{
    grain->known = (uint8_t)(value ? grain->known | piece->mask : grain->known & ~piece->mask);
    for (uint32_t b = piece->from; value && b < piece->behind; b++)
        grain->value[b] = value[piece->done + b - piece->from];
}

static void reader_put(struct waste_memory *memory, struct waste_grain *grain, uint32_t b,
                       uint32_t reader)
{
    uint32_t old = grain->reader[b];
    grain->reader[b] = reader;
    if (old && !--waste_event(memory->events, old)->left)
        waste_event_end(memory->events, old);
}

/* Whether one earlier load, `earlier` if it is not the first piece, got the bytes. */
static bool read_before(const struct waste_grain *grain, const struct piece *piece,
                        const struct waste_access *access, uint32_t *earlier)
{
    if (!piece->done)
        *earlier = grain->reader[piece->from];
    for (uint32_t b = piece->from; b < piece->behind; b++)
        if (!*earlier || grain->reader[b] != *earlier)
            return false;
    return !access->value || !contradicts(grain, piece, access->value);
}

static void read_put(struct waste_memory *memory, struct waste_grain *grain,
                     const struct piece *piece, const struct waste_access *access, uint32_t reader)
{
    bool anew = access->value && contradicts(grain, piece, access->value);
    for (uint32_t b = piece->from; b < piece->behind; b++) {
        reader_put(memory, grain, b, reader);
        if (anew) /* an event that is not over never becomes a finding */
            grain->writer[b] = 0;
    }
    if (access->value || access->quiet)
        value_put(grain, piece, access->quiet ? NULL : access->value);
}

void waste_memory_load(struct waste_memory *memory, const struct waste_access *access)
{
    struct waste_event earlier = {0};
    struct piece piece;
    bool again = !access->quiet && !access->hidden && access->bytes;
    uint32_t reader = 0, before = 0;
    if (again)
        reader = waste_event_new(memory->events, access->site, access->position,
                                 (uint32_t)access->bytes);
    for (uint64_t done = 0; piece_next(&piece, access, &done);) {
        struct waste_grain *grain = grain_of(memory, piece.number);
        used(memory, grain, &piece, access->copied);
        again = again && read_before(grain, &piece, access, &before);
        if (again && !piece.done) /* its event may end below */
            earlier = *waste_event(memory->events, before);
        read_put(memory, grain, &piece, access, reader);
    }
    if (again)
        tell(memory, &(struct waste_found){.kind = WASTE_REDUNDANT_LOAD,
                                           .first = earlier.site,
                                           .second = access->site,
                                           .distance = access->position - earlier.position,
                                           .bytes = access->bytes});
}

/* ---- stores */

uint32_t waste_memory_writer(const struct waste_memory *memory, uint64_t address, uint64_t bytes)
{
    struct waste_access access = {.address = address, .bytes = bytes};
    struct piece piece;
    uint32_t writer = 0;
    for (uint64_t done = 0; piece_next(&piece, &access, &done);) {
        const struct waste_grain *grain = grain_find(memory, piece.number);
        if (!grain)
            return 0;
        for (uint32_t b = piece.from; b < piece.behind; b++) {
            if (!grain->writer[b] || (writer && grain->writer[b] != writer))
                return 0;
            writer = grain->writer[b];
        }
    }
    return writer;
}

/* The copy of a copy is known when the first is gone: at `position`. */
static void copy_tell(struct waste_memory *memory, const struct waste_event *event,
                      uint64_t position)
{
    tell(memory, &(struct waste_found){.kind = WASTE_COPY_OF_COPY,
                                       .first = event->site,
                                       .second = event->copier,
                                       .distance = position - event->position,
                                       .bytes = event->bytes});
}

/* The last byte of an event is overwritten. True: it was dead. */
static bool event_over(struct waste_memory *memory, uint32_t number,
                       const struct waste_access *access)
{
    struct waste_event event = *waste_event(memory->events, number);
    waste_event_end(memory->events, number);
    if (event.quiet)
        return false;
    if (event.copied && !event.used)
        copy_tell(memory, &event, access->position);
    if (event.used || event.copied)
        return false;
    tell(memory, &(struct waste_found){.kind = event.set ? WASTE_SET : WASTE_DEAD_STORE,
                                       .first = event.site,
                                       .second = access->site,
                                       .distance = access->position - event.position,
                                       .bytes = event.bytes});
    return true;
}

static bool overwrite(struct waste_memory *memory, struct waste_grain *grain,
                      const struct piece *piece, const struct waste_access *access, uint32_t writer)
{
    bool dead = false;
    for (uint32_t b = piece->from; b < piece->behind; b++) {
        uint32_t old = grain->writer[b];
        grain->writer[b] = writer;
        if (!old)
            continue;
        struct waste_event *event = waste_event(memory->events, old);
        event->quiet |= access->quiet;
        if (!--event->left)
            dead |= event_over(memory, old, access);
    }
    return dead;
}

uint64_t waste_memory_state(const struct waste_memory *memory, uint64_t address, uint64_t bytes,
                            uint64_t position, bool *ret_known)
{
    const struct waste_access access = {.address = address, .bytes = bytes};
    struct piece piece;
    uint64_t value = 0, stored = memory->era;
    *ret_known = true;
    for (uint64_t done = 0; piece_next(&piece, &access, &done);) {
        const struct waste_grain *grain = grain_find(memory, piece.number);
        *ret_known = *ret_known && grain && (grain->known & piece.mask) == piece.mask;
        for (uint32_t b = piece.from; *ret_known && b < piece.behind; b++)
            value = value * MIXES + grain->value[b];
        stored = stored * MIXES + (grain && grain->stored <= position ? grain->stored : 0);
    }
    return *ret_known ? value : stored ^ MIXES;
}

/* Whether the bytes are there already. `first`: who put them there, or got them from there. */
static bool is_there(struct waste_memory *memory, const struct waste_grain *grain,
                     const struct piece *piece, const struct waste_access *access,
                     struct waste_event *first)
{
    if ((grain->known & piece->mask) != piece->mask || contradicts(grain, piece, access->value))
        return false;
    uint32_t writer = grain->writer[piece->from], reader = grain->reader[piece->from];
    if (!piece->done)
        *first = *waste_event(memory->events, writer ? writer : reader);
    return piece->done || writer || reader;
}

uint32_t waste_memory_store(struct waste_memory *memory, const struct waste_access *access)
{
    struct waste_event first = {0};
    struct piece piece;
    bool silent = access->value && !access->quiet && !access->hidden, dead = false;
    uint32_t event = 0;
    if (!access->quiet && access->bytes) {
        event = waste_event_new(memory->events, access->site, access->position,
                                (uint32_t)access->bytes);
        waste_event(memory->events, event)->quiet = access->shared || access->hidden;
    }
    for (uint64_t done = 0; piece_next(&piece, access, &done);) {
        struct waste_grain *grain = grain_of(memory, piece.number);
        silent = silent && is_there(memory, grain, &piece, access, &first);
        dead |= overwrite(memory, grain, &piece, access, event);
        for (uint32_t b = piece.from; b < piece.behind; b++)
            reader_put(memory, grain, b, 0);
        value_put(grain, &piece, access->quiet ? NULL : access->value);
        grain->stored = access->position;
    }
    if (silent && !dead)
        tell(memory, &(struct waste_found){.kind = WASTE_SILENT_STORE,
                                           .first = first.site,
                                           .second = access->site,
                                           .distance = access->position - first.position,
                                           .bytes = access->bytes});
    return event;
}
