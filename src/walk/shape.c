#include "walk/shape.h"

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

/* Decodes at pc; LOSS_N if it may be copied. */
static uint32_t step_decode(struct step *step, struct regions *regions, uint64_t pc, bool whole,
                            uint64_t reach)
{
    uint32_t refusal;
    size_t room = regions_room(regions, pc, &refusal);
    if (room == 0)
        return refusal;
    step->pc = pc;
    if (!insn_decode((const uint8_t *)pc, room, &step->insn))
        return LOSS_at_undecoded;
    const struct insn *insn = &step->insn;
    if (insn->class == INSN_REFUSED)
        return refusal_loss(insn->refusal);
    if (insn->class == INSN_SYSCALL && !whole)
        return LOSS_at_syscall;
    /* popf may set the trap flag, whose signal a sampled walk has blocked. */
    if (insn->space == SPACE_LEGACY && insn->map == 0 && insn->opcode == 0x9d && !whole)
        return LOSS_at_trap;
    if (insn->rip_relative && !in_reach(pc + insn->length + (uint64_t)(int64_t)insn->disp, reach))
        return LOSS_at_reach;
    return LOSS_N;
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
    case INSN_COND:
    case INSN_COUNT_COND:
    case INSN_JUMP:
    case INSN_CALL: return insn_target(&step->insn, step->pc);
    case INSN_SYSCALL: return step->pc + step->insn.length;
    default: return 0;
    }
}

void shape_form(struct shape *shape, struct regions *regions, uint64_t pc, bool whole,
                uint32_t max_segments, uint64_t reach)
{
    shape->pc = pc;
    shape->n_steps = shape->n_segments = 0;
    shape->refusal = LOSS_N;
    shape->first_step[0] = 0;
    shape->segments[0].start = pc;
    for (;;) {
        if (shape->n_steps == (max_segments == SHAPE_SINGLE ? 1 : SHAPE_STEPS)) {
            segment_close(shape, pc, SEGMENT_SPLIT, pc);
            return;
        }
        struct step *step = &shape->steps[shape->n_steps];
        shape->refusal = step_decode(step, regions, pc, whole, reach);
        if (shape->refusal != LOSS_N) {
            segment_close(shape, pc, SEGMENT_STOP, pc);
            return;
        }
        shape->n_steps++;
        uint64_t next = pc + step->insn.length;
        if (step->insn.class == INSN_PLAIN) {
            pc = next;
            continue;
        }
        uint64_t target = target_of(step);
        segment_close(shape, next, end_of(step->insn.class), target);
        bool straight_on = step->insn.class == INSN_COND || step->insn.class == INSN_COUNT_COND ||
                           (step->insn.class == INSN_JUMP && target > pc);
        if (!straight_on || shape->n_segments >= max_segments)
            return;
        pc = step->insn.class == INSN_JUMP ? target : next;
        shape->segments[shape->n_segments].start = pc;
    }
}
