#include "walk/translate.h"

#include "walk/liveness.h"

#define SLOT(field) offsetof(struct context, field)

static size_t counter_offset(uint32_t counter)
{
    return SLOT(counters) + 8 * (size_t)counter;
}

/* Called before each emitted instruction that can fault in the program's name. */
static void note(struct translation *t, const struct cursor *c, const struct shape *shape,
                 uint32_t step, uint32_t in_slot)
{
    if (t->sought == 0 || t->located || cursor_runs_at(c) != t->sought)
        return;
    t->located = true;
    t->located_pc = shape->steps[step].pc;
    t->located_step = step;
    t->located_in_slot = in_slot;
}

/* ---- what exits do */

static void emit_counter(const struct regions *regions, struct cursor *c, uint32_t counter,
                         uint64_t at_pc, bool rcx_free)
{
    size_t offset = counter_offset(counter);
    if (flags_dead(regions, at_pc, FLAGS_ALL & ~FLAG_CF)) {
        emit_u8(c, 0x65); /* incq gs:[offset] */
        emit_u8(c, 0x48);
        emit_u8(c, 0xff);
        emit_u8(c, 0x04);
        emit_u8(c, 0x25);
        emit_u32(c, (uint32_t)offset);
        return;
    }
    if (!rcx_free)
        emit_store(c, RCX, SLOT(slot_rcx));
    emit_load(c, RCX, offset);
    emit_add_rcx(c, 1);
    emit_store(c, RCX, offset);
    if (!rcx_free)
        emit_load(c, RCX, SLOT(slot_rcx));
}

static size_t budget_offset(uint32_t budget)
{
    return SLOT(budgets) + 8 * (size_t)budget;
}

/* With %rcx free: budget += charge. */
static void emit_charge_rcx(struct cursor *c, const struct exit *exit)
{
    emit_load(c, RCX, budget_offset(exit->budget));
    emit_add_rcx(c, exit_charge(exit));
    emit_store(c, RCX, budget_offset(exit->budget));
}

/* With %rcx free: records[...] = id. */
static void emit_record_rcx(struct cursor *c, uint32_t id)
{
    emit_load(c, RCX, SLOT(record_at));
    emit_u8(c, 0x65); /* movl $id, gs:[rcx + CONTEXT_RECORDS_END] */
    emit_u8(c, 0xc7);
    emit_u8(c, 0x81);
    emit_u32(c, CONTEXT_RECORDS_END);
    emit_u32(c, id);
    emit_add_rcx(c, 4);
    emit_store(c, RCX, SLOT(record_at));
}

/* jrcxz to a place not yet known, taken when the counter at `offset` is no longer negative: its top
 * byte is then zero. Neither flags nor registers but %rcx change. */
static uint8_t *emit_branch_if_up(struct cursor *c, size_t offset)
{
    emit_load_byte_rcx(c, offset + 7);
    emit_u8(c, 0xe3);
    emit_u8(c, 0);
    return c->at - 1;
}

static void land_here(uint8_t *field, const struct cursor *c)
{
    *field = (uint8_t)(c->at - (field + 1));
}

static void emit_leave(struct cursor *c, uint32_t id, size_t to)
{
    emit_store_u32(c, id, SLOT(exit));
    emit_jump_slot(c, to);
}

/* Plain exits whose target overwrites all flags: one `add`, and a `jns` where the budget is tested. */
static uint8_t *emit_charge_flags(struct cursor *c, const struct exit *exit)
{
    emit_u8(c, 0x65); /* addq $charge, gs:[budget] */
    emit_u8(c, 0x48);
    emit_u8(c, 0x81);
    emit_u8(c, 0x04);
    emit_u8(c, 0x25);
    emit_u32(c, (uint32_t)budget_offset(exit->budget));
    emit_u32(c, exit_charge(exit));
    if (!exit->tested)
        return NULL;
    emit_u8(c, 0x0f);
    emit_u8(c, 0x89);
    emit_u32(c, 0);
    return c->at - 4;
}

/* Out, when the budget is used up or the records are full: from a jrcxz, which reaches only a near
 * place and holds the program's %rcx in its slot, or from a jns. */
static void emit_up_rcx(struct cursor *hot, struct cursor *cold, uint8_t *up, uint32_t id)
{
    land_here(up, hot);
    emit_u8(hot, 0xe9);
    emit_u32(hot, 0);
    emit_displacement(hot, hot->at - 4, cursor_runs_at(cold));
    emit_load(cold, RCX, SLOT(slot_rcx));
    emit_leave(cold, id, SLOT(to_budget));
}

/* What a direct exit does; returns the jrcxz that must still be led out, or NULL. */
static uint8_t *emit_work(const struct regions *regions, struct cursor *hot, struct cursor *cold,
                          const struct exit *exit, uint32_t id)
{
    uint8_t *up = NULL;
    switch (exit->flavour) {
    case FLAVOUR_PLAIN:
        if (flags_dead(regions, exit->target, FLAGS_ALL)) {
            uint8_t *far_up = emit_charge_flags(hot, exit);
            if (far_up) {
                emit_displacement(hot, far_up, cursor_runs_at(cold));
                emit_leave(cold, id, SLOT(to_budget));
            }
            return NULL;
        }
        emit_store(hot, RCX, SLOT(slot_rcx));
        emit_charge_rcx(hot, exit);
        if (exit->tested)
            up = emit_branch_if_up(hot, budget_offset(exit->budget));
        emit_load(hot, RCX, SLOT(slot_rcx));
        return up;
    case FLAVOUR_RECORD:
        emit_store(hot, RCX, SLOT(slot_rcx));
        emit_record_rcx(hot, id);
        up = emit_branch_if_up(hot, SLOT(record_at));
        emit_load(hot, RCX, SLOT(slot_rcx));
        return up;
    default:
        if (exit->counter)
            emit_counter(regions, hot, exit->counter, exit->target, false);
        return NULL;
    }
}

/* The way on at the end of a superblock: its work, then a jump that first leads to the dispatcher
 * and later, patched, to the target's own code. */
static void emit_exit(struct translation *t, struct cursor *hot, struct cursor *cold,
                      struct exit *exit, uint32_t id)
{
    uint8_t *up = emit_work(t->regions, hot, cold, exit, id);
    uint8_t *field = emit_patchable_jump(hot);
    emit_displacement(hot, field, cursor_runs_at(cold));
    emit_leave(cold, id, SLOT(to_direct));
    exit->link = (uint64_t)field;
    if (up)
        emit_up_rcx(hot, cold, up, id);
}

void translate_exit(const struct regions *regions, const struct exit *exit, uint32_t id,
                    uint64_t entry, struct cursor *hot, struct cursor *cold)
{
    uint8_t *up = emit_work(regions, hot, cold, exit, id);
    emit_u8(hot, 0xe9);
    emit_u32(hot, 0);
    emit_displacement(hot, hot->at - 4, entry);
    if (up)
        emit_up_rcx(hot, cold, up, id);
}

/* With the target in %r11: its index in the landings, or in a site's own table, to %rcx. */
static void emit_index(struct cursor *c, bool site, bool rotates)
{
    static const uint8_t rotate[] = {0xc4, 0xc3, 0x7b, 0xf0, 0xcb, 4, 0x0f, 0xb7, 0xc9};
    if (!site && rotates) {
        emit_bytes(c, rotate, sizeof rotate); /* rorx $4, %r11d, %ecx; movzwl %cx, %ecx */
        return;
    }
    emit_u8(c, 0x41); /* movzwl %r11w, %ecx, or movzbl %r11b, %ecx */
    emit_u8(c, 0x0f);
    emit_u8(c, site ? 0xb6 : 0xb7);
    emit_u8(c, 0xcb);
}

/* The end of an indirect branch: target in %r11, the program's %r11 in its slot. */
static void emit_indirect(struct translation *t, struct cursor *c, uint32_t id, bool site,
                          struct exit *exit)
{
    uint8_t *up = NULL;
    emit_store(c, RCX, SLOT(slot_rcx));
    if (t->flavour == FLAVOUR_PLAIN) {
        /* Returns need no test: what goes round forever does so by another branch. */
        emit_charge_rcx(c, exit);
        if (site)
            up = emit_branch_if_up(c, budget_offset(exit->budget));
    } else if (t->flavour == FLAVOUR_RECORD) {
        emit_record_rcx(c, id);
        up = emit_branch_if_up(c, SLOT(record_at));
    }
    /* A count flavour's jump or call has its own table; all others share one by target. */
    site = site && t->flavour == FLAVOUR_COUNT;
    if (site)
        emit_store_u32(c, id, SLOT(exit));
    emit_index(c, site, t->rotates);
    emit_u8(c, 0xff); /* jmp *table(, %rcx, 8) */
    emit_u8(c, 0x24);
    emit_u8(c, 0xcd);
    emit_u32(c, (uint32_t)(uint64_t)(site ? t->tables->sites[t->site]
                                          : t->tables->landings[t->flavour]));
    if (up) {
        land_here(up, c);
        emit_jump_slot(c, SLOT(to_budget_indirect));
    }
    exit->link = site ? t->site : 0;
}

/* ---- instructions */

static void emit_plain(struct cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    uint8_t *start = c->at;
    emit_bytes(c, (const uint8_t *)step->pc, insn->length);
    if (!insn->rip_relative)
        return;
    uint64_t operand = step->pc + insn->length + (uint64_t)(int64_t)insn->disp;
    int32_t displacement = (int32_t)(operand - cursor_runs_at(c));
    __builtin_memcpy(start + insn->disp_at, &displacement, 4);
}

/* A conditional branch whose taken way is not known yet; returns its rel32 field, aligned so that it
 * can be patched atomically. */
static uint8_t *emit_cond(struct cursor *c, const struct insn *insn)
{
    bool short_count = insn->prefixes & PREFIX_67; /* counts in %ecx */
    uint32_t before = insn->class == INSN_COND ? 2 : short_count ? 6 : 5;
    while (((uintptr_t)c->at + before) & 3)
        emit_u8(c, 0x90);
    if (insn->class == INSN_COND) {
        emit_u8(c, 0x0f);
        emit_u8(c, 0x80 | (insn->opcode & 15));
    } else {
        if (short_count)
            emit_u8(c, 0x67);
        emit_u8(c, insn->opcode); /* over the next, to the jump */
        emit_u8(c, 2);
        emit_u8(c, 0xeb); /* not taken: over the jump */
        emit_u8(c, 5);
        emit_u8(c, 0xe9);
    }
    emit_u32(c, 0);
    return c->at - 4;
}

/* pushq of a return address that stands behind the code; returns the displacement field. It is one
 * instruction, so a fault at the stack's end finds the program's registers in place. */
static uint8_t *emit_push_constant(struct cursor *c)
{
    emit_u8(c, 0xff);
    emit_u8(c, 0x35);
    emit_u32(c, 0);
    return c->at - 4;
}

/* mov <the branch's operand>, %r11. That register, because it is dead at most calls and returns: its
 * own value comes back by way of memory, and nobody waits for it. */
static void emit_operand(struct cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    if (insn->prefixes & PREFIX_FS)
        emit_u8(c, 0x64);
    emit_u8(c, 0x4c | (insn->rex & 3));
    emit_u8(c, 0x8b);
    emit_u8(c, (insn->modrm & 0xc7) | (R11 & 7) << 3);
    uint32_t behind = insn->modrm_at + 1u;
    emit_bytes(c, (const uint8_t *)step->pc + behind, insn->length - behind);
    if (insn->rip_relative)
        emit_displacement(c, c->at - 4, step->pc + insn->length + (uint64_t)(int64_t)insn->disp);
}

/* ---- the end of a superblock */

struct ending {
    const struct shape *shape;
    uint32_t segment, step;
    uint8_t *pushed; /* displacement field of the pushed return address, or NULL */
    uint64_t return_pc;
};

static void emit_branch_register(struct translation *t, struct cursor *c, struct ending *end,
                                 bool call)
{
    const struct step *step = &end->shape->steps[end->step];
    emit_store(c, R11, SLOT(slot_r11));
    note(t, c, end->shape, end->step, IN_SLOT_NONE);
    emit_operand(c, step);
    if (!call)
        return;
    note(t, c, end->shape, end->step, IN_SLOT_R11);
    end->pushed = emit_push_constant(c);
    end->return_pc = step->pc + step->insn.length;
}

static void emit_return(struct translation *t, struct cursor *c, struct ending *end)
{
    const struct insn *insn = &end->shape->steps[end->step].insn;
    emit_store(c, R11, SLOT(slot_r11));
    note(t, c, end->shape, end->step, IN_SLOT_NONE);
    emit_u8(c, 0x41); /* pop %r11 */
    emit_u8(c, 0x5b);
    if (insn->imm_bytes) {
        emit_u8(c, 0x48); /* lea imm(%rsp), %rsp */
        emit_u8(c, 0x8d);
        emit_u8(c, 0xa4);
        emit_u8(c, 0x24);
        emit_u32(c, (uint32_t)insn->imm & 0xffff);
    }
}

/* The call itself, for the ones that return twice: the child finds no context of ours and goes on
 * natively. %rcx and %r11 are the kernel's to destroy, so they are free here. */
static uint64_t emit_syscall(struct cursor *c, uint32_t id, uint64_t next)
{
    uint64_t runs_at = cursor_runs_at(c);
    static const uint8_t call[] = {0x0f, 0x05, 0x48, 0x89,
                                   0xc1, 0xe3, 0}; /* ; mov %rax,%rcx; jrcxz */
    emit_bytes(c, call, sizeof call);
    uint8_t *child = c->at - 1;
    emit_u8(c, 0x48); /* movabs $next, %rcx: as the kernel leaves it */
    emit_u8(c, 0xb9);
    emit_u64(c, next);
    emit_leave(c, id, SLOT(to_called));
    land_here(child, c);
    static const uint8_t drop[] = {0x41, 0xbb, 0, 0, 0, 0, 0xf3, 0x49, 0x0f, 0xae, 0xdb};
    emit_bytes(c, drop, sizeof drop); /* mov $0, %r11d; wrgsbase %r11 */
    emit_u8(c, 0x48);
    emit_u8(c, 0xb9);
    emit_u64(c, next);
    emit_u8(c, 0xff); /* jmp *%rcx */
    emit_u8(c, 0xe1);
    return runs_at;
}

static struct exit exit_of(const struct translation *t, const struct shape *shape, uint32_t n_steps,
                           uint64_t target)
{
    const struct step *last = &shape->steps[n_steps - 1];
    uint32_t half = CONTEXT_BUDGETS / 2;
    return (struct exit){.target = target,
                         .instructions = n_steps,
                         .flavour = (uint8_t)t->flavour,
                         .budget = (uint8_t)(t->first_exit % half + (target ? 0 : half)),
                         /* Every cycle of the program has a backward or an indirect exit. */
                         .tested = target <= last->pc};
}

static void emit_end(struct translation *t, struct cursor *hot, struct cursor *cold,
                     struct ending *end)
{
    const struct wire_segment *segment = &end->shape->segments[end->segment];
    const struct step *step = &end->shape->steps[end->step];
    uint32_t id = t->first_exit + end->segment;
    struct exit *exit = &t->exits[end->segment];
    uint64_t target = segment->target;
    if (segment->end ==
        SEGMENT_COND) { /* it has its exit; the way on is one more: it fell through */
        exit++;
        id++;
        target = step->pc + step->insn.length;
    }
    *exit = exit_of(t, end->shape, end->shape->n_steps, target);
    switch (segment->end) {
    case SEGMENT_CALL:
        note(t, hot, end->shape, end->step, IN_SLOT_NONE);
        end->pushed = emit_push_constant(hot);
        end->return_pc = step->pc + step->insn.length;
        emit_exit(t, hot, cold, exit, id);
        return;
    case SEGMENT_IJUMP:
    case SEGMENT_ICALL:
        emit_branch_register(t, hot, end, segment->end == SEGMENT_ICALL);
        emit_indirect(t, hot, id, true, exit);
        return;
    case SEGMENT_RETURN:
        emit_return(t, hot, end);
        emit_indirect(t, hot, id, false, exit);
        return;
    case SEGMENT_SYSCALL:
        emit_leave(hot, id, SLOT(to_syscall));
        exit->link = emit_syscall(hot, id, segment->target);
        return;
    case SEGMENT_STOP: /* the dispatcher does its work */
        emit_leave(hot, id, SLOT(to_stop));
        return;
    default: emit_exit(t, hot, cold, exit, id);
    }
}

/* A conditional branch that goes to the dispatcher when it is taken, for now. */
static void emit_side(struct translation *t, struct cursor *hot, struct cursor *cold,
                      const struct shape *shape, uint32_t segment)
{
    uint32_t n_steps = shape->first_step[segment + 1];
    struct exit *exit = &t->exits[segment];
    *exit = exit_of(t, shape, n_steps, shape->segments[segment].target);
    if (t->flavour == FLAVOUR_COUNT)
        exit->counter = t->counter + 1 + segment;
    uint8_t *field = emit_cond(hot, &shape->steps[n_steps - 1].insn);
    emit_displacement(hot, field, cursor_runs_at(cold));
    emit_leave(cold, t->first_exit + segment, SLOT(to_lazy));
    exit->link = (uint64_t)field;
}

void translate(struct translation *t, const struct shape *shape, struct cursor *hot,
               struct cursor *cold)
{
    struct ending end = {.shape = shape, .segment = shape->n_segments - 1};
    if (t->flavour == FLAVOUR_COUNT)
        emit_counter(t->regions, hot, t->counter, shape->pc, false);
    for (uint32_t s = 0; s < shape->n_segments; s++) {
        for (uint32_t i = shape->first_step[s]; i < shape->first_step[s + 1]; i++) {
            end.step = i;
            note(t, hot, shape, i, IN_SLOT_NONE);
            if (shape->steps[i].insn.class == INSN_PLAIN)
                emit_plain(hot, &shape->steps[i]);
            else if (shape->segments[s].end == SEGMENT_COND)
                emit_side(t, hot, cold, shape, s);
        }
    }
    emit_end(t, hot, cold, &end);
    if (end.pushed) {
        emit_displacement(hot, end.pushed, cursor_runs_at(hot));
        emit_u64(hot, end.return_pc);
    }
}

void translate_landing(const struct regions *regions, struct cursor *c, uint64_t pc, uint64_t entry,
                       uint64_t next, uint32_t counter)
{
    emit_u8(c, 0x48); /* movabs $-pc, %rcx */
    emit_u8(c, 0xb9);
    emit_u64(c, 0 - pc);
    static const uint8_t compare[] = {0x4a, 0x8d, 0x0c, 0x19, 0xe3, 6, 0xff, 0x25};
    emit_bytes(c, compare, sizeof compare); /* lea (%rcx,%r11),%rcx; jrcxz over; jmp *next(%rip) */
    emit_u32(c, 0);
    uint8_t *to_next = c->at - 4;
    if (counter)
        emit_counter(regions, c, counter, pc, true);
    emit_load(c, RCX, SLOT(slot_rcx));
    emit_load(c, R11, SLOT(slot_r11));
    emit_u8(c, 0xe9);
    emit_u32(c, 0);
    emit_displacement(c, c->at - 4, entry);
    emit_displacement(c, to_next, cursor_runs_at(c));
    emit_u64(c, next);
}
