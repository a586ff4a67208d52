#include "program/unwind/unwind.h"

#include "program/unwind/unwind_expression.h"

#include <string.h>

bool unwind_read(const struct unwind_memory *memory, struct avma at, uint64_t *ret_value)
{
    uint64_t inside = at.v - memory->start.v;
    if (inside < memory->n && memory->n - inside >= sizeof *ret_value) {
        memcpy(ret_value, memory->bytes + inside, sizeof *ret_value);
        return true;
    }
    return memory->read && memory->read(memory->closure, at, ret_value);
}

/* UNWIND_CALLER stands for "go on" below. */
static enum unwind_step run(const struct unwind *unwind, int32_t number,
                            const struct unwind_frame *frame, const struct unwind_memory *memory,
                            const uint64_t *first, uint64_t *ret_value)
{
    if (number < 0 || (size_t)number >= unwind->expressions.n)
        return UNWIND_BAD;
    const struct unwind_expression *expression = &unwind->expressions.at[number];
    switch (expression_run(unwind->expressions.code.at + expression->start, expression->bytes,
                           frame, memory, first, ret_value)) {
    case EXPRESSION_VALUE: return UNWIND_CALLER;
    case EXPRESSION_NO_MEMORY: return UNWIND_NO_MEMORY;
    default: return UNWIND_BAD;
    }
}

static enum unwind_step cfa_find(const struct unwind *unwind, const struct unwind_rule *rule,
                                 const struct unwind_frame *frame,
                                 const struct unwind_memory *memory, uint64_t *ret_cfa)
{
    switch (rule->cfa) {
    case CFA_REGISTER:
        if (!(frame->known >> rule->cfa_register & 1))
            return UNWIND_BAD;
        *ret_cfa = frame->value[rule->cfa_register] + (uint64_t)(int64_t)rule->number;
        return UNWIND_CALLER;
    case CFA_PLT:
        *ret_cfa = frame->value[UNWIND_RSP] + 8 +
                   ((frame->value[UNWIND_RIP] & 15) >= (uint64_t)rule->number ? 8 : 0);
        return UNWIND_CALLER;
    case CFA_EXPRESSION: return run(unwind, rule->number, frame, memory, NULL, ret_cfa);
    default: return UNWIND_NO_RULE;
    }
}

/* A register that was kept in memory.
 *
 * Epilogues pop registers without a word about it in the rules, so a rule may name a place that
 * already lies below rsp. A copied stack does not reach down there, but the register has its old
 * value back. */
static enum unwind_step memory_column(const struct unwind_frame *frame, unsigned number,
                                      uint64_t at, const struct unwind_memory *memory,
                                      uint64_t *ret_value)
{
    if (unwind_read(memory, (struct avma){at}, ret_value))
        return UNWIND_CALLER;
    if (number == UNWIND_RIP || at >= frame->value[UNWIND_RSP] || !(frame->known >> number & 1))
        return UNWIND_NO_MEMORY;
    *ret_value = frame->value[number];
    return UNWIND_CALLER;
}

static enum unwind_step column_find(const struct unwind *unwind, const struct unwind_rule *rule,
                                    unsigned number, uint64_t cfa, const struct unwind_frame *frame,
                                    const struct unwind_memory *memory, uint64_t *ret_value)
{
    int32_t value = column_number(rule->column[number]);
    uint64_t at;
    enum unwind_step step;
    switch (column_kind(rule->column[number])) {
    case COLUMN_AT:
        return memory_column(frame, number, cfa + (uint64_t)(int64_t)value, memory, ret_value);
    case COLUMN_IS: *ret_value = cfa + (uint64_t)(int64_t)value; return UNWIND_CALLER;
    case COLUMN_REGISTER:
        *ret_value = frame->value[value];
        return frame->known >> value & 1 ? UNWIND_CALLER : UNWIND_BAD;
    case COLUMN_AT_EXPRESSION:
        step = run(unwind, value, frame, memory, &cfa, &at);
        return step == UNWIND_CALLER ? memory_column(frame, number, at, memory, ret_value) : step;
    case COLUMN_IS_EXPRESSION: return run(unwind, value, frame, memory, &cfa, ret_value);
    default: return UNWIND_DONE;
    }
}

/* The caller's registers but for rip. One that is lost is missed only if a rule asks for it. */
static void columns_find(const struct unwind *unwind, const struct unwind_rule *rule, uint64_t cfa,
                         const struct unwind_frame *frame, const struct unwind_memory *memory,
                         struct unwind_frame *caller)
{
    for (uint32_t left = rule->columns & ~(1u << UNWIND_RIP); left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        if (column_find(unwind, rule, number, cfa, frame, memory, &caller->value[number]) !=
            UNWIND_CALLER)
            caller->known &= ~(1u << number);
    }
}

static enum unwind_step step_by(const struct unwind *unwind, const struct unwind_rule *rule,
                                struct unwind_frame *frame, const struct unwind_memory *memory)
{
    uint64_t cfa, rip;
    if (!(rule->columns >> UNWIND_RIP & 1))
        return UNWIND_BAD;
    if (column_kind(rule->column[UNWIND_RIP]) == COLUMN_UNDEFINED)
        return UNWIND_DONE;
    enum unwind_step step = cfa_find(unwind, rule, frame, memory, &cfa);
    if (step != UNWIND_CALLER)
        return step;
    step = column_find(unwind, rule, UNWIND_RIP, cfa, frame, memory, &rip);
    if (step != UNWIND_CALLER)
        return step;
    struct unwind_frame caller = *frame;
    caller.value[UNWIND_RSP] = cfa;
    caller.known |= 1u << UNWIND_RSP | 1u << UNWIND_RIP;
    columns_find(unwind, rule, cfa, frame, memory, &caller);
    /* Stacks grow down. Only signal returns and switches of stacks go elsewhere: they need
     * expressions, or say where rsp was kept. */
    bool plain = rule->cfa != CFA_EXPRESSION && !(rule->columns >> UNWIND_RSP & 1);
    uint64_t rsp = caller.value[UNWIND_RSP], old = frame->value[UNWIND_RSP];
    if (!(caller.known >> UNWIND_RSP & 1) || (plain && rsp < old) ||
        (rip == frame->value[UNWIND_RIP] && rsp == old))
        return UNWIND_BAD;
    if (!rip)
        return UNWIND_ZERO;
    caller.value[UNWIND_RIP] = rip;
    caller.interrupted = rule->signal;
    *frame = caller;
    return UNWIND_CALLER;
}

enum unwind_step unwind_step(const struct unwind *unwind, struct svma at,
                             struct unwind_frame *frame, const struct unwind_memory *memory)
{
    const struct unwind_rule *rule = unwind_find(unwind, at);
    return rule && !rule->derived ? step_by(unwind, rule, frame, memory) : UNWIND_NO_RULE;
}

enum unwind_step unwind_step_derived(const struct unwind *unwind, struct svma at,
                                     struct unwind_frame *frame, const struct unwind_memory *memory)
{
    const struct unwind_rule *rule = unwind_find(unwind, at);
    return rule && rule->derived ? step_by(unwind, rule, frame, memory) : UNWIND_NO_RULE;
}
