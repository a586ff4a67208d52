#include "waste/waste.h"

enum {
    RSP = 4,
    RED_ZONE = 128,
    STRING_MAX = 1 << 16, /* bytes of a string instruction that are followed */
};

void waste_thread_init(struct waste_thread *thread, struct waste_blocks *blocks,
                       struct waste_listener *listener)
{
    *thread = (struct waste_thread){.blocks = blocks, .listener = listener};
    waste_memory_init(&thread->memory, &thread->events, listener);
    waste_registers_init(&thread->registers, listener);
    waste_calls_init(&thread->calls, listener);
}

void waste_thread_release(struct waste_thread *thread)
{
    waste_memory_release(&thread->memory);
    waste_registers_release(&thread->registers);
    waste_calls_release(&thread->calls);
    vec_release(&thread->events);
    vec_release(&thread->events.free);
}

static void barrier(struct waste_thread *thread)
{
    thread->barriers++;
    waste_memory_forget(&thread->memory);
    waste_events_clear(&thread->events);
    waste_registers_forget(&thread->registers);
    waste_calls_void(&thread->calls);
}

void waste_thread_gap(struct waste_thread *thread)
{
    barrier(thread);
    waste_calls_forget(&thread->calls);
    thread->stack_low = thread->stack_high = 0;
    thread->next = 0;
}

/* ---- one instruction */

/* What its items recorded. */
struct record {
    uint32_t n; /* accesses */
    struct {
        uint64_t address, bytes;
        uint8_t access;
        bool hidden;
    } at[WASTE_ACCESSES];
    uint64_t count;   /* of a repeated one */
    bool valued;      /* operand has what a store stores */
    uint64_t operand; /* a whole general register */
    const struct wire_payload *items;
    const uint64_t *words;
    uint32_t n_items;
};

static void access_add(struct record *record, const struct wire_payload *item, uint64_t address,
                       uint64_t bytes)
{
    bool hidden = item->kind == PAYLOAD_PUSH || item->kind == PAYLOAD_POP;
    if (record->n == WASTE_ACCESSES)
        return;
    record->at[record->n].address = address;
    record->at[record->n].bytes = hidden ? item->detail : bytes;
    record->at[record->n].access = item->access;
    record->at[record->n++].hidden = hidden;
}

/* Returns how many items are the instruction's. */
static uint32_t record_read(struct record *record, const struct waste_code *code,
                            const struct wire_payload *items, uint32_t n, const uint64_t **words)
{
    uint32_t i = 0;
    record->n = 0; /* accesses that are not there are not read: clearing them took long */
    record->count = 1;
    record->valued = false;
    record->operand = 0;
    record->items = items;
    record->words = *words;
    for (; i < n && items[i].instruction == items[0].instruction; i++) {
        if (items[i].kind <= PAYLOAD_DESTINATION)
            access_add(record, &items[i], **words, code->bytes);
        else if (items[i].kind == PAYLOAD_COUNT)
            record->count = **words;
        else if (items[i].kind == PAYLOAD_OPERAND && items[i].detail == code->data)
            record->operand = **words, record->valued = true;
        *words += items[i].words;
    }
    record->n_items = i;
    return i;
}

/* What is in registers after it. */
static void results_put(struct waste_registers *registers, const struct record *record)
{
    const uint64_t *word = record->words;
    for (uint32_t i = 0; i < record->n_items; i++) {
        const struct wire_payload *item = &record->items[i];
        if (item->kind == PAYLOAD_RESULT && item->detail < WASTE_VECTORS)
            waste_registers_put(registers, item->detail, word, sizeof *word);
        else if (item->kind == PAYLOAD_VECTOR && WASTE_VECTORS + item->detail < WASTE_MASKS &&
                 item->words * sizeof *word <= WASTE_VALUE_BYTES)
            waste_registers_put(registers, WASTE_VECTORS + item->detail, word,
                                item->words * (uint32_t)sizeof *word);
        word += item->words;
    }
}

/* What a store stores; NULL: not known. */
static const uint8_t *stored(struct waste_thread *thread, const struct waste_code *code,
                             const struct record *record)
{
    uint64_t bytes = code->bytes;
    if (code->move == MOVE_CONSTANT)
        return bytes <= sizeof code->constant ? (const uint8_t *)&code->constant : NULL;
    if (code->move != MOVE_STORE)
        return NULL;
    if (record->valued && code->data_shift / 8 + bytes <= sizeof record->operand)
        return (const uint8_t *)&record->operand + code->data_shift / 8;
    return waste_registers_value(&thread->registers, code->data, code->data_shift, bytes);
}

static bool is_own(const struct waste_thread *thread, uint64_t address)
{
    return thread->stack_high && address + RED_ZONE >= thread->stack_low &&
           address < thread->stack_high;
}

static void stack_see(struct waste_thread *thread, uint64_t address)
{
    if (!thread->stack_high || address < thread->stack_low)
        thread->stack_low = address;
    if (address > thread->stack_high)
        thread->stack_high = address;
}

/* Whether others may read what it stores there. */
static bool is_shared(const struct waste_thread *thread, uint64_t address)
{
    if (!thread->shared)
        return false;
    bool alone = thread->pages && waste_pages_touch(thread->pages, address);
    return !alone && !is_own(thread, address);
}

static struct waste_access access_of(const struct waste_thread *thread,
                                     const struct waste_code *code, const struct record *record,
                                     uint32_t i, struct waste_site site)
{
    uint64_t bytes = record->at[i].bytes;
    if (code->flags & WASTE_REPEATED && !record->at[i].hidden)
        bytes *= record->count;
    return (struct waste_access){.site = site,
                                 .position = thread->position,
                                 .address = record->at[i].address,
                                 .bytes = bytes,
                                 .quiet = code->flags & (WASTE_QUIET | WASTE_MASKED),
                                 .hidden = record->at[i].hidden,
                                 .shared = is_shared(thread, record->at[i].address)};
}

/* ---- copies */

/* The copy that all bytes of a load are of, if nothing else has read it. */
static uint32_t copy_of(const struct waste_thread *thread, uint64_t address, uint64_t bytes)
{
    uint32_t writer = waste_memory_writer(&thread->memory, address, bytes);
    const struct waste_event *event = writer ? &thread->events.at[writer] : NULL;
    bool alone = event && event->copy && !event->copied && !event->used && event->bytes == bytes;
    return alone ? writer : 0;
}

/* The copy was used. If it is over by now, its number may be another's. */
static void origin_use(struct waste_thread *thread, uint32_t reg)
{
    const struct waste_origin *origin = &thread->registers.origin[reg];
    struct waste_event *event = waste_event(&thread->events, origin->event);
    if (event->position == origin->position)
        event->used = true;
}

/* Whatever reads a register but to store it uses what is in it; so does, to be safe, what
 * overwrites it before it was stored. */
static void origins_run(struct waste_thread *thread, const struct waste_code *code)
{
    struct waste_registers *registers = &thread->registers;
    uint64_t touched = registers->origins & (code->reads | code->writes);
    for (; touched; touched &= touched - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(touched);
        const struct waste_origin *origin = &registers->origin[reg];
        if (origin->stored == thread->position) /* now */
            continue;
        if (code->reads >> reg & 1 || !origin->stored)
            origin_use(thread, reg);
        registers->origins &= ~(UINT64_C(1) << reg);
    }
}

/* A store of what was loaded is a copy, and may be that of a copy. What is spilled to the stack is
 * none. */
static void copy_store(struct waste_thread *thread, const struct waste_code *code,
                       const struct waste_access *access, struct waste_event *event)
{
    struct waste_registers *registers = &thread->registers;
    uint64_t bit = UINT64_C(1) << code->data;
    bool spill = access->bytes <= 8 && is_own(thread, access->address);
    if (!(registers->loaded & bit) || registers->loaded_bytes[code->data] != access->bytes || spill)
        return;
    event->copy = true;
    if (!(registers->origins & bit))
        return;
    struct waste_origin *origin = &registers->origin[code->data];
    struct waste_event *first = waste_event(&thread->events, origin->event);
    if (first->position == origin->position && !origin->stored) {
        origin->stored = thread->position;
        first->copied = true;
        first->copier = access->site;
    }
}

static void copy_load(struct waste_thread *thread, const struct waste_code *code,
                      const struct waste_access *access)
{
    struct waste_registers *registers = &thread->registers;
    registers->loaded |= UINT64_C(1) << code->data;
    registers->loaded_bytes[code->data] = access->bytes;
    if (!access->copied)
        return;
    registers->origins |= UINT64_C(1) << code->data;
    registers->origin[code->data] = (struct waste_origin){
        access->copied, waste_event(&thread->events, access->copied)->position, 0};
}

/* All bytes are the same, and many: as memset and vectors of zeros have it. */
static bool is_set(const struct waste_access *access)
{
    if (!access->value || access->bytes < 16)
        return false;
    return memcmp(access->value, access->value + 1, access->bytes - 1) == 0;
}

/* ---- accesses */

static void loads_run(struct waste_thread *thread, const struct waste_code *code,
                      const struct record *record, struct waste_site site,
                      struct waste_access *ret_loaded)
{
    for (uint32_t i = 0; i < record->n; i++) {
        if (!(record->at[i].access & 1))
            continue;
        struct waste_access access = access_of(thread, code, record, i, site);
        const uint64_t *word = record->words;
        uint8_t value[WASTE_VALUE_BYTES];
        /* A load into a register has its value recorded as the result. */
        for (uint32_t k = 0; code->move == MOVE_LOAD && k < record->n_items; k++) {
            const struct wire_payload *item = &record->items[k];
            bool whole =
                (item->kind == PAYLOAD_RESULT && item->detail == code->data) ||
                (item->kind == PAYLOAD_VECTOR && WASTE_VECTORS + item->detail == code->data);
            if (whole && code->data_shift / 8 + access.bytes <= item->words * sizeof *word) {
                memcpy(value, (const uint8_t *)word + code->data_shift / 8, access.bytes);
                access.value = value;
            }
            word += item->words;
        }
        access.hidden |= (code->flags & WASTE_REPEATED) != 0;
        if (code->move == MOVE_LOAD)
            access.copied = copy_of(thread, access.address, access.bytes);
        waste_memory_load(&thread->memory, &access);
        if (code->move == MOVE_LOAD)
            *ret_loaded = access;
    }
}

static void stores_run(struct waste_thread *thread, const struct waste_code *code,
                       const struct record *record, struct waste_site site)
{
    for (uint32_t i = 0; i < record->n; i++) {
        if (!(record->at[i].access & 2))
            continue;
        struct waste_access access = access_of(thread, code, record, i, site);
        if (!access.hidden)
            access.value = stored(thread, code, record);
        uint32_t event = waste_memory_store(&thread->memory, &access);
        if (!event)
            continue;
        waste_event(&thread->events, event)->set = code->move == MOVE_SET || is_set(&access);
        if (code->move == MOVE_STORE && !access.hidden)
            copy_store(thread, code, &access, waste_event(&thread->events, event));
    }
}

/* ---- calls */

static bool is_string_search(const struct waste_code *code)
{
    return code->flags & WASTE_REPEATED && !(code->flags & WASTE_STORES);
}

/* What the instruction brings to the calls that it is part of: loads, and what becomes of flags and
 * registers that are not recorded, by its results. */
static void results_take(struct waste_thread *thread, const struct waste_code *code,
                         const struct record *record, bool loads)
{
    const uint64_t others = ~((UINT64_C(1) << WASTE_RECORDED) - 1);
    const uint64_t *word = record->words;
    bool results = false;
    if (!loads && !(code->reads & others))
        return;
    for (uint32_t i = 0; i < record->n_items; i++) {
        const struct wire_payload *item = &record->items[i];
        if (item->kind == PAYLOAD_RESULT || item->kind == PAYLOAD_VECTOR) {
            results = true;
            for (uint32_t k = 0; k < item->words; k++)
                waste_calls_word(&thread->calls, word[k]);
        }
        word += item->words;
    }
    bool known = results || !(code->writes & ~others & ~(UINT64_C(1) << RSP));
    if (!known || (loads && code->bytes > WASTE_VALUE_BYTES))
        waste_calls_void(&thread->calls);
}

static void inputs_take(struct waste_thread *thread, const struct waste_code *code)
{
    const uint64_t recorded = (UINT64_C(1) << WASTE_RECORDED) - 1, stack = UINT64_C(1) << RSP;
    for (uint64_t set = code->reads & recorded & ~stack; set; set &= set - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(set), bytes = thread->registers.known[reg];
        waste_calls_read(&thread->calls, reg, thread->position,
                         bytes ? thread->registers.value[reg] : NULL, bytes);
    }
}

/* What is only compared is recorded nowhere, but memory may know it. */
static void compared_take(struct waste_thread *thread, uint64_t address, uint64_t bytes)
{
    bool known, shared = thread->shared && !is_own(thread, address);
    uint64_t state =
        waste_memory_state(&thread->memory, address, bytes, thread->calls.innermost, &known);
    if (known || !shared)
        waste_calls_word(&thread->calls, state);
    else
        waste_calls_void(&thread->calls);
}

static void accesses_take(struct waste_thread *thread, const struct waste_code *code,
                          const struct record *record)
{
    const uint64_t recorded = (UINT64_C(1) << WASTE_RECORDED) - 1, stack = UINT64_C(1) << RSP;
    bool loads = false;
    for (uint32_t i = 0; i < record->n; i++) {
        uint64_t address = record->at[i].address;
        if (record->at[i].hidden)
            continue;
        loads |= record->at[i].access & 1;
        if (record->at[i].access == 1 && !(code->writes & recorded & ~stack))
            compared_take(thread, address, record->at[i].bytes);
        if (record->at[i].access & 2)
            waste_calls_store(&thread->calls, address);
    }
    results_take(thread, code, record, loads);
}

/* Before registers are written. */
static void calls_take(struct waste_thread *thread, uint32_t place, const struct waste_code *code,
                       const struct record *record)
{
    struct waste_calls *calls = &thread->calls;
    if (code->flags & (WASTE_QUIET | WASTE_ASKS) || is_string_search(code))
        waste_calls_void(calls);
    if (calls->n_open && !(code->flags & WASTE_SAVES)) {
        waste_calls_word(calls, place);
        inputs_take(thread, code);
        accesses_take(thread, code, record);
    }
    waste_calls_write(calls, code->writes, thread->position);
}

static void calls_run(struct waste_thread *thread, const struct waste_code *code,
                      const struct record *record, struct waste_site site)
{
    if (!record->n)
        return;
    uint64_t slot = record->at[record->n - 1].address;
    if (code->flags & WASTE_CALLS)
        waste_calls_enter(&thread->calls, slot, site, thread->position);
    else
        waste_calls_leave(&thread->calls, slot, thread->position);
}

static bool too_long(const struct waste_code *code, const struct record *record)
{
    return code->flags & WASTE_REPEATED && record->count > STRING_MAX / (code->bytes + 1u);
}

static void instruction_run(struct waste_thread *thread, uint32_t number,
                            const struct record *record)
{
    struct waste_instruction *instruction = &thread->blocks->code.at[number];
    const struct waste_code *code = &instruction->code;
    struct waste_site site = {number, waste_calls_caller(&thread->calls)};
    if (!instruction->executed++)
        *vec_push(&thread->blocks->met) = number;
    thread->position++;
    if (code->flags & WASTE_BARRIER || too_long(code, record)) {
        barrier(thread);
        return;
    }
    for (uint32_t i = 0; i < record->n; i++)
        if (record->at[i].hidden)
            stack_see(thread, record->at[i].address);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < record->n; i++)
        bytes += record->at[i].bytes;
    struct waste_access loaded = {0};
    if (record->n) {
        loads_run(thread, code, record, site, &loaded);
        stores_run(thread, code, record, site);
    }
    if (thread->registers.origins)
        origins_run(thread, code);
    calls_take(thread, instruction->place, code, record);
    waste_registers_run(&thread->registers, code, site, thread->position, bytes);
    if (loaded.bytes)
        copy_load(thread, code, &loaded);
    if (record->n_items)
        results_put(&thread->registers, record);
    if (code->flags & (WASTE_CALLS | WASTE_RETURNS))
        calls_run(thread, code, record, site);
}

/* ---- exits */

/* What is next after an exit, if that is always the same; 0. */
static uint64_t next_of(const struct units *units, const struct superblock *superblock,
                        uint32_t exit, uint32_t last)
{
    const struct unit_segment *segment = &units->segments.at[superblock->first_segment + last];
    bool falls = exit - superblock->first_exit >= superblock->n_segments;
    if (falls)
        return segment->start + segment->bytes;
    return segment->end == SEGMENT_STOP ? 0 : segment->target;
}

static void exit_run(struct waste_thread *thread, uint32_t exit, const uint64_t **words)
{
    const struct units *units = thread->blocks->units;
    struct payload_part part;
    int32_t owner = units_owner(units, exit);
    if (owner == UNIT_NONE || !payload_part(units, exit, &part)) {
        waste_thread_gap(thread);
        return;
    }
    const struct superblock *superblock = &units->superblocks.at[owner];
    const struct wire_payload *items = part.n_items ? &units->payload.at[part.first_item] : NULL;
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    uint32_t first = waste_block(thread->blocks, (uint32_t)owner), done = 0, n = 0;
    if (thread->next && thread->next != units->segments.at[superblock->first_segment].start)
        barrier(thread); /* a signal handler, for one */
    thread->next = next_of(units, superblock, exit, last);
    for (uint32_t s = 0; s <= last; s++)
        n += units->segments.at[superblock->first_segment + s].instructions;
    if (first == WASTE_UNREADABLE) {
        thread->unread++;
        thread->position += n;
        *words += part.words;
        waste_thread_gap(thread);
        return;
    }
    if (thread->memory.grains.n >= WASTE_GRAINS_MAX) {
        thread->memory.full++;
        barrier(thread);
    }
    for (uint32_t i = 0; i < n; i++) {
        static const struct record nothing = {.count = 0};
        bool recorded = done < part.n_items && items[done].instruction == i;
        struct record record;
        if (recorded)
            done += record_read(&record, &thread->blocks->code.at[first + i].code, &items[done],
                                part.n_items - done, words);
        instruction_run(thread, first + i, recorded ? &record : &nothing);
    }
}

void waste_thread_run(struct waste_thread *thread, const struct payload_window *window)
{
    const uint64_t *words = window->words;
    for (uint32_t i = 0; i < window->n_exits; i++)
        exit_run(thread, window->exits[i], &words);
}
