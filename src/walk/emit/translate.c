#include "walk/emit/translate.h"

#include "walk/emit/guess.h"
#include "walk/emit/liveness.h"
#include "walk/emit/through_gs.h"
#include "x86/writes_r11.h"

#define SLOT(field) offsetof(struct context, field)

/* Called before each emitted instruction that can fault in the program's name. */
static void note(struct translation *t, const struct code_cursor *c, const struct shape *shape,
                 uint32_t step, uint32_t in_slot)
{
    if (t->sought == 0 || t->located || cursor_runs_at(c) != t->sought)
        return;
    t->located = true;
    t->located_pc = shape->steps[step].pc;
    t->located_step = step;
    t->located_in_slot = in_slot;
    t->located_path = t->path;
}

/* ---- instructions */

static void emit_plain(struct code_cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    uint8_t *start = c->at;
    __builtin_memcpy(start, step->bytes, sizeof step->bytes); /* more than it has is overwritten */
    c->at += insn->length;
    if (!insn->rip_relative)
        return;
    uint64_t operand = step->pc + insn->length + (uint64_t)(int64_t)insn->disp;
    int32_t displacement = (int32_t)(operand - cursor_runs_at(c));
    __builtin_memcpy(start + insn->disp_at, &displacement, 4);
}

/* In front of each way out: the slot of %r11 holds the program's value. */
static void emit_r11_kept(struct translation *t, struct code_cursor *c)
{
    if (t->r11_new)
        emit_store(c, R11, SLOT(slot_r11));
    t->r11_new = false;
}

/* A conditional branch to a place not known yet; returns its rel32 field, which can be patched
 * while other threads run it. */
static uint8_t *emit_cond(struct code_cursor *c, const struct insn *insn)
{
    if (insn->class ==
        INSN_REFUSED) { /* xbegin: aborted, for no reason that is worth another try */
        emit_u8(c, 0xb8 | RAX);
        emit_u32(c, 0);
        return emit_patchable_jump(c);
    }
    if (insn->class == INSN_COND) {
        emit_padding(c, 2);
        emit_upto8(c, 0x800f | (insn->opcode & 15u) << 8, 6);
        return c->at - 4;
    }
    if (insn->prefixes & PREFIX_67) /* counts in %ecx */
        emit_u8(c, 0x67);
    emit_u8(c, insn->opcode); /* over the next, to the jump */
    emit_u8(c, 2);
    emit_u8(c, 0xeb); /* not taken: over the jump */
    emit_u8(c, 0);
    uint8_t *over = c->at - 1, *field = emit_patchable_jump(c);
    emit_near_here(over, c);
    return field;
}

/* pushq of a return address that follows the code; returns the displacement field. It is one
 * instruction, so a fault at the stack's end finds the program's registers in place. */
static uint8_t *emit_push_constant(struct code_cursor *c)
{
    emit_upto8(c, 0x35ff, 6);
    return c->at - 4;
}

/* mov <the branch's operand>, %r11, whose own value is in its slot. */
static void emit_operand(struct code_cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    if (insn->prefixes & PREFIX_FS)
        emit_u8(c, 0x64);
    emit_u8(c, 0x4c | (insn->rex & 3));
    emit_u8(c, 0x8b);
    emit_u8(c, (insn->modrm & 0xc7) | (R11 & 7) << 3);
    uint32_t behind = insn->modrm_at + 1u;
    emit_bytes(c, step->bytes + behind, insn->length - behind);
    if (insn->rip_relative)
        emit_displacement(c, c->at - 4, step->pc + insn->length + (uint64_t)(int64_t)insn->disp);
}

/* ---- the end of a superblock */

struct ending {
    const struct shape *shape;
    uint32_t segment, step;
    uint8_t *pushed; /* displacement field of the pushed return address, or NULL */
    uint64_t return_pc;
    uint32_t paid_at;   /* the step before which an indirect end was paid for, or SHAPE_STEPS */
    struct guess guess; /* of a return (guess.h) */
};

static void emit_branch_register(struct translation *t, struct code_cursor *c, struct ending *end,
                                 bool call)
{
    const struct step *step = &end->shape->steps[end->step];
    note(t, c, end->shape, end->step, IN_SLOT_NONE);
    emit_operand(c, step);
    if (!call)
        return;
    note(t, c, end->shape, end->step, IN_SLOT_R11);
    end->pushed = emit_push_constant(c);
    end->return_pc = step->pc + step->insn.length;
}

/* mov between %rax and gs:[the shadow + at + 4 %rcx] */
static void emit_shadow_word(struct code_cursor *c, uint32_t opcode, size_t at)
{
    static const uint8_t address[] = {0x04, 0x8d};
    emit_u8(c, 0x65);
    emit_u8(c, 0x48);
    emit_u8(c, opcode);
    emit_bytes(c, address, sizeof address);
    emit_u32(c, (uint32_t)(CONTEXT_SHADOW_AT + at));
}

/* After a return that popped `popped` bytes of arguments: what was saved for the call lies where
 * the stack pointer was then; moves it to where it is now. */
static void emit_shadow_move(struct code_cursor *c, uint32_t popped)
{
    _Static_assert(CONTEXT_SHADOW_SCALE == 4, "the scale of the address");
    emit_store(c, RCX, SLOT(slot_rcx));
    emit_store(c, RAX, SLOT(slot_rax));
    emit_u8(c, 0x89); /* mov %esp, %ecx */
    emit_u8(c, 0xe1);
    for (size_t field = 0; field < sizeof(struct shadow); field += 8) {
        emit_shadow_word(c, 0x8b, field - CONTEXT_SHADOW_SCALE * (size_t)popped);
        emit_shadow_word(c, 0x89, field);
    }
    emit_load(c, RAX, SLOT(slot_rax));
    emit_load(c, RCX, SLOT(slot_rcx));
}

static void emit_return(struct translation *t, struct code_cursor *c, struct ending *end)
{
    const struct insn *insn = &end->shape->steps[end->step].insn;
    note(t, c, end->shape, end->step, IN_SLOT_NONE);
    emit_u8(c, 0x41); /* pop %r11 */
    emit_u8(c, 0x5b);
    if (insn->imm_bytes) {
        emit_u8(c, 0x48); /* lea imm(%rsp), %rsp */
        emit_u8(c, 0x8d);
        emit_u8(c, 0xa4);
        emit_u8(c, 0x24);
        emit_u32(c, (uint32_t)insn->imm & 0xffff);
        if (t->plan)
            emit_shadow_move(c, (uint32_t)insn->imm & 0xffff);
    }
}

static struct exit exit_of(const struct translation *t, uint32_t id, uint32_t n_steps,
                           uint64_t target)
{
    struct exit exit = {.target = target,
                        .instructions = (uint16_t)n_steps,
                        .flavour = t->flavour & 3,
                        .budget = (uint8_t)(id % (CONTEXT_BUDGETS / 2))};
    if (t->flavour != FLAVOUR_COUNT) {
        exit.owed = (int16_t)(t->debt + (int32_t)n_steps);
        exit.payload = t->payload ? (uint16_t)(8 * t->payload->written) : 0;
    }
    return exit;
}

/* ---- plans */

static plan_place planned(const struct translation *t, uint64_t from, uint64_t to)
{
    return t->plan ? plan_find(t->plan, from, to) : 0;
}

static uint32_t transfer(const struct translation *t, uint64_t from, uint64_t to,
                         enum transfer_way way)
{
    return t->contexts ? contexts_transfer(t->contexts, from, to, way) : 0;
}

static void emit_transfer(const struct translation *t, struct code_cursor *hot,
                          struct code_cursor *cold, uint32_t number, uint64_t to)
{
    struct plan_room room = {
        .regions = t->regions, .cold = t->cold, .pc = to, .rotates = t->rotates};
    contexts_emit(t->contexts, number, hot, cold, &room);
}

static void emit_place(struct translation *t, struct code_cursor *c, plan_place place, uint64_t to)
{
    struct plan_room room = {
        .regions = t->regions, .cold = t->cold, .pc = to, .rotates = t->rotates};
    plan_emit(t->plan, place, c, &room, &t->path);
}

/* Before an instruction whatever comes next cannot know what is in the register. */
static void emit_settled(struct translation *t, struct code_cursor *c, uint64_t pc)
{
    struct plan_room room = {
        .regions = t->regions, .cold = t->cold, .pc = pc, .rotates = t->rotates};
    plan_settle(c, &room, &t->path);
}

static void exit_knows(struct exit *exit, struct plan_path path)
{
    exit->path = path.value;
    exit->path_known = path.known;
}

/* The operations of an edge inside of the superblock, or at an instruction. */
static void emit_planned(struct translation *t, struct code_cursor *c, uint64_t from, uint64_t to)
{
    emit_place(t, c, planned(t, from, to), to);
}

/* A jump through an address that can be changed while other threads run it: first what the cold
 * cursor is about to write. Returns where the address is. */
static uint8_t *emit_far_jump(struct code_cursor *hot, struct code_cursor *cold)
{
    while ((uintptr_t)cold->at % 8)
        emit_u8(cold, 0xcc);
    emit_u8(hot, 0xff); /* jmp *address(%rip) */
    emit_u8(hot, 0x25);
    emit_u32(hot, 0);
    emit_displacement(hot, hot->at - 4, cursor_runs_at(cold));
    emit_u64(cold, cursor_runs_at(cold) + 8);
    return cold->at - 8;
}

/* The way on at the end of a superblock: a jump to the dispatcher, later patched to the target's
 * code. Plain exits know what to pay only then; the others do their work here. */
static void emit_exit(struct translation *t, struct code_cursor *hot, struct code_cursor *cold,
                      struct exit *exit, uint32_t id)
{
    bool plain = t->flavour == FLAVOUR_PLAIN;
    if (t->flavour == FLAVOUR_COUNT) {
        if (contexts_first(t->contexts, exit->transfer))
            emit_transfer(t, hot, cold, exit->transfer, exit->target);
        emit_place(t, hot, exit->plan, exit->target);
        if (contexts_last(t->contexts, exit->transfer))
            emit_transfer(t, hot, cold, exit->transfer, exit->target);
        t->path = plan_enter(t->plan, exit->target, t->path);
        if (!t->path.known)
            emit_settled(t, hot, exit->target);
        exit_knows(exit, t->path);
    }
    uint8_t *up = plain ? NULL : emit_work(t->regions, hot, cold, exit, id, 0);
    uint8_t *field = exit->far ? emit_far_jump(hot, cold) : emit_patchable_jump(hot);
    if (!exit->far)
        emit_displacement(hot, field, cursor_runs_at(cold));
    if (exit->guessed)
        exit->path = cursor_runs_at(cold);
    emit_leave(cold, id, plain ? SLOT(to_lazy) : SLOT(to_direct));
    exit->link = (uint64_t)field;
    emit_work_out(hot, cold, up, exit, id, 0);
}

/* Plain: the step of the last segment before which an indirect end may be paid with an `add`,
 * because no flag is live. SHAPE_STEPS: none. */
static uint32_t pay_step(const struct translation *t, const struct shape *shape)
{
    uint8_t end = shape->segments[shape->n_segments - 1].end;
    bool indirect = end == SEGMENT_IJUMP || end == SEGMENT_ICALL || end == SEGMENT_RETURN;
    if (t->flavour != FLAVOUR_PLAIN || !indirect || t->debt + (int32_t)shape->n_steps == 0)
        return SHAPE_STEPS;
    return shape_dead_step(shape);
}

static struct exit *exit_guessed(struct translation *t, const struct shape *shape)
{
    struct exit *exit = &t->exits[shape->n_segments];
    *exit = exit_of(t, t->first_exit + shape->n_segments, shape->n_steps, t->guess);
    exit->far = !guess_near(shape->pc, t->guess);
    exit->guessed = true;
    return exit;
}

/* Where the branch goes to if the late guess was right. */
static void emit_guessed_late(struct translation *t, struct code_cursor *hot,
                              struct code_cursor *cold, const struct ending *end, uint8_t *right)
{
    struct exit *exit = exit_guessed(t, end->shape);
    if (end->paid_at < SHAPE_STEPS)
        exit->owed = 0;
    emit_near_here(right, hot);
    emit_load(hot, RCX, SLOT(slot_rcx));
    emit_load(hot, R11, SLOT(slot_r11));
    emit_exit(t, hot, cold, exit, t->first_exit + end->shape->n_segments);
}

static void emit_end_indirect(struct translation *t, struct code_cursor *hot,
                              struct code_cursor *cold, const struct ending *end, bool counted)
{
    uint32_t id = t->first_exit + end->segment;
    struct exit *exit = &t->exits[end->segment];
    uint8_t *right = NULL;
    counted = counted && t->sited;
    exit->link = counted ? t->site : 0;
    struct indirect indirect = {.table = counted ? &t->tables->sites[t->site]
                                                 : t->tables->landings[t->flavour],
                                .site = counted,
                                .rotates = t->rotates};
    emit_store(hot, RCX, SLOT(slot_rcx));
    if (end->guess.late)
        right = emit_guess_late(hot, t->guess);
    emit_indirect(hot, exit, id, &indirect);
    if (right)
        emit_guessed_late(t, hot, cold, end, right);
}

/* What is done on the way out besides. */
static void exit_plan(const struct translation *t, struct exit *exit, uint8_t end, uint64_t from,
                      uint64_t to)
{
    switch (end) {
    case SEGMENT_COND: exit->plan = planned(t, from, to); break;
    case SEGMENT_JUMP:
        exit->plan = planned(t, from, to);
        if (t->contexts)
            exit->transfer = transfer(t, from, to, WAY_JUMP);
        break;
    case SEGMENT_CALL:
        exit->plan = t->plan ? plan_arrival(t->plan, from, to) : 0;
        if (t->contexts)
            exit->transfer = transfer(t, from, to, WAY_CALL);
        break;
    case SEGMENT_IJUMP:
    case SEGMENT_ICALL: exit->target = from; break;
    default: break;
    }
}

static void emit_end(struct translation *t, struct code_cursor *hot, struct code_cursor *cold,
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
    *exit = exit_of(t, id, end->shape->n_steps, target);
    if (end->paid_at < SHAPE_STEPS)
        exit->owed = 0;
    exit_plan(t, exit, segment->end, step->pc, target);
    exit_knows(exit, t->path);
    if (end->shape->stepped) {
        exit->link = step->pc;
        emit_leave(hot, id, SLOT(to_step));
        return;
    }
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
        emit_end_indirect(t, hot, cold, end, true);
        return;
    case SEGMENT_RETURN:
        emit_settled(t, hot, step->pc);
        emit_return(t, hot, end);
        emit_end_indirect(t, hot, cold, end, false);
        return;
    case SEGMENT_SYSCALL: emit_leave(hot, id, SLOT(to_syscall)); return;
    case SEGMENT_STOP: /* the dispatcher does its work */
        emit_leave(hot, id, SLOT(to_stop));
        return;
    case SEGMENT_JUMP:
        if (end->segment == t->turn_segment) {
            emit_jump(hot, t->turn);
            return;
        }
        __attribute__((fallthrough));
    default: emit_exit(t, hot, cold, exit, id);
    }
}

/* A conditional branch that goes to the dispatcher when it is taken, for now. */
static void emit_side(struct translation *t, struct code_cursor *hot, struct code_cursor *cold,
                      const struct shape *shape, uint32_t segment)
{
    uint32_t n_steps = shape->first_step[segment + 1];
    struct exit *exit = &t->exits[segment];
    *exit = exit_of(t, t->first_exit + segment, n_steps, shape->segments[segment].target);
    if (t->counter)
        exit->counter = t->counter + 1 + segment;
    exit->plan = planned(t, shape->steps[n_steps - 1].pc, exit->target);
    exit_knows(exit, t->path);
    if (t->contexts)
        exit->transfer = transfer(t, shape->steps[n_steps - 1].pc, exit->target, WAY_JUMP);
    uint8_t *field = emit_cond(hot, &shape->steps[n_steps - 1].insn);
    if (segment == t->turn_segment) {
        emit_displacement(hot, field, t->turn);
        return;
    }
    emit_displacement(hot, field, cursor_runs_at(cold));
    emit_leave(cold, t->first_exit + segment, SLOT(to_lazy));
    exit->link = (uint64_t)field;
}

/* Plain: a loop that is one superblock pays for each turn in front of it, on the way back. */
static void emit_front(struct translation *t, const struct shape *shape, struct code_cursor *hot,
                       struct code_cursor *cold)
{
    t->turn_segment = SHAPE_SEGMENTS;
    for (uint32_t s = 0; t->flavour == FLAVOUR_PLAIN && !t->guarded && s < shape->n_segments; s++)
        if (shape->segments[s].target == shape->pc &&
            (shape->segments[s].end == SEGMENT_COND || shape->segments[s].end == SEGMENT_JUMP))
            t->turn_segment = s;
    bool turns = t->turn_segment < SHAPE_SEGMENTS;
    if (t->lands) {
        struct landing landing = {.pc = shape->pc,
                                  .next = t->next_landing,
                                  .debt = t->debt,
                                  .plan = t->plan,
                                  .place = t->plan ? plan_arrival(t->plan, 0, shape->pc) : 0,
                                  .entry = t->path,
                                  .contexts = t->contexts,
                                  .transfer = transfer(t, 0, shape->pc, WAY_RETURN),
                                  .rotates = t->rotates};
        emit_landing(t->regions, hot, cold, &landing);
    }
    uint8_t *over = NULL;
    if (t->lands && turns) {
        emit_u8(hot, 0xeb);
        emit_u8(hot, 0);
        over = hot->at - 1;
    }
    if (turns) {
        uint32_t id = t->first_exit + t->turn_segment;
        struct exit exit = exit_of(t, id, shape->first_step[t->turn_segment + 1], shape->pc);
        if (t->counter && shape->segments[t->turn_segment].end == SEGMENT_COND)
            exit.counter = t->counter + 1 + t->turn_segment;
        t->turn = emit_turn(t->regions, hot, cold, &exit, id, t->debt);
    }
    if (over)
        emit_near_here(over, hot);
    t->entry = cursor_runs_at(hot);
    if (t->guarded && t->guard)
        emit_guard(hot, cold, t->guards, t->guard, t->number);
    else if (t->guarded)
        emit_leave(hot, t->number, SLOT(to_guard));
    t->body = cursor_runs_at(hot);
}

static void emit_copy(struct translation *t, struct code_cursor *hot, const struct shape *shape,
                      uint32_t i)
{
    bool held = t->payload && t->payload->held;
    note(t, hot, shape, i, held ? IN_SLOT_R10_R11 : IN_SLOT_NONE);
    emit_plain(hot, &shape->steps[i]);
    t->r11_new |= !held && insn_writes_r11(&shape->steps[i].insn);
    if (t->payload) /* what follows may hold it for something else */
        emit_r11_kept(t, hot);
}

/* A copy, and what is recorded of it. */
static void emit_recorded(struct translation *t, struct code_cursor *hot, const struct shape *shape,
                          uint32_t i)
{
    const struct step *step = &shape->steps[i];
    struct payload_timing timing;
    payload_before(t->payload, hot, step, i);
    if (payload_times(t->payload, i)) {
        payload_time_not(hot, &timing);
        emit_copy(t, hot, shape, i);
        payload_time_start(hot, &timing);
        emit_copy(t, hot, shape, i);
        payload_time_end(hot, &timing);
    } else if (step->insn.class == INSN_PLAIN) {
        emit_copy(t, hot, shape, i);
    }
    payload_after(t->payload, hot, step, i);
}

/* A copy that adds the base of %gs itself; nothing is recorded of it. */
static void emit_through_gs(struct translation *t, struct code_cursor *hot,
                            const struct shape *shape, uint32_t i)
{
    const struct step *step = &shape->steps[i];
    if (t->payload)
        payload_release(t->payload, hot);
    note(t, hot, shape, i, IN_SLOT_NONE);
    through_gs_before(hot, step);
    if (through_gs_holds(&step->insn))
        note(t, hot, shape, i, IN_SLOT_R11);
    through_gs_copy(hot, step);
    through_gs_after(hot, step);
    t->r11_new |= insn_writes_r11(&step->insn);
    if (t->payload)
        emit_r11_kept(t, hot);
}

/* Where the return goes to if it goes where it was guessed: the same instructions once more. */
static void emit_guessed(struct translation *t, struct code_cursor *hot, struct code_cursor *cold,
                         const struct shape *shape, const struct guess *guess)
{
    struct exit *exit = exit_guessed(t, shape);
    bool r11_new = t->r11_new;
    note(t, hot, shape, guess->step, IN_SLOT_NONE);
    struct guess_code code = emit_guess(hot, guess, t->guess);
    for (uint32_t i = guess->step; i + 1 < shape->n_steps; i++)
        emit_copy(t, hot, shape, i);
    emit_r11_kept(t, hot);
    emit_guessed_return(hot);
    emit_exit(t, hot, cold, exit, t->first_exit + shape->n_segments);
    emit_guess_missed(hot, &code);
    t->r11_new = r11_new;
}

/* What is done on the way from one segment to the next. */
static void emit_inner(struct translation *t, struct code_cursor *hot, struct code_cursor *cold,
                       const struct shape *shape, uint32_t s)
{
    uint64_t from = shape->steps[shape->first_step[s] - 1].pc, to = shape->segments[s].start;
    if (shape->segments[s - 1].end == SEGMENT_JUMP)
        emit_transfer(t, hot, cold, transfer(t, from, to, WAY_JUMP), to);
    emit_planned(t, hot, from, to);
}

static bool has_copy(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->n_steps; i++)
        if (shape->steps[i].insn.class == INSN_PLAIN || shape->steps[i].through_gs)
            return true;
    return false;
}

/* The last step of a segment, but for its end, that writes %r11: behind it the slot is written,
 * rather than between a comparison and its branch. */
static uint32_t last_writer(const struct shape *shape, uint32_t segment)
{
    uint32_t i = shape->first_step[segment + 1] - 1;
    while (i-- > shape->first_step[segment])
        if (insn_writes_r11(&shape->steps[i].insn))
            return i;
    return SHAPE_STEPS;
}

void translate(struct translation *t, const struct shape *shape, struct code_cursor *hot,
               struct code_cursor *cold)
{
    struct ending end = {
        .shape = shape, .segment = shape->n_segments - 1, .paid_at = pay_step(t, shape)};
    end.guess.step = SHAPE_STEPS;
    if (t->guess)
        end.guess = t->place ? *t->place : guess_find(shape);
    t->cold = cold;
    if (t->payload)
        payload_begin(t->payload);
    emit_front(t, shape, hot, cold);
    if (t->counter)
        t->flags_free = flags_dead_at_shape(t->regions, shape, FLAGS_ALL & ~FLAG_CF);
    if (t->counter && t->flavour == FLAVOUR_PLAIN)
        emit_tally_where(hot, t->counter, t->flags_free, false);
    else if (t->counter)
        emit_counter_where(hot, t->counter, t->flags_free, false);
    for (uint32_t s = 0; s < shape->n_segments; s++) {
        uint32_t last = last_writer(shape, s);
        if (s)
            emit_inner(t, hot, cold, shape, s);
        for (uint32_t i = shape->first_step[s]; i < shape->first_step[s + 1]; i++) {
            end.step = i;
            emit_planned(t, hot, 0, shape->steps[i].pc);
            if (shape->stepped && i + 1 == shape->n_steps)
                break;
            bool plain = shape->steps[i].insn.class == INSN_PLAIN;
            /* Signals come at copies of instructions. Branches have none, and a loop may be nothing
             * else: there they come in front of the first. */
            if (i == 0 && !t->payload && !has_copy(shape))
                note(t, hot, shape, 0, IN_SLOT_NONE);
            if (i == end.guess.step && !end.guess.late)
                emit_guessed(t, hot, cold, shape, &end.guess);
            if (i == end.paid_at)
                emit_prepay(hot, t->first_exit, t->debt + (int32_t)shape->n_steps);
            if (shape->steps[i].through_gs)
                emit_through_gs(t, hot, shape, i);
            else if (t->payload)
                emit_recorded(t, hot, shape, i);
            else if (plain)
                emit_copy(t, hot, shape, i);
            if (i == last)
                emit_r11_kept(t, hot);
            if (!plain && shape->segments[s].end == SEGMENT_COND)
                emit_side(t, hot, cold, shape, s);
        }
    }
    if (t->payload)
        payload_release(t->payload, hot);
    emit_r11_kept(t, hot);
    emit_end(t, hot, cold, &end);
    if (end.pushed) {
        emit_displacement(hot, end.pushed, cursor_runs_at(hot));
        emit_u64(hot, end.return_pc);
    }
}
