#include "program/tracker.h"

#include "base/memory.h"
#include "program/evidence.h"

/* Names: 1..16 are the registers at the entry; then a few for each instruction; then joins. */
enum { NAME_LOADED, NAME_RESULT, NAME_MERGED, NAME_EXTRA, NAMES_EACH };
#define NAME_FIRST 17u

static value_name name_of(uint32_t instruction, unsigned which)
{
    return NAME_FIRST + instruction * NAMES_EACH + which;
}

void tracker_init(struct tracker *tracker, const struct image *image,
                  const struct evidence *evidence, const struct operation *operations, size_t n)
{
    *tracker = (struct tracker){
        .image = image, .evidence = evidence, .operations = operations, .n_operations = n};
    tracker->loads = mem_alloc(n * sizeof *tracker->loads);
    tracker->stacks[0] = 1 + REGISTER_RSP;
    for (unsigned i = 0; i < TRACKER_STACKS; i++)
        tracker->escaped[i] = INT64_MAX;
}

void tracker_release(struct tracker *tracker)
{
    mem_free(tracker->loads);
    *tracker = (struct tracker){0};
}

void tracker_begin(const struct tracker *tracker, struct state *state)
{
    (void)tracker;
    *state = (struct state){0};
    for (unsigned r = 0; r < REGISTERS; r++)
        state->registers[r] = value_named(1 + r, 64);
}

value_name tracker_names_end(const struct tracker *tracker)
{
    return name_of((uint32_t)tracker->n_operations, 0);
}

/* A new unknown of this instruction. */
static struct value fresh(struct state *state, uint32_t instruction, unsigned which, unsigned bits)
{
    value_name name = name_of(instruction, which);
    state_forget(state, name);
    return value_named(name, bits);
}

/* ---- the stack */

static unsigned stack_of(const struct tracker *tracker, value_name name)
{
    for (unsigned i = 0; i < TRACKER_STACKS; i++)
        if (name && tracker->stacks[i] == name)
            return i;
    return TRACKER_STACKS;
}

/* The value goes where it can no longer be followed. */
static void escape(struct tracker *tracker, const struct value *value)
{
    unsigned stack = value->kind == VALUE_TERM ? stack_of(tracker, value->name) : TRACKER_STACKS;
    if (stack == TRACKER_STACKS || tracker->escaped[stack] <= (int64_t)value->number)
        return;
    tracker->escaped[stack] = (int64_t)value->number;
    tracker->escaped_more = true;
}

static bool slot_is_safe(const struct tracker *tracker, const struct slot *slot)
{
    unsigned stack = stack_of(tracker, slot->name);
    return stack < TRACKER_STACKS &&
           (int64_t)slot->number + slot->bits / 8 <= tracker->escaped[stack];
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

void tracker_join(struct tracker *tracker, const struct state *a, const struct state *b)
{
    for (unsigned r = 0; r < REGISTERS; r++)
        if (r != REGISTER_RSP && !value_equal(&a->registers[r], &b->registers[r])) {
            escape(tracker, &a->registers[r]);
            escape(tracker, &b->registers[r]);
        }
}

bool tracker_stack_empty(const struct tracker *tracker, const struct state *state)
{
    struct value entry = value_named(tracker->stacks[0], 64);
    return value_equal(&state->registers[REGISTER_RSP], &entry);
}

/* ---- memory */

/* An address as a sum: what is constant of it, and up to one thing that is not. */
struct address {
    bool known; /* else there was more */
    uint64_t number;
    struct value term; /* ANY: none */
    uint8_t scale;
};

static void address_add(struct address *address, struct value value, uint8_t scale)
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

static struct address address_of(const struct state *state, const struct operand *memory)
{
    struct address address = {.known = !memory->segment, .number = (uint64_t)memory->value};
    if (memory->base != REGISTER_NONE)
        address_add(&address, state->registers[memory->base], 1);
    if (memory->index != REGISTER_NONE)
        address_add(&address, state->registers[memory->index], memory->scale);
    return address;
}

/* Whether it is a constant or a name plus a constant; then of that shape. */
static bool address_plain(struct address *address)
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

/* What the program cannot change is known. */
static bool constant_get(const struct tracker *tracker, const struct address *address,
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

/* Whether the index was counted from the first case already: compilers do that in a register or in the
 * table's address, not in both. */
static bool is_biased(const struct tracker *tracker, const struct value *term)
{
    uint32_t place = term->name - NAME_FIRST;
    if (term->number || term->name < NAME_FIRST || place / NAMES_EACH >= tracker->n_operations)
        return term->number != 0;
    switch ((enum operation_kind)tracker->operations[place / NAMES_EACH].kind) {
    case OPERATION_ADD:
    case OPERATION_SUB:
    case OPERATION_LEA: return true;
    default: return false;
    }
}

/* A compiler that checks the lower half of an index knows that the upper one is zero. */
static void load_note(const struct tracker *tracker, const struct state *state,
                      struct table_load *noted, const struct address *address, uint8_t bytes,
                      bool displaced)
{
    const struct value *term = &address->term;
    *noted = (struct table_load){.table = address->number,
                                 .bytes = bytes,
                                 .weak = term->weak,
                                 .folded = displaced && !is_biased(tracker, term),
                                 .index = state_range(state, term)};
    struct value half = value_cut(*term, 32);
    struct value_range checked = state_range(state, &half);
    if (term->bits != 64 || noted->index.limit != LIMIT_NONE || checked.limit == LIMIT_NONE)
        return;
    noted->index = checked;
    noted->weak = true;
}

static struct value load(struct tracker *tracker, struct state *state, uint32_t instruction,
                         const struct operand *memory)
{
    struct address address = address_of(state, memory);
    const struct value *term = &address.term;
    unsigned bytes = memory->bits / 8;
    struct table_load *noted = &tracker->loads[instruction];
    *noted = (struct table_load){0};
    struct value constant;
    if (constant_get(tracker, &address, memory->bits, &constant))
        return constant;
    if (address.known && term->kind == VALUE_TERM && address.number && (bytes == 4 || bytes == 8) &&
        (unsigned)term->scale * address.scale == bytes)
        load_note(tracker, state, noted, &address, (uint8_t)bytes, memory->value != 0);
    else if (address_plain(&address) && memory->bits) {
        const struct slot *slot = state_slot(state, term->name, address.number, memory->bits);
        struct value held = slot ? value_cut(slot->value, memory->bits) : (struct value){0};
        if (held.kind != VALUE_ANY)
            return held;
        value_name name = term->name;
        struct value value = fresh(state, instruction, NAME_LOADED, memory->bits);
        if (name != value.name)
            state_slot_set(state, name, address.number, memory->bits, value);
        return value;
    }
    return fresh(state, instruction, NAME_LOADED, memory->bits ? memory->bits : 64);
}

/* Drops what a store of so many bytes may have changed; 0 bytes: any number, upwards. */
static void overwrite(const struct tracker *tracker, struct state *state, struct address address,
                      uint64_t bytes)
{
    bool plain = address_plain(&address);
    value_name name = plain ? address.term.name : 0;
    unsigned stack = plain ? stack_of(tracker, name) : TRACKER_STACKS;
    /* A store to the stack below all that escaped changes nothing that others can name. */
    bool is_private = stack < TRACKER_STACKS && bytes &&
                      (int64_t)(address.number + bytes) <= tracker->escaped[stack];
    for (uint32_t i = state->n_slots; i-- > 0;) {
        const struct slot *slot = &state->slots[i];
        bool hit;
        if (plain && slot->name == name)
            hit = bytes ? slot->number - address.number < bytes ||
                              address.number - slot->number < slot->bits / 8u
                        : (int64_t)slot->number + slot->bits / 8 > (int64_t)address.number;
        else if (stack < TRACKER_STACKS && stack_of(tracker, slot->name) < TRACKER_STACKS)
            hit = true; /* how far the two are apart is not known */
        else {
            if (!is_private)
                slot_doubt(tracker, state, i);
            continue;
        }
        if (hit)
            state_slot_drop(state, i);
    }
}

/* The address of a store. One that is not plain may be anything above the stack address in it. */
static struct address address_stored(struct tracker *tracker, const struct state *state,
                                     const struct operand *memory)
{
    struct address address = address_of(state, memory), copy = address;
    if (!address_plain(&copy)) {
        if (memory->base != REGISTER_NONE) {
            struct value base = state->registers[memory->base];
            base.number += (uint64_t)memory->value;
            escape(tracker, &base);
        }
        if (memory->index != REGISTER_NONE)
            escape(tracker, &state->registers[memory->index]);
    }
    return address;
}

static void store(struct tracker *tracker, struct state *state, const struct operand *memory,
                  struct value value)
{
    struct address address = address_stored(tracker, state, memory);
    escape(tracker, &value);
    overwrite(tracker, state, address, memory->bits / 8u);
    if (memory->bits && address_plain(&address) && value.kind != VALUE_ANY)
        state_slot_set(state, address.term.name, address.number, memory->bits, value);
}

/* ---- operands */

static struct value operand_get(struct tracker *tracker, struct state *state, uint32_t instruction,
                                const struct operand *operand)
{
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_REGISTER: return value_cut(state->registers[operand->reg], operand->bits);
    case OPERAND_IMMEDIATE: return value_const((uint64_t)operand->value);
    case OPERAND_MEMORY: return load(tracker, state, instruction, operand);
    case OPERAND_NONE: break;
    }
    return (struct value){0};
}

/* `value` is zero-extended to 64 bits, or ANY. */
static void register_set(struct tracker *tracker, struct state *state, uint32_t instruction,
                         const struct operand *operand, struct value value)
{
    struct value *reg = &state->registers[operand->reg];
    if (operand->bits >= 32) {
        value = value_cut(value, operand->bits);
        *reg =
            value.kind != VALUE_ANY ? value : fresh(state, instruction, NAME_RESULT, operand->bits);
        return;
    }
    /* The rest of the register stays: the whole is something new, but its low part is known. */
    escape(tracker, reg);
    struct value_range range = state_range(state, &value);
    *reg = (struct value){0};
    *reg = fresh(state, instruction, NAME_MERGED, 64);
    struct value low = value_cut(*reg, operand->bits);
    if (value.kind == VALUE_CONST || value.kind == VALUE_TERM)
        state_learn(state, &low, range);
}

static void operand_set(struct tracker *tracker, struct state *state, uint32_t instruction,
                        const struct operand *operand, struct value value)
{
    if (operand->kind == OPERAND_REGISTER)
        register_set(tracker, state, instruction, operand, value);
    else if (operand->kind == OPERAND_MEMORY)
        store(tracker, state, operand, value);
}

/* ---- arithmetic */

/* Something new of which only the range is known. */
static struct value ranged(struct state *state, uint32_t instruction, unsigned bits,
                           struct value_range range, bool weak)
{
    struct value value = fresh(state, instruction, NAME_RESULT, bits);
    state_learn(state, &value, range);
    value.weak = weak;
    return value;
}

static struct value add_const(struct tracker *tracker, struct state *state, uint32_t instruction,
                              struct value value, uint64_t number, unsigned bits)
{
    if (!number)
        return value_cut(value, bits);
    struct value sum = value_add(value, number, bits);
    if (sum.kind != VALUE_ANY)
        return sum;
    const struct table_load *from = tracker_load(tracker, &value);
    if (from && from->bytes == 4 && bits == 64 && value.bits == 32 && value.is_signed)
        return (struct value){.kind = VALUE_TARGET, .name = value.name, .number = number};
    escape(tracker, &value);
    if (value.kind != VALUE_TERM || value.scale != 1)
        return fresh(state, instruction, NAME_RESULT, bits);
    struct value_range range = state_range(state, &value);
    if (!range_shift(&range, number, bits))
        return fresh(state, instruction, NAME_RESULT, bits);
    return ranged(state, instruction, bits, range, value.weak);
}

static struct value add(struct tracker *tracker, struct state *state, uint32_t instruction,
                        struct value a, struct value b, unsigned bits)
{
    if (b.kind == VALUE_CONST)
        return add_const(tracker, state, instruction, a, b.number, bits);
    if (a.kind == VALUE_CONST)
        return add_const(tracker, state, instruction, b, a.number, bits);
    escape(tracker, &a);
    escape(tracker, &b);
    return fresh(state, instruction, NAME_RESULT, bits);
}

static struct value lea(struct tracker *tracker, struct state *state, uint32_t instruction,
                        const struct operation *operation)
{
    struct address address = address_of(state, &operation->src);
    unsigned bits = operation->dst.bits;
    struct value term = address.term;
    if (address.known && term.kind == VALUE_ANY)
        return value_const(address.number & width_mask(bits));
    unsigned scale = (unsigned)term.scale * address.scale;
    if (address.known && scale == 1)
        return add_const(tracker, state, instruction, term, address.number, bits);
    if (address.known && !address.number && bits == 64 && scale <= 8) {
        term.scale = (uint8_t)scale;
        return term;
    }
    if (operation->src.base != REGISTER_NONE)
        escape(tracker, &state->registers[operation->src.base]);
    if (operation->src.index != REGISTER_NONE)
        escape(tracker, &state->registers[operation->src.index]);
    return fresh(state, instruction, NAME_RESULT, bits);
}

static struct value mask(struct tracker *tracker, struct state *state, uint32_t instruction,
                         struct value value, struct value by, unsigned bits, bool is_stack)
{
    escape(tracker, &value);
    if (by.kind != VALUE_CONST) {
        struct value_range a = state_range(state, &value), b = state_range(state, &by);
        return ranged(state, instruction, bits,
                      (struct value_range){0, a.high < b.high ? a.high : b.high, LIMIT_NONE},
                      value.weak || by.weak);
    }
    uint64_t number = by.number & width_mask(bits);
    struct value_range range = state_range(state, &value);
    for (unsigned w = 8; w <= 32; w *= 2)
        if (number == width_mask(w) && value.kind == VALUE_TERM && value_cut(value, w).kind)
            return value_cut(value, w);
    if (value.kind == VALUE_CONST)
        return value_const(value.number & number);
    if (range.high <= number && !((number + 1) & number))
        return value_cut(value, bits);
    struct value masked =
        ranged(state, instruction, bits,
               (struct value_range){0, range.high < number ? range.high : number, LIMIT_NONE},
               value.weak && range.high < number);
    if (is_stack)
        tracker->stacks[TRACKER_STACKS - 1] = masked.name;
    return masked;
}

static struct value shift(struct tracker *tracker, struct state *state, uint32_t instruction,
                          const struct operation *operation, struct value value)
{
    unsigned bits = operation->dst.bits;
    uint64_t by = (uint64_t)operation->src.value;
    escape(tracker, &value);
    if (operation->src.kind != OPERAND_IMMEDIATE || by >= bits)
        return fresh(state, instruction, NAME_RESULT, bits);
    struct value_range range = state_range(state, &value);
    if (operation->kind == OPERATION_SHR) {
        range = (struct value_range){range.low >> by, range.high >> by, LIMIT_NONE};
        return ranged(state, instruction, bits, range, value.weak);
    }
    if (by > 3 || value.kind != VALUE_TERM || value.scale != 1 ||
        (bits == 32 && range.high > width_mask(32) >> by))
        return fresh(state, instruction, NAME_RESULT, bits);
    value.scale = (uint8_t)(1u << by);
    return value;
}

static struct value sign_extend(struct state *state, uint32_t instruction,
                                const struct operation *operation, struct value value)
{
    unsigned from = operation->src.bits, to = operation->dst.bits;
    if (value.kind == VALUE_CONST) {
        uint64_t sign = UINT64_C(1) << (from - 1);
        return value_const((((value.number & width_mask(from)) ^ sign) - sign) & width_mask(to));
    }
    if (value.kind != VALUE_TERM || value.scale != 1)
        return fresh(state, instruction, NAME_RESULT, to);
    if (state_range(state, &value).high <= width_mask(from) >> 1)
        return value;
    if (to != 64 || value.bits != from)
        return fresh(state, instruction, NAME_RESULT, to);
    value.is_signed = true;
    return value;
}

/* ---- comparisons */

static void compare(struct state *state, struct value left, struct value right, unsigned bits)
{
    left = value_cut(left, bits);
    right = value_cut(right, bits);
    state->swapped = left.kind == VALUE_CONST;
    if (state->swapped) {
        struct value swap = left;
        left = right;
        right = swap;
    }
    bool understood = left.kind == VALUE_TERM && left.bits <= bits && right.kind == VALUE_CONST;
    state->left = understood ? left : (struct value){0};
    state->right = right.number;
    state->compared_bits = (uint8_t)bits;
}

/* With its sides exchanged. */
static enum condition condition_swap(enum condition condition)
{
    switch (condition) {
    case CONDITION_ABOVE: return CONDITION_BELOW;
    case CONDITION_ABOVE_EQUAL: return CONDITION_BELOW_EQUAL;
    case CONDITION_BELOW: return CONDITION_ABOVE;
    case CONDITION_BELOW_EQUAL: return CONDITION_ABOVE_EQUAL;
    case CONDITION_GREATER: return CONDITION_LESS;
    case CONDITION_GREATER_EQUAL: return CONDITION_LESS_EQUAL;
    case CONDITION_LESS: return CONDITION_GREATER;
    case CONDITION_LESS_EQUAL: return CONDITION_GREATER_EQUAL;
    case CONDITION_EQUAL:
    case CONDITION_NOT_EQUAL: return condition;
    default: return CONDITION_NONE;
    }
}

/* Signed comparisons of what is known not to be negative are unsigned ones. */
static enum condition condition_unsigned(enum condition condition, struct value_range *known,
                                         uint64_t right, uint64_t positive)
{
    bool both = known->high <= positive && right <= positive;
    switch (condition) {
    case CONDITION_NOT_SIGN:
        if (!right && known->high > positive)
            known->high = positive;
        return CONDITION_NONE;
    case CONDITION_GREATER:
    case CONDITION_GREATER_EQUAL:
        if (right > positive)
            return CONDITION_NONE;
        if (known->high > positive)
            known->high = positive;
        return condition == CONDITION_GREATER ? CONDITION_ABOVE : CONDITION_ABOVE_EQUAL;
    case CONDITION_LESS: return both ? CONDITION_BELOW : CONDITION_NONE;
    case CONDITION_LESS_EQUAL: return both ? CONDITION_BELOW_EQUAL : CONDITION_NONE;
    default: return condition;
    }
}

void tracker_branch(const struct tracker *tracker, struct state *state, uint32_t instruction,
                    bool taken)
{
    enum condition condition = (enum condition)tracker->operations[instruction].condition;
    const struct value left = state->left;
    if (left.kind != VALUE_TERM || condition == CONDITION_NONE)
        return;
    if (!taken)
        condition = condition_negate(condition);
    if (state->swapped)
        condition = condition_swap(condition);
    uint64_t right = state->right;
    struct value_range range = state_range(state, &left);
    range.limit = LIMIT_NONE;
    condition = condition_unsigned(condition, &range, right, width_mask(state->compared_bits) >> 1);
    switch (condition) {
    case CONDITION_ABOVE: range.low = right == UINT64_MAX ? right : right + 1; break;
    case CONDITION_ABOVE_EQUAL: range.low = right; break;
    case CONDITION_BELOW:
        range.limit = right ? right - 1 : 0;
        range.high = range.limit < range.high ? range.limit : range.high;
        break;
    case CONDITION_BELOW_EQUAL:
        range.limit = right;
        range.high = right < range.high ? right : range.high;
        break;
    case CONDITION_EQUAL: range.low = range.high = range.limit = right; break;
    default: break;
    }
    state_learn(state, &left, range);
}

/* ---- instructions */

static void step_stack(struct tracker *tracker, struct state *state, uint32_t instruction,
                       const struct operation *operation)
{
    struct value *rsp = &state->registers[REGISTER_RSP], *rbp = &state->registers[REGISTER_RBP];
    struct operand top = {
        .kind = OPERAND_MEMORY, .bits = 64, .base = REGISTER_RSP, .index = REGISTER_NONE};
    if (operation->kind == OPERATION_PUSH) {
        struct value value = operand_get(tracker, state, instruction, &operation->src);
        *rsp = add_const(tracker, state, instruction, *rsp, (uint64_t)-8, 64);
        store(tracker, state, &top, value_cut(value, 64));
        return;
    }
    if (operation->kind == OPERATION_LEAVE)
        *rsp = *rbp;
    struct value value = load(tracker, state, instruction, &top);
    *rsp = add_const(tracker, state, instruction, *rsp, 8, 64);
    if (operation->kind == OPERATION_LEAVE)
        *rbp = value;
    else
        operand_set(tracker, state, instruction, &operation->dst, value);
}

static void step_call(struct tracker *tracker, struct state *state, uint32_t instruction)
{
    static const uint8_t clobbered[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
    for (size_t i = 0; i < sizeof clobbered; i++)
        escape(tracker, &state->registers[clobbered[i]]);
    for (uint32_t i = state->n_slots; i-- > 0;)
        slot_doubt(tracker, state, i);
    for (size_t i = 0; i < sizeof clobbered; i++)
        state->registers[clobbered[i]] = (struct value){0};
    state->registers[REGISTER_RAX] = fresh(state, instruction, NAME_RESULT, 64);
}

static void step_other(struct tracker *tracker, struct state *state, uint32_t instruction,
                       const struct operation *operation)
{
    if (operation->stores) {
        struct address address = {0};
        if (operation->dst.kind == OPERAND_MEMORY)
            address = address_stored(tracker, state, &operation->dst);
        overwrite(tracker, state, address, operation->store_bytes);
    }
    unsigned which = NAME_RESULT;
    for (unsigned r = 0; r < REGISTERS; r++)
        if (operation->reads >> r & 1 && r != REGISTER_RSP)
            escape(tracker, &state->registers[r]);
    for (unsigned r = 0; r < REGISTERS; r++)
        if (operation->writes >> r & 1) {
            state->registers[r] = (struct value){0};
            if (which < NAMES_EACH)
                state->registers[r] = fresh(state, instruction, which++, 64);
        }
}

static void step_arithmetic(struct tracker *tracker, struct state *state, uint32_t instruction,
                            const struct operation *operation)
{
    const struct operand *dst = &operation->dst;
    struct value a = operand_get(tracker, state, instruction, dst);
    struct value b = operand_get(tracker, state, instruction, &operation->src);
    struct value result = {0};
    bool is_stack = dst->kind == OPERAND_REGISTER && dst->reg == REGISTER_RSP;
    switch ((enum operation_kind)operation->kind) {
    case OPERATION_ADD: result = add(tracker, state, instruction, a, b, dst->bits); break;
    case OPERATION_SUB:
        compare(state, a, b, dst->bits);
        b.number = -b.number;
        if (b.kind == VALUE_CONST)
            result = add_const(tracker, state, instruction, a, b.number, dst->bits);
        else
            escape(tracker, &a);
        break;
    case OPERATION_AND:
        result = mask(tracker, state, instruction, a, b, dst->bits, is_stack);
        break;
    default: result = shift(tracker, state, instruction, operation, a); break;
    }
    operand_set(tracker, state, instruction, dst, result);
}

static void step_flags(struct tracker *tracker, struct state *state, uint32_t instruction,
                       const struct operation *operation)
{
    struct value a = operand_get(tracker, state, instruction, &operation->dst);
    struct value b = operand_get(tracker, state, instruction, &operation->src);
    if (operation->kind == OPERATION_CMP)
        compare(state, a, b, operation->dst.bits);
    else if (operation->src.kind == OPERAND_REGISTER && value_equal(&a, &b))
        compare(state, a, value_const(0), operation->dst.bits);
}

void tracker_step(struct tracker *tracker, struct state *state, uint32_t instruction)
{
    const struct operation *operation = &tracker->operations[instruction];
    struct value value;
    if (operation->sets_flags)
        state->left = (struct value){0};
    switch ((enum operation_kind)operation->kind) {
    case OPERATION_NOP:
    case OPERATION_JUMP: break;
    case OPERATION_OTHER: step_other(tracker, state, instruction, operation); break;
    case OPERATION_CALL:
        state->left = (struct value){0};
        step_call(tracker, state, instruction);
        break;
    case OPERATION_MOVE:
        value = operand_get(tracker, state, instruction, &operation->src);
        operand_set(tracker, state, instruction, &operation->dst,
                    value_cut(value, operation->dst.bits));
        break;
    case OPERATION_MOVE_SIGNED:
        value = operand_get(tracker, state, instruction, &operation->src);
        operand_set(tracker, state, instruction, &operation->dst,
                    sign_extend(state, instruction, operation, value));
        break;
    case OPERATION_LEA:
        value = lea(tracker, state, instruction, operation);
        operand_set(tracker, state, instruction, &operation->dst, value);
        break;
    case OPERATION_ADD:
    case OPERATION_SUB:
    case OPERATION_AND:
    case OPERATION_SHL:
    case OPERATION_SHR: step_arithmetic(tracker, state, instruction, operation); break;
    case OPERATION_CMP:
    case OPERATION_TEST: step_flags(tracker, state, instruction, operation); break;
    case OPERATION_PUSH:
    case OPERATION_POP:
    case OPERATION_LEAVE: step_stack(tracker, state, instruction, operation); break;
    }
}

/* ---- jumps */

struct value tracker_target(struct tracker *tracker, struct state *state, uint32_t instruction)
{
    return operand_get(tracker, state, instruction, &tracker->operations[instruction].src);
}

const struct table_load *tracker_load(const struct tracker *tracker, const struct value *value)
{
    if ((value->kind != VALUE_TERM && value->kind != VALUE_TARGET) || value->name < NAME_FIRST)
        return NULL;
    uint32_t place = value->name - NAME_FIRST;
    if (place % NAMES_EACH != NAME_LOADED || place / NAMES_EACH >= tracker->n_operations)
        return NULL;
    if (value->kind == VALUE_TERM && (value->number || value->scale != 1))
        return NULL;
    const struct table_load *load = &tracker->loads[place / NAMES_EACH];
    return load->bytes ? load : NULL;
}
