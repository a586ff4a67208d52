#include "walk/emit/payload.h"

#include "x86/operands.h"

#define SLOT(field) offsetof(struct context, field)

enum { NO_REGISTER = 255 };

/* ---- the plan */

struct plan {
    struct payload *payload;
    struct wire_payload item; /* what is the same for all items of a step */
    bool full;
};

static void add(struct plan *plan, enum payload_kind kind, uint32_t words, uint32_t detail,
                uint32_t access)
{
    struct payload *payload = plan->payload;
    if (payload->n == PAYLOAD_ITEMS_MAX || payload->words + words > PAYLOAD_WORDS_MAX) {
        plan->full = true;
        return;
    }
    struct wire_payload *item = &payload->items[payload->n++];
    *item = plan->item;
    item->kind = (uint8_t)kind;
    item->words = (uint8_t)words;
    item->detail = (uint8_t)detail;
    item->access = (uint8_t)access;
    payload->words += words;
}

static void add_registers(struct plan *plan, enum payload_kind kind, uint16_t set)
{
    for (uint32_t reg = 0; reg < 16; reg++)
        if (set >> reg & 1)
            add(plan, kind, 1, reg, 0);
}

static void plan_gather(struct plan *plan, const struct insn *insn, const struct operands *operands)
{
    if (operands->mask == VECTOR_NONE) { /* of EVEX */
        plan->full = true;
        return;
    }
    uint32_t words = operands->vector_bytes / 8;
    add(plan, PAYLOAD_GATHER_BASE, 1, insn->sib >> 6, operands->access);
    add(plan, PAYLOAD_GATHER_INDEX, words, insn->opcode & 1 ? 8 : 4, 0);
    add(plan, PAYLOAD_GATHER_MASK, words, 0, 0);
}

static void plan_addresses(struct plan *plan, const struct insn *insn,
                           const struct operands *operands)
{
    if (operands->gathers)
        plan_gather(plan, insn, operands);
    else if (operands->access && !operands->unit)
        plan->full = true;
    else if (operands->access)
        add(plan, PAYLOAD_ADDRESS, 1, 0, operands->access);
    if (operands->stack == STACK_PUSH)
        add(plan, PAYLOAD_PUSH, 1, operands->stack_bytes, ACCESS_WRITE);
    else if (operands->stack)
        add(plan, PAYLOAD_POP, 1, operands->stack_bytes, ACCESS_READ);
    if (operands->source)
        add(plan, PAYLOAD_SOURCE, 1, 0, ACCESS_READ);
    if (operands->destination)
        add(plan, PAYLOAD_DESTINATION, 1, 0, operands->destination_access);
    if (operands->repeated)
        add(plan, PAYLOAD_COUNT, 1, 0, 0);
}

static bool is_load(const struct insn *insn, const struct operands *operands)
{
    return insn->class == INSN_PLAIN && operands->access == ACCESS_READ && insn->has_modrm &&
           !operands->gathers && !operands->stack;
}

/* The registers of the ABI: of whole numbers and pointers all six, of floating-point the first
 * four. Whether the function uses them, the tool finds out. */
static void plan_arguments(struct plan *plan, const struct insn *insn)
{
    static const uint8_t arguments[] = {
        RDI, RSI, RDX, RCX, R8, R9, PAYLOAD_XMM, PAYLOAD_XMM + 1, PAYLOAD_XMM + 2, PAYLOAD_XMM + 3};
    if (insn->class == INSN_CALL || insn->class == INSN_ICALL)
        for (size_t i = 0; i < sizeof arguments; i++)
            add(plan, PAYLOAD_ARGUMENT, 1, arguments[i], 0);
    static const uint8_t kernel[] = {RAX, RDI, RSI, RDX, R10, R8, R9};
    if (insn->class == INSN_SYSCALL)
        for (size_t i = 0; i < sizeof kernel; i++)
            add(plan, PAYLOAD_SYSCALL, 1, kernel[i], 0);
    if (insn->class == INSN_RETURN) {
        add(plan, PAYLOAD_RETURNED, 1, RAX, 0);
        add(plan, PAYLOAD_RETURNED, 1, PAYLOAD_XMM, 0);
    }
}

static void plan_step(struct plan *plan, const struct step *step)
{
    const struct insn *insn = &step->insn;
    uint32_t events = plan->payload->events;
    struct operands operands;
    insn_operands(insn, step->bytes, &operands);
    if (events & EVENTS_ADDRESS)
        plan_addresses(plan, insn, &operands);
    if (events & EVENTS_VALUE)
        add_registers(plan, PAYLOAD_OPERAND, operands.inputs);
    if (events & EVENTS_ARGUMENT)
        plan_arguments(plan, insn);
    if (insn->class != INSN_PLAIN)
        return;
    if (events & EVENTS_VALUE) {
        bool unknown = insn->space == SPACE_EVEX && operands.access != ACCESS_WRITE;
        plan->full |= unknown && !operands.results;
        add_registers(plan, PAYLOAD_RESULT, operands.results);
        if (operands.vector != VECTOR_NONE)
            add(plan, PAYLOAD_VECTOR, operands.vector_bytes / 8u, operands.vector, 0);
    }
    if ((events & EVENTS_LATENCY) && is_load(insn, &operands))
        add(plan, PAYLOAD_LATENCY, 1, 0, 0);
}

void payload_plan(struct payload *payload, const struct shape *shape, uint32_t events)
{
    payload->events = events;
    payload->n = payload->words = payload->left_out = 0;
    uint32_t segment = 0;
    for (uint32_t i = 0; i < shape->n_steps; i++) {
        while (shape->first_step[segment + 1] <= i)
            segment++;
        uint64_t offset = shape->steps[i].pc - shape->segments[segment].start;
        struct plan plan = {.payload = payload,
                            .item = {.instruction = (uint16_t)i, .offset = (uint16_t)offset}};
        payload->first[i] = (uint16_t)payload->n;
        if (!shape->steps[i].through_gs && !(shape->stepped && i + 1 == shape->n_steps))
            plan_step(&plan, &shape->steps[i]);
        payload->left_out += plan.full;
    }
    payload->first[shape->n_steps] = (uint16_t)payload->n;
}

/* ---- code: registers */

static void acquire(struct payload *payload, struct code_cursor *c)
{
    if (payload->held)
        return;
    emit_store(c, R10, SLOT(slot_r10));
    emit_store(c, R11, SLOT(slot_r11));
    emit_load(c, R11, SLOT(payload_at));
    payload->held = true;
}

void payload_release(struct payload *payload, struct code_cursor *c)
{
    if (!payload->held)
        return;
    emit_load(c, R10, SLOT(slot_r10));
    emit_load(c, R11, SLOT(slot_r11));
    payload->held = false;
}

/* gs:[%r11 + where the next word goes] as an operand. */
static void emit_word(struct payload *payload, struct code_cursor *c, uint32_t reg)
{
    emit_u8(c, 0x83 | (reg & 7) << 3);
    emit_u32(c, (uint32_t)CONTEXT_PAYLOAD_AT + 8 * payload->written);
}

/* mov %reg, gs:[word] */
static void emit_put(struct payload *payload, struct code_cursor *c, uint32_t reg)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x49 | (reg >> 3) << 2);
    emit_u8(c, 0x89);
    emit_word(payload, c, reg);
}

/* A register of the program's, wherever it is. */
static void emit_put_register(struct payload *payload, struct code_cursor *c, uint32_t reg)
{
    acquire(payload, c);
    if (reg == R10 || reg == R11)
        emit_load(c, R10, reg == R10 ? SLOT(slot_r10) : SLOT(slot_r11));
    emit_put(payload, c, reg == R11 ? R10 : reg);
}

/* movlps %xmm, gs:[word] */
static void emit_put_low(struct payload *payload, struct code_cursor *c, uint32_t reg)
{
    acquire(payload, c);
    emit_u8(c, 0x65);
    emit_u8(c, 0x41 | (reg >> 3) << 2);
    emit_u8(c, 0x0f);
    emit_u8(c, 0x13);
    emit_word(payload, c, reg);
}

/* movups or vmovdqu, as the program's own instruction is: mixing them is slow on some machines. */
static void emit_put_vector(struct payload *payload, struct code_cursor *c, const struct insn *insn,
                            uint32_t reg, uint32_t words)
{
    acquire(payload, c);
    emit_u8(c, 0x65);
    if (insn->space == SPACE_LEGACY) {
        emit_u8(c, 0x41 | (reg >> 3) << 2);
        emit_u8(c, 0x0f);
        emit_u8(c, 0x11);
    } else {
        emit_u8(c, 0xc4);
        emit_u8(c, 0x41 | (reg < 8 ? 0x80 : 0));
        emit_u8(c, 0x7a | (words == 4 ? 4 : 0));
        emit_u8(c, 0x7f);
    }
    emit_word(payload, c, reg);
}

/* ---- code: addresses */

/* lea of the instruction's operand to %r10; the registers that it names are in place. */
static void emit_lea(struct code_cursor *c, const struct step *step,
                     const struct operands *operands)
{
    const struct insn *insn = &step->insn;
    const uint8_t *bytes = step->bytes;
    if (!insn->has_modrm) { /* A0..A3: movabs */
        emit_u8(c, 0x49);
        emit_u8(c, 0xba);
        emit_u64(c, (uint64_t)insn->imm & (insn->prefixes & PREFIX_67 ? UINT32_MAX : UINT64_MAX));
        return;
    }
    if (insn->prefixes & PREFIX_67)
        emit_u8(c, 0x67);
    emit_u8(c, 0x4c | operands->bits);
    emit_u8(c, 0x8d);
    uint32_t sib = (insn->modrm & 7) == 4;
    bool scaled = operands->unit > 1; /* lea does not count so: a long one */
    emit_u8(c, (insn->modrm & (scaled ? 0x07 : 0xc7)) | (scaled ? 0x80 : 0) | (R10 & 7) << 3);
    emit_bytes(c, bytes + insn->modrm_at + 1, sib + (scaled ? 0 : insn->disp_bytes));
    if (scaled)
        emit_u32(c, (uint32_t)(insn->disp * operands->unit));
    if (insn->rip_relative)
        emit_displacement(c, c->at - 4, step->pc + insn->length + (uint64_t)(int64_t)insn->disp);
}

/* lea disp(%base), %r10: without the index, which is a vector. */
static void emit_lea_base(struct code_cursor *c, const struct step *step,
                          const struct operands *operands)
{
    if (operands->base == NO_REGISTER) {
        emit_u8(c, 0x49); /* mov $disp, %r10 */
        emit_u8(c, 0xc7);
        emit_u8(c, 0xc2);
    } else {
        emit_u8(c, 0x4c | operands->base >> 3);
        emit_u8(c, 0x8d);
        emit_u8(c, 0x80 | (R10 & 7) << 3 | (operands->base & 7));
        if ((operands->base & 7) == RSP)
            emit_u8(c, 0x24);
    }
    emit_u32(c, (uint32_t)step->insn.disp);
}

/* lea more(%r10), %r10 */
static void emit_advance(struct code_cursor *c, uint32_t more)
{
    emit_u8(c, 0x4d);
    emit_u8(c, 0x8d);
    emit_u8(c, 0x92);
    emit_u32(c, more);
}

/* Not yet held, the address is taken before %r11 has another value. */
static void emit_put_address(struct payload *payload, struct code_cursor *c,
                             const struct step *step, const struct operands *operands)
{
    const struct insn *insn = &step->insn;
    bool held = payload->held;
    if (!held)
        emit_store(c, R10, SLOT(slot_r10));
    if (operands->gathers)
        emit_lea_base(c, step, operands);
    else
        emit_lea(c, step, operands);
    if (operands->stack == STACK_POP && operands->base == RSP) /* it is moved first */
        emit_advance(c, operands->stack_bytes);
    if (!held)
        emit_store(c, R11, SLOT(slot_r11));
    if (insn->prefixes & PREFIX_FS) {
        static const uint8_t add_fs[] = {0xf3, 0x49, 0x0f, 0xae, 0xc3, 0x4f, 0x8d, 0x14, 0x1a};
        emit_bytes(c, add_fs, sizeof add_fs); /* rdfsbase %r11; lea (%r10,%r11), %r10 */
    }
    if (!held || (insn->prefixes & PREFIX_FS))
        emit_load(c, R11, SLOT(payload_at));
    payload->held = true;
    emit_put(payload, c, R10);
}

static void emit_put_push(struct payload *payload, struct code_cursor *c, uint32_t bytes)
{
    acquire(payload, c);
    static const uint8_t below[] = {0x4c, 0x8d, 0x54, 0x24}; /* lea -bytes(%rsp), %r10 */
    emit_bytes(c, below, sizeof below);
    emit_u8(c, 0u - bytes);
    emit_put(payload, c, R10);
}

/* ---- steps */

static void put(struct payload *payload, struct code_cursor *c, const struct step *step,
                const struct operands *operands, const struct wire_payload *item)
{
    switch ((enum payload_kind)item->kind) {
    case PAYLOAD_ADDRESS:
    case PAYLOAD_GATHER_BASE: emit_put_address(payload, c, step, operands); break;
    case PAYLOAD_PUSH: emit_put_push(payload, c, operands->stack_bytes); break;
    case PAYLOAD_POP:
        emit_put_register(payload, c, operands->stack == STACK_LEAVE ? RBP : RSP);
        break;
    case PAYLOAD_SOURCE: emit_put_register(payload, c, RSI); break;
    case PAYLOAD_DESTINATION: emit_put_register(payload, c, RDI); break;
    case PAYLOAD_COUNT: emit_put_register(payload, c, RCX); break;
    case PAYLOAD_GATHER_INDEX:
        emit_put_vector(payload, c, &step->insn, operands->index, item->words);
        break;
    case PAYLOAD_GATHER_MASK:
        emit_put_vector(payload, c, &step->insn, operands->mask, item->words);
        break;
    case PAYLOAD_OPERAND:
    case PAYLOAD_RESULT: emit_put_register(payload, c, item->detail); break;
    case PAYLOAD_VECTOR: emit_put_vector(payload, c, &step->insn, item->detail, item->words); break;
    case PAYLOAD_LATENCY:
        acquire(payload, c);
        emit_load(c, R10, SLOT(latency));
        emit_put(payload, c, R10);
        emit_u8(c, 0x65); /* movq $0, gs:[latency] */
        emit_u8(c, 0x48);
        emit_u8(c, 0xc7);
        emit_u8(c, 0x04);
        emit_u8(c, 0x25);
        emit_u32(c, (uint32_t)SLOT(latency));
        emit_u32(c, 0);
        break;
    case PAYLOAD_ARGUMENT:
    case PAYLOAD_RETURNED:
    case PAYLOAD_SYSCALL:
        if (item->detail < PAYLOAD_XMM)
            emit_put_register(payload, c, item->detail);
        else
            emit_put_low(payload, c, item->detail - PAYLOAD_XMM);
        break;
    case PAYLOAD_KINDS: break;
    }
}

static bool put_before(const struct wire_payload *item)
{
    return item->kind < PAYLOAD_RESULT || item->kind >= PAYLOAD_ARGUMENT;
}

static void put_while(struct payload *payload, struct code_cursor *c, const struct step *step,
                      const struct operands *operands, uint32_t i, bool before)
{
    for (; payload->next < payload->first[i + 1] &&
           put_before(&payload->items[payload->next]) == before;
         payload->next++) {
        put(payload, c, step, operands, &payload->items[payload->next]);
        payload->written += payload->items[payload->next].words;
    }
}

void payload_before(struct payload *payload, struct code_cursor *c, const struct step *step,
                    uint32_t i)
{
    struct operands operands;
    insn_operands(&step->insn, step->bytes, &operands);
    bool needs = operands.extended || step->insn.class != INSN_PLAIN;
    if (operands.extended)
        payload_release(payload, c);
    put_while(payload, c, step, &operands, i, true);
    if (needs)
        payload_release(payload, c);
}

void payload_after(struct payload *payload, struct code_cursor *c, const struct step *step,
                   uint32_t i)
{
    struct operands operands;
    if (payload->next == payload->first[i + 1])
        return;
    insn_operands(&step->insn, step->bytes, &operands);
    put_while(payload, c, step, &operands, i, false);
}

/* ---- latencies */

bool payload_times(const struct payload *payload, uint32_t i)
{
    uint32_t behind = payload->first[i + 1];
    return behind > payload->first[i] && payload->items[behind - 1].kind == PAYLOAD_LATENCY;
}

static void emit_fence(struct code_cursor *c)
{
    static const uint8_t fence[] = {0x0f, 0xae, 0xe8}; /* lfence */
    emit_bytes(c, fence, sizeof fence);
}

/* A few loads are timed, at random: a countdown restarts from bits of the clock. The processor
 * predicts that a load is not timed, and without the fence would start it too early: loads of
 * flushed lines, 230 ticks on an Emerald Rapids, were timed as 150, and as near where the timing
 * code had to be fetched first. */
void payload_time_not(struct code_cursor *c, struct payload_timing *timing)
{
    emit_store(c, RCX, SLOT(slot_rcx));
    emit_load(c, RCX, SLOT(latency_left));
    emit_add_rcx(c, UINT32_MAX);
    emit_store(c, RCX, SLOT(latency_left));
    emit_u8(c, 0xe3); /* jrcxz */
    emit_u8(c, 0);
    timing->now = c->at - 1;
    emit_fence(c);
    emit_load(c, RCX, SLOT(slot_rcx));
}

/* The clock, all that went before being done. */
static void emit_clock_early(struct code_cursor *c)
{
    static const uint8_t clock[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31};
    emit_bytes(c, clock, sizeof clock); /* lfence; rdtsc */
}

/* The clock's low half, all that went before being done, and nothing begun of what comes. */
static void emit_clock(struct code_cursor *c)
{
    emit_clock_early(c);
    emit_fence(c);
}

static void emit_spill(struct code_cursor *c)
{
    emit_store(c, RAX, SLOT(slot_rax));
    emit_store(c, RDX, SLOT(slot_rdx));
}

static void emit_unspill(struct code_cursor *c)
{
    emit_load(c, RAX, SLOT(slot_rax));
    emit_load(c, RDX, SLOT(slot_rdx));
}

/* A load of code into %eax; its displacement field. */
static uint8_t *emit_touch(struct code_cursor *c)
{
    emit_u8(c, 0x8b);
    emit_u8(c, 0x05);
    emit_u32(c, 0);
    return c->at - 4;
}

/* This code runs seldom, so its lines are seldom cached, and a fetch between the clocks would count
 * as the load's time: its lines are loaded as data first. Clock to clock is less than two lines, so
 * those of the load and of the second clock are all. In a virtual machine the clock itself reads
 * memory after the time (on a Cascade Lake 45 ticks, if programs have used the caches since), so it
 * is read once before. */
void payload_time_start(struct code_cursor *c, struct payload_timing *timing)
{
    emit_u8(c, 0xe9);
    emit_u32(c, 0);
    timing->over = c->at - 4;
    emit_near_here(timing->now, c);
    emit_load(c, RCX, SLOT(slot_rcx));
    emit_spill(c);
    timing->lines[0] = emit_touch(c);
    timing->lines[1] = emit_touch(c);
    emit_clock_early(c);
    emit_clock(c);
    emit_u8(c, 0xf7); /* not %eax: no flag changes, and the difference becomes a sum */
    emit_u8(c, 0xd0);
    emit_store(c, RAX, SLOT(latency_start));
    emit_unspill(c);
    emit_fence(c);
    emit_displacement(c, timing->lines[0], cursor_runs_at(c));
}

void payload_time_end(struct code_cursor *c, struct payload_timing *timing)
{
    emit_spill(c);
    emit_displacement(c, timing->lines[1], cursor_runs_at(c) + 1); /* to the end of rdtsc */
    emit_clock(c);
    emit_store(c, RCX, SLOT(slot_rcx));
    emit_load(c, RCX, SLOT(latency_start));
    static const uint8_t difference[] = {0x8d, 0x4c, 0x08, 0x01}; /* lea 1(%rax,%rcx), %ecx */
    emit_bytes(c, difference, sizeof difference);
    emit_store(c, RCX, SLOT(latency));
    /* The next load: a byte of the clock by 9 * 9 * 5 * 9, without a flag. Not the lowest byte:
     * some clocks are always even, or odd, and of two alternating loads it would always be the same
     * one. */
    static const uint8_t chance[] = {0x8d, 0x0c, 0xc0,  /* lea (%rax,%rax,8), %ecx */
                                     0x8d, 0x0c, 0xc9,  /* lea (%rcx,%rcx,8), %ecx */
                                     0x8d, 0x0c, 0x89,  /* lea (%rcx,%rcx,4), %ecx */
                                     0x8d, 0x0c, 0xc9,  /* lea (%rcx,%rcx,8), %ecx */
                                     0x0f, 0xb6, 0xcd}; /* movzbl %ch, %ecx */
    emit_bytes(c, chance, sizeof chance);
    emit_add_rcx(c, 1);
    emit_store(c, RCX, SLOT(latency_left));
    emit_unspill(c);
    emit_load(c, RCX, SLOT(slot_rcx));
    emit_displacement(c, timing->over, cursor_runs_at(c));
}
