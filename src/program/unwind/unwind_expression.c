#include "program/unwind/unwind_expression.h"

#include "program/unwind/unwind.h"
#include "program/unwind/unwind_code.h"

#include <dwarf.h>

/* Compilers write a handful of operations; loops are possible, so they are bounded. */
enum { STACK_MAX = 32, OPERATIONS_MAX = 512 };

struct machine {
    const uint8_t *start;
    struct cursor code;
    uint64_t stack[STACK_MAX];
    size_t depth;
    bool bad, no_memory;
    const struct unwind_frame *frame;
    const struct unwind_memory *memory;
};

/* ---- operands */

static uint64_t take(struct machine *m, size_t bytes, bool is_signed)
{
    uint64_t value = 0;
    m->bad |= !code_fixed(&m->code, bytes, is_signed, &value);
    return value;
}

static uint64_t take_leb(struct machine *m, bool is_signed)
{
    uint64_t value = 0;
    m->bad |= !code_leb(&m->code, is_signed, &value);
    return value;
}

/* ---- stack */

static void push(struct machine *m, uint64_t value)
{
    if (m->depth == STACK_MAX)
        m->bad = true;
    else
        m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
    if (!m->depth) {
        m->bad = true;
        return 0;
    }
    return m->stack[--m->depth];
}

static void pick(struct machine *m, uint64_t below)
{
    if (below >= m->depth)
        m->bad = true;
    else
        push(m, m->stack[m->depth - 1 - below]);
}

static void push_register(struct machine *m, uint64_t number, uint64_t offset)
{
    if (number >= UNWIND_REGISTERS || !(m->frame->known >> number & 1))
        m->bad = true;
    else
        push(m, m->frame->value[number] + offset);
}

static void dereference(struct machine *m, size_t bytes)
{
    uint64_t value;
    if (bytes < 1 || bytes > 8) {
        m->bad = true;
        return;
    }
    if (!unwind_read(m->memory, (struct avma){pop(m)}, &value)) {
        m->no_memory = true;
        return;
    }
    push(m, bytes == 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1));
}

/* ---- operations */

static uint64_t shifted(uint8_t operation, uint64_t a, uint64_t b)
{
    uint64_t sign = (int64_t)a < 0 ? ~(uint64_t)0 : 0;
    switch (operation) {
    case DW_OP_shl: return b < 64 ? a << b : 0;
    case DW_OP_shr: return b < 64 ? a >> b : 0;
    default: return b < 64 ? (b ? a >> b | (sign << (64 - b)) : a) : sign;
    }
}

static void binary(struct machine *m, uint8_t operation)
{
    uint64_t b = pop(m), a = pop(m);
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (operation) {
    case DW_OP_and: push(m, a & b); return;
    case DW_OP_or: push(m, a | b); return;
    case DW_OP_xor: push(m, a ^ b); return;
    case DW_OP_plus: push(m, a + b); return;
    case DW_OP_minus: push(m, a - b); return;
    case DW_OP_mul: push(m, a * b); return;
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra: push(m, shifted(operation, a, b)); return;
    case DW_OP_eq: push(m, a == b); return;
    case DW_OP_ne: push(m, a != b); return;
    case DW_OP_lt: push(m, x < y); return;
    case DW_OP_le: push(m, x <= y); return;
    case DW_OP_gt: push(m, x > y); return;
    case DW_OP_ge: push(m, x >= y); return;
    default: break;
    }
    if (!b || (operation == DW_OP_div && x == INT64_MIN && y == -1))
        m->bad = true;
    else
        push(m, operation == DW_OP_div ? (uint64_t)(x / y) : a % b);
}

static void unary(struct machine *m, uint8_t operation)
{
    uint64_t a = pop(m);
    switch (operation) {
    case DW_OP_neg: push(m, 0 - a); return;
    case DW_OP_not: push(m, ~a); return;
    case DW_OP_abs: push(m, (int64_t)a < 0 ? 0 - a : a); return;
    default: push(m, a + take_leb(m, false)); return; /* plus_uconst */
    }
}

static void branch(struct machine *m, bool conditional)
{
    int64_t distance = (int64_t)take(m, 2, true);
    if (conditional && !pop(m))
        return;
    if (distance < m->start - m->code.at || distance > m->code.end - m->code.at)
        m->bad = true;
    else
        m->code.at += distance;
}

static void shuffle(struct machine *m, uint8_t operation)
{
    uint64_t a = pop(m), b = 0, c = 0;
    switch (operation) {
    case DW_OP_swap:
        b = pop(m);
        push(m, a), push(m, b);
        return;
    case DW_OP_rot:
        b = pop(m), c = pop(m);
        push(m, a), push(m, c), push(m, b);
        return;
    default: return; /* drop */
    }
}

static void constant(struct machine *m, uint8_t operation)
{
    switch (operation) {
    case DW_OP_addr: push(m, take(m, 8, false)); return;
    case DW_OP_constu: push(m, take_leb(m, false)); return;
    case DW_OP_consts: push(m, take_leb(m, true)); return;
    default: break;
    }
    unsigned kind = operation - DW_OP_const1u; /* 1u 1s 2u 2s 4u 4s 8u 8s */
    push(m, take(m, (size_t)1 << kind / 2, kind & 1));
}

static void operate(struct machine *m, uint8_t operation)
{
    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
        push(m, operation - DW_OP_lit0);
        return;
    }
    if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
        push_register(m, operation - DW_OP_breg0, take_leb(m, true));
        return;
    }
    if (operation == DW_OP_addr || (operation >= DW_OP_const1u && operation <= DW_OP_consts)) {
        constant(m, operation);
        return;
    }
    switch (operation) {
    case DW_OP_nop: return;
    case DW_OP_deref: dereference(m, 8); return;
    case DW_OP_deref_size: dereference(m, take(m, 1, false)); return;
    case DW_OP_dup: pick(m, 0); return;
    case DW_OP_over: pick(m, 1); return;
    case DW_OP_pick: pick(m, take(m, 1, false)); return;
    case DW_OP_drop:
    case DW_OP_swap:
    case DW_OP_rot: shuffle(m, operation); return;
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not:
    case DW_OP_plus_uconst: unary(m, operation); return;
    case DW_OP_skip: branch(m, false); return;
    case DW_OP_bra: branch(m, true); return;
    case DW_OP_bregx: {
        uint64_t number = take_leb(m, false);
        push_register(m, number, take_leb(m, true));
        return;
    }
    default: break;
    }
    if (operation >= DW_OP_and && operation <= DW_OP_ne)
        binary(m, operation);
    else
        m->bad = true;
}

enum expression_end expression_run(const uint8_t *code, size_t n, const struct unwind_frame *frame,
                                   const struct unwind_memory *memory, const uint64_t *first,
                                   uint64_t *ret_value)
{
    struct machine m = {
        .start = code, .code = {.at = code, .end = code + n}, .frame = frame, .memory = memory};
    if (first)
        push(&m, *first);
    for (int done = 0; m.code.at < m.code.end && !m.bad && !m.no_memory; done++) {
        if (done == OPERATIONS_MAX)
            return EXPRESSION_BAD;
        operate(&m, *m.code.at++);
    }
    if (m.no_memory)
        return EXPRESSION_NO_MEMORY;
    if (m.bad || !m.depth)
        return EXPRESSION_BAD;
    *ret_value = m.stack[m.depth - 1];
    return EXPRESSION_VALUE;
}
