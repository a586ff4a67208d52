#include "program/cfg/tracked_memory.h"

#include "program/elf/evidence.h"
#include "program/cfg/tracked_names.h"

/* ---- the stack */

static unsigned stack_of(const struct tracker *tracker, value_name name)
{
    for (unsigned i = 0; i < TRACKER_STACKS; i++)
        if (name && tracker->stacks.names[i] == name)
            return i;
    return TRACKER_STACKS;
}

void tracked_escape(struct tracker *tracker, const struct value *value)
{
    unsigned stack = value->kind == VALUE_TERM ? stack_of(tracker, value->name) : TRACKER_STACKS;
    if (stack == TRACKER_STACKS || tracker->stacks.escaped[stack] <= (int64_t)value->number)
        return;
    tracker->stacks.escaped[stack] = (int64_t)value->number;
    tracker->escaped_more = true;
}

static bool slot_is_safe(const struct tracker *tracker, const struct slot *slot)
{
    unsigned stack = stack_of(tracker, slot->name);
    return stack < TRACKER_STACKS &&
           (int64_t)slot->number + slot->bits / 8 <= tracker->stacks.escaped[stack];
}

/* Somebody wrote somewhere. Of the stack it is remembered what was there: a compiler that reads it
 * again without another check knows that it was not changed. */
static void slot_doubt(const struct tracker *tracker, struct state *state, uint32_t i)
{
    struct slot *slot = &state->slots[i];
    if (slot_is_safe(tracker, slot))
        return;
    if (stack_of(tracker, slot->name) == TRACKER_STACKS || slot->value.kind != VALUE_TERM)
        state_slot_drop(state, i);
    else
        slot->value.weak = true;
}

void tracked_doubt(const struct tracker *tracker, struct state *state)
{
    for (uint32_t i = state->n_slots; i-- > 0;)
        slot_doubt(tracker, state, i);
}

/* ---- addresses */

static void address_add(struct address_sum *address, struct value value, uint8_t scale)
{
    if (value.kind == VALUE_CONST)
        address->number += value.number * scale;
    else if (value.kind != VALUE_TERM || address->term.kind != VALUE_ANY)
        address->known = false;
    else {
        address->term = value;
        address->scale = scale;
    }
}

struct address_sum address_sum_of(const struct state *state, const struct operand *memory)
{
    struct address_sum address = {.known = !memory->segment, .number = (uint64_t)memory->value};
    if (memory->base != REGISTER_NONE)
        address_add(&address, state->registers[memory->base], 1);
    if (memory->index != REGISTER_NONE)
        address_add(&address, state->registers[memory->index], memory->scale);
    return address;
}

/* Whether it is a constant or a name plus a constant; then of that shape. */
static bool address_plain(struct address_sum *address)
{
    const struct value *term = &address->term;
    if (!address->known)
        return false;
    if (term->kind == VALUE_ANY)
        return true;
    if (term->bits != 64 || term->scale != 1 || address->scale != 1)
        return false;
    address->number += term->number;
    return true;
}

/* ---- loads */

/* What the program cannot change is known. */
static bool constant_get(const struct tracker *tracker, const struct address_sum *address,
                         unsigned bits, struct value *ret)
{
    struct svma at = {address->number};
    uint64_t number;
    if (!address->known || address->term.kind != VALUE_ANY || (bits != 32 && bits != 64) ||
        !evidence_constant(tracker->evidence, at) ||
        !evidence_number(tracker->evidence, tracker->image, at, bits / 8, &number))
        return false;
    *ret = value_const(number & width_mask(bits));
    return true;
}

/* Whether the index was counted from the first case already: compilers do that in a register or in
 * the table's address, not in both. */
static bool is_biased(const struct tracker *tracker, const struct value *term)
{
    uint32_t instruction;
    if (term->number)
        return true;
    if (!name_instruction(tracker, term->name, &instruction))
        return false;
    switch ((enum operation_kind)tracker->operations[instruction].kind) {
    case OPERATION_ADD:
    case OPERATION_SUB:
    case OPERATION_LEA: return true;
    default: return false;
    }
}

/* Whether an index, times its scale, steps over whole entries of a table. */
static bool is_table_load(const struct address_sum *address, const struct operand *memory)
{
    unsigned bytes = memory->bits / 8;
    return address->known && address->term.kind == VALUE_TERM && address->number &&
           (bytes == 4 || bytes == 8) && (unsigned)address->term.scale * address->scale == bytes;
}

static struct table_load table_load_make(const struct tracker *tracker, const struct state *state,
                                         const struct address_sum *address,
                                         const struct operand *memory)
{
    const struct value *term = &address->term;
    struct table_load load = {.table = address->number,
                              .bytes = memory->bits / 8,
                              .weak = term->weak,
                              .folded = memory->value && !is_biased(tracker, term),
                              .index = state_range(state, term)};
    if (term->bits != 64 || load.index.limit != LIMIT_NONE)
        return load;
    /* A compiler that checks the lower half of an index knows that the upper one is zero. */
    struct value half = value_cut(*term, 32);
    struct value_range checked = state_range(state, &half);
    if (checked.limit != LIMIT_NONE) {
        load.index = checked;
        load.weak = true;
    }
    return load;
}

/* What is held at a plain address; from now on, what is loaded from there. */
static struct value slot_load(struct state *state, uint32_t instruction, value_name name,
                              uint64_t number, unsigned bits)
{
    const struct slot *slot = state_slot(state, name, number, bits);
    struct value held = slot ? value_cut(slot->value, bits) : (struct value){0};
    if (held.kind != VALUE_ANY)
        return held;
    struct value value = value_fresh(state, instruction, NAME_LOADED, bits);
    if (name != value.name)
        state_slot_set(state, name, number, bits, value);
    return value;
}

struct value tracked_load(struct tracker *tracker, struct state *state, uint32_t instruction,
                          const struct operand *memory)
{
    struct address_sum address = address_sum_of(state, memory);
    struct table_load *noted = &tracker->loads[instruction];
    *noted = (struct table_load){0};
    struct value constant;
    if (constant_get(tracker, &address, memory->bits, &constant))
        return constant;
    if (is_table_load(&address, memory))
        *noted = table_load_make(tracker, state, &address, memory);
    else if (address_plain(&address) && memory->bits)
        return slot_load(state, instruction, address.term.name, address.number, memory->bits);
    return value_fresh(state, instruction, NAME_LOADED, memory->bits ? memory->bits : 64);
}

/* ---- stores */

/* Whether a store of so many bytes, from `to` on, touches a slot of the same name. */
static bool slot_is_hit(const struct slot *slot, uint64_t to, uint64_t bytes)
{
    if (!bytes)
        return (int64_t)slot->number + slot->bits / 8 > (int64_t)to;
    return slot->number - to < bytes || to - slot->number < slot->bits / 8u;
}

/* Drops what a store of so many bytes may have changed. `plain` NULL: it may be to anywhere. */
static void slots_overwrite(const struct tracker *tracker, struct state *state,
                            const struct address_sum *plain, uint64_t bytes)
{
    unsigned stack = plain ? stack_of(tracker, plain->term.name) : TRACKER_STACKS;
    bool to_stack = stack < TRACKER_STACKS;
    /* A store to the stack below all that escaped changes nothing that others can name. */
    bool is_private =
        to_stack && bytes && (int64_t)(plain->number + bytes) <= tracker->stacks.escaped[stack];
    for (uint32_t i = state->n_slots; i-- > 0;) {
        const struct slot *slot = &state->slots[i];
        if (plain && slot->name == plain->term.name) {
            if (slot_is_hit(slot, plain->number, bytes))
                state_slot_drop(state, i);
        } else if (to_stack && stack_of(tracker, slot->name) < TRACKER_STACKS)
            state_slot_drop(state, i); /* how far the two are apart is not known */
        else if (!is_private)
            slot_doubt(tracker, state, i);
    }
}

/* A store to an address that is not plain may be to anything above the stack address in it. */
static void address_escape(struct tracker *tracker, const struct state *state,
                           const struct operand *memory)
{
    if (memory->base != REGISTER_NONE) {
        struct value base = state->registers[memory->base];
        base.number += (uint64_t)memory->value;
        tracked_escape(tracker, &base);
    }
    if (memory->index != REGISTER_NONE)
        tracked_escape(tracker, &state->registers[memory->index]);
}

void tracked_overwrite(struct tracker *tracker, struct state *state, const struct operand *memory,
                       uint64_t bytes)
{
    struct address_sum address = memory ? address_sum_of(state, memory) : (struct address_sum){0};
    bool plain = address_plain(&address);
    if (memory && !plain)
        address_escape(tracker, state, memory);
    slots_overwrite(tracker, state, plain ? &address : NULL, bytes);
}

void tracked_store(struct tracker *tracker, struct state *state, const struct operand *memory,
                   struct value value)
{
    struct address_sum address = address_sum_of(state, memory);
    tracked_escape(tracker, &value);
    tracked_overwrite(tracker, state, memory, memory->bits / 8u);
    if (memory->bits && address_plain(&address) && value.kind != VALUE_ANY)
        state_slot_set(state, address.term.name, address.number, memory->bits, value);
}
