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

/* With %rcx free: budget += instructions. */
static void emit_charge_rcx(struct cursor *c, uint32_t instructions)
{
    emit_load(c, RCX, SLOT(budget));
    emit_add_rcx(c, (int8_t)instructions);
    emit_store(c, RCX, SLOT(budget));
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
static uint8_t *emit_charge_flags(struct cursor *c, uint32_t instructions, bool test)
{
    emit_u8(c, 0x65); /* addq $instructions, gs:[budget] */
    emit_u8(c, 0x48);
    emit_u8(c, 0x83);
    emit_u8(c, 0x04);
    emit_u8(c, 0x25);
    emit_u32(c, (uint32_t)SLOT(budget));
    emit_u8(c, instructions);
    if (!test)
        return NULL;
    emit_u8(c, 0x0f);
    emit_u8(c, 0x89);
    emit_u32(c, 0);
    return c->at - 4;
}

struct exit_kind {
    uint32_t id, instructions; /* executed since entry when this exit is taken */
    uint64_t target, from;     /* avma; from: of the branch */
    bool counted;              /* count flavour: has a counter of its own */
    uint32_t counter;
    size_t leave; /* to_direct, or to_stop: not linked */
};

/* The part of a direct exit before its jump. Returns how it gets out when the budget is used up: a
 * rel8 field of a jrcxz in *ret_short, or a rel32 field of a jns in *ret_long. */
static void emit_exit_work(struct translation *t, struct cursor *c, const struct exit_kind *exit,
                           uint8_t **ret_short, uint8_t **ret_long)
{
    bool test = exit->leave == SLOT(to_direct);
    switch (t->flavour) {
    case FLAVOUR_PLAIN:
        /* Every cycle of the program has a backward or an indirect exit: testing there suffices. */
        test = test && exit->target <= exit->from;
        if (flags_dead(t->regions, exit->target, FLAGS_ALL)) {
            *ret_long = emit_charge_flags(c, exit->instructions, test);
            return;
        }
        emit_store(c, RCX, SLOT(slot_rcx));
        emit_charge_rcx(c, exit->instructions);
        if (test)
            *ret_short = emit_branch_if_up(c, SLOT(budget));
        emit_load(c, RCX, SLOT(slot_rcx));
        return;
    case FLAVOUR_RECORD:
        emit_store(c, RCX, SLOT(slot_rcx));
        emit_record_rcx(c, exit->id);
        if (test)
            *ret_short = emit_branch_if_up(c, SLOT(record_at));
        emit_load(c, RCX, SLOT(slot_rcx));
        return;
    default:
        if (exit->counted)
            emit_counter(t->regions, c, exit->counter, exit->target, false);
    }
}

/* A direct exit: its work, then a jump that first leads to the dispatcher and later, patched, to the
 * target's own code. */
static void emit_exit(struct translation *t, struct cursor *c, const struct exit_kind *exit,
                      struct exit *ret)
{
    uint8_t *up_short = NULL, *up_long = NULL;
    emit_exit_work(t, c, exit, &up_short, &up_long);
    *ret = (struct exit){.target = exit->target, .instructions = exit->instructions};
    if (exit->leave == SLOT(to_direct)) {
        uint8_t *field = emit_patchable_jump(c);
        emit_displacement(c, field, cursor_runs_at(c));
        ret->link = (uint64_t)field;
    }
    emit_leave(c, exit->id, exit->leave);
    if (up_short) {
        land_here(up_short, c);
        emit_load(c, RCX, SLOT(slot_rcx));
        emit_leave(c, exit->id, SLOT(to_budget));
    }
    if (up_long) {
        emit_displacement(c, up_long, cursor_runs_at(c));
        emit_leave(c, exit->id, SLOT(to_budget));
    }
}

/* The end of an indirect branch: target in %rax, the program's %rax in its slot. */
static void emit_indirect(struct translation *t, struct cursor *c, uint32_t id,
                          uint32_t instructions, bool site, struct exit *ret)
{
    uint8_t *up = NULL;
    emit_store(c, RCX, SLOT(slot_rcx));
    if (t->flavour == FLAVOUR_PLAIN) {
        emit_charge_rcx(c, instructions);
        up = emit_branch_if_up(c, SLOT(budget));
    } else if (t->flavour == FLAVOUR_RECORD) {
        emit_record_rcx(c, id);
        up = emit_branch_if_up(c, SLOT(record_at));
    }
    /* A count flavour's jump or call has its own table; all others share one by target. */
    site = site && t->flavour == FLAVOUR_COUNT;
    if (site)
        emit_store_u32(c, id, SLOT(exit));
    emit_u8(c, 0x0f); /* movzwl %ax, %ecx, or movzbl %al, %ecx */
    emit_u8(c, site ? 0xb6 : 0xb7);
    emit_u8(c, 0xc8);
    emit_u8(c, 0x65); /* jmp *gs:[table + rcx * 8] */
    emit_u8(c, 0xff);
    emit_u8(c, 0x24);
    emit_u8(c, 0xcd);
    emit_u32(c,
             (uint32_t)(site ? SLOT(sites) + sizeof(uint64_t) * CONTEXT_SITE_SLOTS * t->site
                             : SLOT(landings) + sizeof(uint64_t) * CONTEXT_LANDINGS * t->flavour));
    if (up) {
        land_here(up, c);
        emit_jump_slot(c, SLOT(to_budget_indirect));
    }
    *ret = (struct exit){.link = site ? t->site : 0, .instructions = instructions};
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

/* A conditional branch whose taken way is not known yet; returns its rel32 field. */
static uint8_t *emit_cond(struct cursor *c, const struct insn *insn)
{
    if (insn->class == INSN_COND) {
        emit_u8(c, 0x0f);
        emit_u8(c, 0x80 | (insn->opcode & 15));
    } else {
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

/* mov <the branch's operand>, %rax */
static void emit_operand(struct cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    if (insn->prefixes & PREFIX_FS)
        emit_u8(c, 0x64);
    emit_u8(c, 0x48 | (insn->rex & 3));
    emit_u8(c, 0x8b);
    emit_u8(c, insn->modrm & 0xc7);
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
    emit_store(c, RAX, SLOT(slot_rax));
    note(t, c, end->shape, end->step, IN_SLOT_NONE);
    emit_operand(c, step);
    if (!call)
        return;
    note(t, c, end->shape, end->step, IN_SLOT_RAX);
    end->pushed = emit_push_constant(c);
    end->return_pc = step->pc + step->insn.length;
}

static void emit_return(struct translation *t, struct cursor *c, struct ending *end)
{
    const struct insn *insn = &end->shape->steps[end->step].insn;
    emit_store(c, RAX, SLOT(slot_rax));
    note(t, c, end->shape, end->step, IN_SLOT_NONE);
    emit_u8(c, 0x58); /* pop %rax */
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

static void emit_end(struct translation *t, struct cursor *c, struct ending *end)
{
    const struct wire_segment *segment = &end->shape->segments[end->segment];
    struct exit *ret = &t->exits[end->segment];
    const struct step *step = &end->shape->steps[end->step];
    struct exit_kind exit = {.id = t->first_exit + end->segment,
                             .instructions = end->shape->n_steps,
                             .target = segment->target,
                             .from = step->pc,
                             .leave = SLOT(to_direct)};
    switch (segment->end) {
    case SEGMENT_COND: /* the way on: the last branch fell through */
        exit.id++;
        exit.target = step->pc + step->insn.length;
        emit_exit(t, c, &exit, ret + 1);
        return;
    case SEGMENT_CALL:
        note(t, c, end->shape, end->step, IN_SLOT_NONE);
        end->pushed = emit_push_constant(c);
        end->return_pc = step->pc + step->insn.length;
        emit_exit(t, c, &exit, ret);
        return;
    case SEGMENT_IJUMP:
    case SEGMENT_ICALL:
        emit_branch_register(t, c, end, segment->end == SEGMENT_ICALL);
        emit_indirect(t, c, exit.id, exit.instructions, true, ret);
        return;
    case SEGMENT_RETURN:
        emit_return(t, c, end);
        emit_indirect(t, c, exit.id, exit.instructions, false, ret);
        return;
    case SEGMENT_SYSCALL:
        *ret = (struct exit){.target = segment->target, .instructions = exit.instructions};
        emit_leave(c, exit.id, SLOT(to_syscall));
        ret->link = emit_syscall(c, exit.id, segment->target);
        return;
    case SEGMENT_STOP: exit.leave = SLOT(to_stop); break;
    default: break;
    }
    emit_exit(t, c, &exit, ret);
}

void translate(struct translation *t, const struct shape *shape, struct cursor *c)
{
    uint8_t *taken[SHAPE_SEGMENTS];
    struct ending end = {.shape = shape, .segment = shape->n_segments - 1};
    if (t->flavour == FLAVOUR_COUNT)
        emit_counter(t->regions, c, t->counter, shape->pc, false);
    for (uint32_t s = 0; s < shape->n_segments; s++) {
        for (uint32_t i = shape->first_step[s]; i < shape->first_step[s + 1]; i++) {
            const struct step *step = &shape->steps[i];
            end.step = i;
            note(t, c, shape, i, IN_SLOT_NONE);
            if (step->insn.class == INSN_PLAIN)
                emit_plain(c, step);
            else if (shape->segments[s].end == SEGMENT_COND)
                taken[s] = emit_cond(c, &step->insn);
        }
    }
    emit_end(t, c, &end);
    for (uint32_t s = 0; s < shape->n_segments; s++) {
        if (shape->segments[s].end != SEGMENT_COND)
            continue;
        const struct step *branch = &shape->steps[shape->first_step[s + 1] - 1];
        struct exit_kind exit = {.id = t->first_exit + s,
                                 .instructions = shape->first_step[s + 1],
                                 .target = shape->segments[s].target,
                                 .from = branch->pc,
                                 .counted = true,
                                 .counter = t->counter + 1 + s,
                                 .leave = SLOT(to_direct)};
        emit_displacement(c, taken[s], cursor_runs_at(c));
        emit_exit(t, c, &exit, &t->exits[s]);
    }
    if (end.pushed) {
        emit_displacement(c, end.pushed, cursor_runs_at(c));
        emit_u64(c, end.return_pc);
    }
}

void translate_landing(const struct regions *regions, struct cursor *c, uint64_t pc, uint64_t entry,
                       uint64_t next, uint32_t counter)
{
    emit_u8(c, 0x48); /* movabs $-pc, %rcx */
    emit_u8(c, 0xb9);
    emit_u64(c, 0 - pc);
    static const uint8_t compare[] = {0x48, 0x8d, 0x0c, 0x01, 0xe3, 6, 0xff, 0x25};
    emit_bytes(c, compare, sizeof compare); /* lea (%rcx,%rax),%rcx; jrcxz over; jmp *next(%rip) */
    emit_u32(c, 0);
    uint8_t *to_next = c->at - 4;
    if (counter != UINT32_MAX)
        emit_counter(regions, c, counter, pc, true);
    emit_load(c, RCX, SLOT(slot_rcx));
    emit_load(c, RAX, SLOT(slot_rax));
    emit_u8(c, 0xe9);
    emit_u32(c, 0);
    emit_displacement(c, c->at - 4, entry);
    emit_displacement(c, to_next, cursor_runs_at(c));
    emit_u64(c, next);
}
