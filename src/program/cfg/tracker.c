#include "program/cfg/tracker.h"

#include "base/memory.h"
#include "program/cfg/flags.h"
#include "program/cfg/tracked_memory.h"
#include "program/cfg/tracked_names.h"

void tracker_init(struct tracker *tracker, const struct image *image,
                  const struct evidence *evidence, const struct operation *operations, size_t n)
{
    *tracker = (struct tracker){
        .image = image, .evidence = evidence, .operations = operations, .n_operations = n};
    tracker->loads = mem_alloc(n * sizeof *tracker->loads);
    tracker->stacks.names[0] = 1 + REGISTER_RSP;
    for (unsigned i = 0; i < TRACKER_STACKS; i++)
        tracker->stacks.escaped[i] = INT64_MAX;
}

void tracker_release(struct tracker *tracker)
{
    mem_free(tracker->loads);
    *tracker = (struct tracker){0};
}

void tracker_begin(struct state *state)
{
    *state = (struct state){0};
    for (unsigned r = 0; r < REGISTERS; r++)
        state->registers[r] = value_named(1 + r, 64);
}

value_name tracker_names_end(const struct tracker *tracker)
{
    return name_of((uint32_t)tracker->n_operations, 0);
}

void tracker_join(struct tracker *tracker, const struct state *a, const struct state *b)
{
    for (unsigned r = 0; r < REGISTERS; r++)
        if (r != REGISTER_RSP && !value_equal(&a->registers[r], &b->registers[r])) {
            tracked_escape(tracker, &a->registers[r]);
            tracked_escape(tracker, &b->registers[r]);
        }
}

bool tracker_stack_empty(const struct tracker *tracker, const struct state *state)
{
    struct value entry = value_named(tracker->stacks.names[0], 64);
    return value_equal(&state->registers[REGISTER_RSP], &entry);
}

/* ---- operands */

static struct value operand_get(struct tracker *tracker, struct state *state, uint32_t instruction,
                                const struct operand *operand)
{
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_REGISTER: return value_cut(state->registers[operand->reg], operand->bits);
    case OPERAND_IMMEDIATE: return value_const((uint64_t)operand->value);
    case OPERAND_MEMORY: return tracked_load(tracker, state, instruction, operand);
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
        *reg = value.kind != VALUE_ANY
                   ? value
                   : value_fresh(state, instruction, NAME_RESULT, operand->bits);
        return;
    }
    /* The rest of the register stays: the whole is something new, but its low part is known. */
    tracked_escape(tracker, reg);
    struct value_range range = state_range(state, &value);
    *reg = (struct value){0};
    *reg = value_fresh(state, instruction, NAME_MERGED, 64);
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
        tracked_store(tracker, state, operand, value);
}

/* ---- arithmetic */

/* Something new of which only the range is known. */
static struct value ranged(struct state *state, uint32_t instruction, unsigned bits,
                           struct value_range range, bool weak)
{
    struct value value = value_fresh(state, instruction, NAME_RESULT, bits);
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
    tracked_escape(tracker, &value);
    if (value.kind != VALUE_TERM || value.scale != 1)
        return value_fresh(state, instruction, NAME_RESULT, bits);
    struct value_range range = state_range(state, &value);
    if (!range_shift(&range, number, bits))
        return value_fresh(state, instruction, NAME_RESULT, bits);
    return ranged(state, instruction, bits, range, value.weak);
}

static struct value add(struct tracker *tracker, struct state *state, uint32_t instruction,
                        struct value a, struct value b, unsigned bits)
{
    if (b.kind == VALUE_CONST)
        return add_const(tracker, state, instruction, a, b.number, bits);
    if (a.kind == VALUE_CONST)
        return add_const(tracker, state, instruction, b, a.number, bits);
    tracked_escape(tracker, &a);
    tracked_escape(tracker, &b);
    return value_fresh(state, instruction, NAME_RESULT, bits);
}

static struct value lea(struct tracker *tracker, struct state *state, uint32_t instruction,
                        const struct operation *operation)
{
    struct address_sum address = address_sum_of(state, &operation->src);
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
        tracked_escape(tracker, &state->registers[operation->src.base]);
    if (operation->src.index != REGISTER_NONE)
        tracked_escape(tracker, &state->registers[operation->src.index]);
    return value_fresh(state, instruction, NAME_RESULT, bits);
}

static struct value mask(struct tracker *tracker, struct state *state, uint32_t instruction,
                         struct value value, struct value by, unsigned bits, bool is_stack)
{
    tracked_escape(tracker, &value);
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
        tracker->stacks.names[TRACKER_STACKS - 1] = masked.name;
    return masked;
}

static struct value shift(struct tracker *tracker, struct state *state, uint32_t instruction,
                          const struct operation *operation, struct value value)
{
    unsigned bits = operation->dst.bits;
    uint64_t by = (uint64_t)operation->src.value;
    tracked_escape(tracker, &value);
    if (operation->src.kind != OPERAND_IMMEDIATE || by >= bits)
        return value_fresh(state, instruction, NAME_RESULT, bits);
    struct value_range range = state_range(state, &value);
    if (operation->kind == OPERATION_SHR) {
        range = (struct value_range){range.low >> by, range.high >> by, LIMIT_NONE};
        return ranged(state, instruction, bits, range, value.weak);
    }
    if (by > 3 || value.kind != VALUE_TERM || value.scale != 1 ||
        (bits == 32 && range.high > width_mask(32) >> by))
        return value_fresh(state, instruction, NAME_RESULT, bits);
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
        return value_fresh(state, instruction, NAME_RESULT, to);
    if (state_range(state, &value).high <= width_mask(from) >> 1)
        return value;
    if (to != 64 || value.bits != from)
        return value_fresh(state, instruction, NAME_RESULT, to);
    value.is_signed = true;
    return value;
}

void tracker_branch(const struct tracker *tracker, struct state *state, uint32_t instruction,
                    bool taken)
{
    enum condition condition = (enum condition)tracker->operations[instruction].condition;
    flags_learn(state, taken ? condition : condition_negate(condition));
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
        tracked_store(tracker, state, &top, value_cut(value, 64));
        return;
    }
    if (operation->kind == OPERATION_LEAVE)
        *rsp = *rbp;
    struct value value = tracked_load(tracker, state, instruction, &top);
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
        tracked_escape(tracker, &state->registers[clobbered[i]]);
    tracked_doubt(tracker, state);
    for (size_t i = 0; i < sizeof clobbered; i++)
        state->registers[clobbered[i]] = (struct value){0};
    state->registers[REGISTER_RAX] = value_fresh(state, instruction, NAME_RESULT, 64);
}

static void step_other(struct tracker *tracker, struct state *state, uint32_t instruction,
                       const struct operation *operation)
{
    if (operation->stores)
        tracked_overwrite(tracker, state,
                          operation->dst.kind == OPERAND_MEMORY ? &operation->dst : NULL,
                          operation->store_bytes);
    unsigned which = NAME_RESULT;
    for (unsigned r = 0; r < REGISTERS; r++)
        if (operation->reads >> r & 1 && r != REGISTER_RSP)
            tracked_escape(tracker, &state->registers[r]);
    for (unsigned r = 0; r < REGISTERS; r++)
        if (operation->writes >> r & 1) {
            state->registers[r] = (struct value){0};
            if (which < NAMES_EACH)
                state->registers[r] = value_fresh(state, instruction, which++, 64);
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
        flags_compare(state, a, b, dst->bits);
        b.number = -b.number;
        if (b.kind == VALUE_CONST)
            result = add_const(tracker, state, instruction, a, b.number, dst->bits);
        else
            tracked_escape(tracker, &a);
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
        flags_compare(state, a, b, operation->dst.bits);
    else if (operation->src.kind == OPERAND_REGISTER && value_equal(&a, &b))
        flags_compare(state, a, value_const(0), operation->dst.bits);
}

void tracker_step(struct tracker *tracker, struct state *state, uint32_t instruction)
{
    const struct operation *operation = &tracker->operations[instruction];
    struct value value;
    if (operation->sets_flags)
        flags_forget(state);
    switch ((enum operation_kind)operation->kind) {
    case OPERATION_NOP:
    case OPERATION_JUMP: break;
    case OPERATION_OTHER: step_other(tracker, state, instruction, operation); break;
    case OPERATION_CALL:
        flags_forget(state);
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
    uint32_t instruction;
    if (value->kind != VALUE_TERM && value->kind != VALUE_TARGET)
        return NULL;
    if (!name_instruction(tracker, value->name, &instruction) ||
        value->name != name_of(instruction, NAME_LOADED) || !tracker->loads[instruction].bytes)
        return NULL;
    if (value->kind == VALUE_TERM && (value->number || value->scale != 1))
        return NULL;
    return &tracker->loads[instruction];
}
