#include "walk/emit/shape.h"

#include "walk/base/probe.h"
#include "walk/count/plan.h"
#include "walk/emit/through_gs.h"

/* A zone is at most 2 MiB and reach is its start; keep a margin for both. */
static bool in_reach(uint64_t target, uint64_t reach)
{
    int64_t distance = (int64_t)(target - reach);
    return distance < INT64_C(0x7fc00000) && distance > -INT64_C(0x7fc00000);
}

static uint32_t refusal_loss(uint8_t refusal)
{
    switch (refusal) {
    case REFUSAL_GS: return LOSS_at_gs;
    case REFUSAL_FSBASE: return LOSS_at_fsbase;
    case REFUSAL_TRAP: return LOSS_at_trap;
    case REFUSAL_FAR: return LOSS_at_far;
    case REFUSAL_TRANSACTION: return LOSS_at_transaction;
    case REFUSAL_SHADOW_STACK: return LOSS_at_shadow_stack;
    default: return LOSS_at_undecoded;
    }
}

/* Refused by sampled walks only: uses of %gs, which exact runs copy, and writes of the thread
 * pointer. */
static void step_permit(struct step *step)
{
    struct insn *insn = &step->insn;
    step->through_gs = insn->refusal == REFUSAL_GS && through_gs(insn);
    if (insn->class == INSN_REFUSED && (step->through_gs || insn->refusal == REFUSAL_FSBASE))
        insn->class = INSN_PLAIN;
}

/* What another thread may take away meanwhile is read with a fault in mind. */
static bool bytes_read(struct step *step, enum region_kind kind, uint64_t bytes)
{
    if (kind != REGION_LASTING)
        return probe_read(step->bytes, step->pc, bytes);
    for (uint64_t i = 0; i < bytes; i++)
        step->bytes[i] = ((const uint8_t *)step->pc)[i];
    return true;
}

/* Reads and decodes; LOSS_N, or why not. Code that lasts is decoded where it is. */
static uint32_t step_read(struct step *step, enum region_kind kind, size_t room)
{
    if (kind == REGION_LASTING && room >= INSN_ROOM) {
        __builtin_memcpy(step->bytes, (const uint8_t *)step->pc, sizeof step->bytes);
        return insn_decode((const uint8_t *)step->pc, room, &step->insn) ? LOSS_N
                                                                         : LOSS_at_undecoded;
    }
    room = room < INSTRUCTION_MAX ? room : INSTRUCTION_MAX;
    if (!bytes_read(step, kind, room))
        return LOSS_at_anonymous;
    return insn_decode(step->bytes, room, &step->insn) ? LOSS_N : LOSS_at_undecoded;
}

/* Decodes at pc; LOSS_N if it may be copied. */
static uint32_t step_decode(struct step *step, struct regions *regions, uint64_t pc, bool whole,
                            uint64_t reach, enum region_kind *ret_kind)
{
    uint32_t refusal;
    size_t room = regions_room(regions, pc, ret_kind, &refusal);
    if (room == 0)
        return refusal;
    step->pc = pc;
    step->through_gs = false;
    refusal = step_read(step, *ret_kind, room);
    if (refusal != LOSS_N)
        return refusal;
    const struct insn *insn = &step->insn;
    if (regions_restarts(regions, pc, pc + insn->length))
        return LOSS_at_rseq;
    if (whole)
        step_permit(step);
    if (insn->class == INSN_REFUSED)
        return whole && regions->transactions && insn_begins_transaction(insn)
                   ? LOSS_N
                   : refusal_loss(insn->refusal);
    if (insn->class == INSN_SYSCALL && !whole && !regions->calls)
        return LOSS_at_syscall;
    /* popf may set the trap flag, whose signal a sampled walk has blocked. */
    if (insn->space == SPACE_LEGACY && insn->map == 0 && insn->opcode == 0x9d && !whole)
        return LOSS_at_trap;
    if (insn->rip_relative && !in_reach(pc + insn->length + (uint64_t)(int64_t)insn->disp, reach))
        return LOSS_at_reach;
    return LOSS_N;
}

/* The segment end as which an exact run counts a stepped instruction. SEGMENT_STOP: not counted.
 * That is right for what only faults, and for what the tool could not follow: far jumps and calls,
 * and bytes of unknown length. */
static enum segment_end stepped_end(const struct step *step, uint32_t refusal)
{
    const struct insn *insn = &step->insn;
    bool one_byte = insn->space == SPACE_LEGACY && insn->map == 0;
    if (refusal == LOSS_at_reach)
        return insn->class == INSN_PLAIN ? SEGMENT_SPLIT : SEGMENT_STOP;
    if (insn->class != INSN_REFUSED || refusal == LOSS_at_rseq || refusal == LOSS_at_anonymous)
        return SEGMENT_STOP;
    switch (insn->refusal) {
    case REFUSAL_GS: return SEGMENT_SPLIT;
    case REFUSAL_TRAP:
        if (one_byte && insn->opcode == 0xcd)
            return SEGMENT_SYSCALL; /* int n */
        return one_byte && (insn->opcode == 0xcc || insn->opcode == 0xf1) ? SEGMENT_SPLIT
                                                                          : SEGMENT_STOP;
    case REFUSAL_FAR:
        if (one_byte && (insn->opcode == 0xca || insn->opcode == 0xcb || insn->opcode == 0xcf))
            return SEGMENT_RETURN;
        return one_byte && insn->opcode == 0x8e ? SEGMENT_SPLIT : SEGMENT_STOP;
    default: return SEGMENT_STOP;
    }
}

/* True if an instruction may write to memory other than the stack: all but known readers. */
static bool may_store(const struct insn *insn)
{
    uint8_t op = insn->opcode, reg = insn->modrm >> 3 & 7;
    bool memory = insn->has_modrm && insn->modrm < 0xc0;
    if (!memory)
        return insn->space == SPACE_LEGACY && insn->map == 0 &&
               ((op >= 0xa2 && op <= 0xa5) || op == 0xaa || op == 0xab);
    if (insn->space != SPACE_LEGACY || insn->map > 1)
        return true;
    if (insn->map == 1) /* cmov, bt, movzx, movsx, imul, SSE loads and arithmetic */
        return !((op >= 0x40 && op <= 0x6f) || op == 0x10 || op == 0x28 || op == 0x2a ||
                 op == 0x2e || op == 0x2f || op == 0xaf || op == 0xa3 || op == 0xb6 || op == 0xb7 ||
                 op == 0xbe || op == 0xbf || op == 0x1f || op == 0x18 || op == 0x0d);
    if (op < 0x40)
        return (op & 7) < 2 && op < 0x38; /* arithmetic: towards memory; cmp never writes */
    if (op >= 0x80 && op <= 0x83)
        return reg != 7;
    if (op == 0xf6 || op == 0xf7)
        return reg == 2 || reg == 3; /* not, neg; the others test, multiply, divide */
    return !(op == 0x63 || op == 0x69 || op == 0x6b || op == 0x84 || op == 0x85 || op == 0x8a ||
             op == 0x8b || op == 0x8d);
}

static void segment_close(struct shape *shape, uint64_t end_pc, enum segment_end end,
                          uint64_t target)
{
    struct wire_segment *segment = &shape->segments[shape->n_segments];
    uint32_t first = shape->first_step[shape->n_segments];
    segment->bytes = (uint32_t)(end_pc - segment->start);
    segment->instructions = (uint16_t)(shape->n_steps - first);
    segment->end = (uint8_t)end;
    segment->target = target;
    segment->last_bytes = shape->n_steps > first ? shape->steps[shape->n_steps - 1].insn.length : 0;
    shape->n_segments++;
    shape->first_step[shape->n_segments] = shape->n_steps;
}

static enum segment_end end_of(uint8_t class)
{
    switch (class) {
    case INSN_REFUSED: /* xbegin, the only one that comes this far */
    case INSN_COND:
    case INSN_COUNT_COND: return SEGMENT_COND;
    case INSN_JUMP: return SEGMENT_JUMP;
    case INSN_CALL: return SEGMENT_CALL;
    case INSN_IJUMP: return SEGMENT_IJUMP;
    case INSN_ICALL: return SEGMENT_ICALL;
    case INSN_RETURN: return SEGMENT_RETURN;
    default: return SEGMENT_SYSCALL;
    }
}

static uint64_t target_of(const struct step *step)
{
    switch (step->insn.class) {
    case INSN_REFUSED:
    case INSN_COND:
    case INSN_COUNT_COND:
    case INSN_JUMP:
    case INSN_CALL: return insn_target(&step->insn, step->pc);
    case INSN_SYSCALL: return step->pc + step->insn.length;
    default: return 0;
    }
}

static bool shape_holds(const struct shape *shape, uint64_t pc)
{
    for (uint32_t i = 0; i < shape->n_steps; i++)
        if (shape->steps[i].pc == pc)
            return true;
    return false;
}

static uint32_t shape_through_gs(const struct shape *shape)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape->n_steps; i++)
        n += shape->steps[i].through_gs;
    return n;
}

void shape_form(struct shape *shape, struct regions *regions, uint64_t pc, bool whole,
                uint32_t max_segments, uint64_t reach)
{
    shape->pc = pc;
    shape->n_steps = shape->n_segments = 0;
    shape->refusal = LOSS_N;
    shape->stepped = false;
    shape->first_step[0] = 0;
    shape->segments[0].start = pc;
    uint32_t bytes = 0, bytes_max = whole ? SHAPE_GUARDED_BYTES - INSTRUCTION_MAX : UINT32_MAX;
    for (;;) {
        bool long_enough = shape->n_steps && shape->kind != REGION_LASTING && bytes > bytes_max;
        if (long_enough || shape->n_steps == (max_segments == SHAPE_SINGLE ? 1 : SHAPE_STEPS)) {
            segment_close(shape, pc, SEGMENT_SPLIT, pc);
            return;
        }
        struct step *step = &shape->steps[shape->n_steps];
        enum region_kind kind = REGION_LASTING;
        shape->refusal = step_decode(step, regions, pc, whole, reach, &kind);
        enum segment_end stepped = SEGMENT_STOP;
        if (shape->refusal != LOSS_N && whole)
            stepped = stepped_end(step, shape->refusal);
        if (shape->refusal != LOSS_N && stepped == SEGMENT_STOP) {
            segment_close(shape, pc, SEGMENT_STOP, pc);
            return;
        }
        bool covered = plan_covers(regions->plan, pc);
        if (shape->n_steps && (kind != shape->kind || covered != shape->covered)) {
            segment_close(shape, pc, SEGMENT_SPLIT, pc);
            return;
        }
        if (step->through_gs && shape_through_gs(shape) == SHAPE_THROUGH_GS) {
            segment_close(shape, pc, SEGMENT_SPLIT, pc);
            return;
        }
        shape->kind = kind;
        shape->covered = covered;
        shape->n_steps++;
        uint64_t next = pc + step->insn.length;
        bytes += step->insn.length;
        if (shape->refusal != LOSS_N) {
            shape->stepped = true;
            segment_close(shape, next, stepped, stepped == SEGMENT_RETURN ? 0 : next);
            return;
        }
        if (step->insn.class == INSN_PLAIN) {
            pc = next;
            if (kind != REGION_WRITTEN || !may_store(&step->insn))
                continue;
            segment_close(shape, pc, SEGMENT_SPLIT, pc);
            return;
        }
        uint64_t target = target_of(step);
        segment_close(shape, next, end_of(step->insn.class), target);
        bool straight_on = step->insn.class == INSN_COND || step->insn.class == INSN_COUNT_COND ||
                           (step->insn.class == INSN_JUMP && !shape_holds(shape, target));
        if (!straight_on || shape->n_segments >= max_segments)
            return;
        pc = step->insn.class == INSN_JUMP ? target : next;
        shape->segments[shape->n_segments].start = pc;
    }
}
