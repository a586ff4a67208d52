#include "walk/emit/exits.h"

#include "walk/emit/liveness.h"
#include "x86/insn.h"

#define SLOT(field) offsetof(struct context, field)

void emit_leave(struct code_cursor *c, uint32_t id, size_t to)
{
    emit_store_u32(c, id, SLOT(exit));
    emit_jump_slot(c, to);
}

/* ---- counters, budgets, records */

void emit_tally(const struct regions *regions, struct code_cursor *c, uint32_t counter,
                uint64_t at_pc, bool rcx_free)
{
    emit_tally_where(c, counter, flags_dead(regions, at_pc, FLAGS_ALL & ~FLAG_CF), rcx_free);
}

/* Where no flag may change, with the register: the counter is increased by way of it. */
static void emit_increment(struct code_cursor *c, uint32_t reg, size_t offset, bool wide)
{
    uint32_t rex = (wide ? 0x48 : 0x40) | (reg >> 3) * 5, modrm = 0x04 | (reg & 7) << 3;
    for (uint32_t store = 0; store < 2; store++) {
        uint64_t opcode = store ? 0x89 : 0x8b;
        if (store) /* lea 1(%reg), %reg */
            emit_upto8(c, rex | 0x8du << 8 | (0x40u | (reg & 7) * 9) << 16 | 1u << 24, 4);
        emit_upto8(c,
                   0x65 | (uint64_t)(rex & 0x4c) << 8 | opcode << 16 | (uint64_t)modrm << 24 |
                       UINT64_C(0x25) << 32,
                   5);
        emit_u32(c, (uint32_t)offset);
    }
}

/* By way of a register that is free, or of %r11, whose slot holds what the program has in it. */
static void emit_count_kept(struct code_cursor *c, size_t offset, bool wide, bool rcx_free)
{
    emit_increment(c, rcx_free ? RCX : R11, offset, wide);
    if (!rcx_free)
        emit_load(c, R11, SLOT(slot_r11));
}

void emit_tally_where(struct code_cursor *c, uint32_t counter, bool flags_free, bool rcx_free)
{
    size_t offset = SLOT(counters) + sizeof(uint32_t) * (size_t)counter;
    if (!flags_free) {
        emit_count_kept(c, offset, false, rcx_free);
        return;
    }
    emit_upto8(c, 0x2504ff65, 4); /* incl gs:[offset] */
    emit_u32(c, (uint32_t)offset);
}

void emit_counter(const struct regions *regions, struct code_cursor *c, uint32_t counter,
                  uint64_t at_pc, bool rcx_free)
{
    emit_counter_where(c, counter, flags_dead(regions, at_pc, FLAGS_ALL & ~FLAG_CF), rcx_free);
}

void emit_counter_where(struct code_cursor *c, uint32_t counter, bool flags_free, bool rcx_free)
{
    size_t offset = SLOT(counters) + 8 * (size_t)counter;
    if (!flags_free) {
        emit_count_kept(c, offset, true, rcx_free);
        return;
    }
    emit_upto8(c, UINT64_C(0x2504ff4865), 5); /* incq gs:[offset] */
    emit_u32(c, (uint32_t)offset);
}

static size_t budget_offset(uint32_t budget)
{
    return SLOT(budgets) + 8 * (size_t)budget;
}

/* With %rcx free: budget += charge. */
static void emit_charge_rcx(struct code_cursor *c, uint32_t budget, int64_t charge)
{
    emit_load(c, RCX, budget_offset(budget));
    emit_add_rcx(c, (uint32_t)charge);
    emit_store(c, RCX, budget_offset(budget));
}

/* With no flag in use: budget += charge. */
static void emit_charge_flags(struct code_cursor *c, uint32_t budget, int64_t charge)
{
    emit_upto8(c, UINT64_C(0x2504814865), 5); /* addq $charge, gs:[budget] */
    emit_u32(c, (uint32_t)budget_offset(budget));
    emit_u32(c, (uint32_t)charge);
}

/* jns behind emit_charge_flags */
static void emit_branch_if_positive(struct code_cursor *c, uint64_t target)
{
    emit_u8(c, 0x0f);
    emit_u8(c, 0x89);
    emit_u32(c, 0);
    emit_displacement(c, c->at - 4, target);
}

/* With %rcx free: records[...] = id. */
static void emit_record_rcx(struct code_cursor *c, const struct exit *exit, uint32_t id)
{
    if (exit->payload) {
        emit_load(c, RCX, SLOT(payload_at));
        emit_add_rcx(c, exit->payload);
        emit_store(c, RCX, SLOT(payload_at));
    }
    emit_load(c, RCX, SLOT(record_at));
    emit_u8(c, 0x65); /* movl $id, gs:[rcx + CONTEXT_RECORDS_END] */
    emit_u8(c, 0xc7);
    emit_u8(c, 0x81);
    emit_u32(c, CONTEXT_RECORDS_END);
    emit_u32(c, id);
    emit_add_rcx(c, 4);
    emit_store(c, RCX, SLOT(record_at));
}

/* jrcxz to a place not known yet, taken when the counter at `offset` is no longer negative: then
 * its top byte is zero. Only %rcx changes. Returns the displacement field. */
static uint8_t *emit_branch_if_up(struct code_cursor *c, size_t offset)
{
    emit_load_byte_rcx(c, offset + 7);
    emit_u8(c, 0xe3);
    emit_u8(c, 0);
    return c->at - 1;
}

/* ---- direct exits */

/* The target of a jrcxz, which reaches only near places: from here out, budget used up or records
 * full. `debt` is charged as if the target had been reached. */
static void emit_way_out(struct code_cursor *hot, struct code_cursor *cold, const struct exit *exit,
                         uint32_t id, int32_t debt)
{
    emit_jump(hot, cursor_runs_at(cold));
    if (exit->flavour == FLAVOUR_PLAIN && debt)
        emit_charge_rcx(cold, exit->budget, budget_charge(debt) - 1);
    emit_load(cold, RCX, SLOT(slot_rcx));
    emit_leave(cold, id, SLOT(to_budget));
}

/* Pays by way of %rcx; returns the jrcxz. */
static uint8_t *emit_pay_rcx(struct code_cursor *hot, const struct exit *exit, int32_t difference)
{
    emit_store(hot, RCX, SLOT(slot_rcx));
    emit_charge_rcx(hot, exit->budget, budget_charge(difference));
    uint8_t *up = emit_branch_if_up(hot, budget_offset(exit->budget));
    emit_load(hot, RCX, SLOT(slot_rcx));
    return up;
}

static void emit_pay_flags(struct code_cursor *hot, struct code_cursor *cold,
                           const struct exit *exit, uint32_t id, int32_t debt)
{
    emit_charge_flags(hot, exit->budget, budget_charge(exit->owed - debt));
    emit_branch_if_positive(hot, cursor_runs_at(cold));
    if (debt)
        emit_charge_flags(cold, exit->budget, budget_charge(debt) - 1);
    emit_leave(cold, id, SLOT(to_budget));
}

uint8_t *emit_work(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                   const struct exit *exit, uint32_t id, int32_t debt)
{
    uint8_t *up = NULL;
    switch (exit->flavour) {
    case FLAVOUR_PLAIN:
        if (exit->counter)
            emit_tally(regions, hot, exit->counter, exit->target, false);
        if (exit->owed == debt)
            return NULL;
        if (!flags_dead(regions, exit->target, FLAGS_ALL))
            return emit_pay_rcx(hot, exit, exit->owed - debt);
        emit_pay_flags(hot, cold, exit, id, debt);
        return NULL;
    case FLAVOUR_RECORD:
        emit_store(hot, RCX, SLOT(slot_rcx));
        emit_record_rcx(hot, exit, id);
        up = emit_branch_if_up(hot, SLOT(record_at));
        emit_load(hot, RCX, SLOT(slot_rcx));
        return up;
    default:
        if (exit->counter)
            emit_counter(regions, hot, exit->counter, exit->target, false);
        return NULL;
    }
}

void emit_work_out(struct code_cursor *hot, struct code_cursor *cold, uint8_t *up,
                   const struct exit *exit, uint32_t id, int32_t debt)
{
    if (!up)
        return;
    emit_near_here(up, hot);
    emit_way_out(hot, cold, exit, id, debt);
}

uint64_t emit_turn(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                   const struct exit *exit, uint32_t id, int32_t debt)
{
    if (flags_dead(regions, exit->target, FLAGS_ALL)) {
        uint64_t runs_at = cursor_runs_at(hot);
        if (exit->counter)
            emit_tally(regions, hot, exit->counter, exit->target, false);
        emit_pay_flags(hot, cold, exit, id, debt);
        return runs_at;
    }
    uint8_t *out = hot->at;
    emit_way_out(hot, cold, exit, id, debt);
    uint64_t runs_at = cursor_runs_at(hot);
    if (exit->counter)
        emit_tally(regions, hot, exit->counter, exit->target, false);
    uint8_t *up = emit_pay_rcx(hot, exit, exit->owed - debt);
    *up = (uint8_t)(out - (up + 1));
    return runs_at;
}

void translate_exit(const struct regions *regions, const struct exit *exit, uint32_t id,
                    const struct entry_point *to, struct code_cursor *hot, struct code_cursor *cold)
{
    uint8_t *up = NULL;
    if (exit->flavour != FLAVOUR_COUNT)
        up = emit_work(regions, hot, cold, exit, id, to->debt);
    else if (exit->counter)
        emit_counter_where(hot, exit->counter, to->flags_free, false);
    emit_jump(hot, to->entry);
    emit_work_out(hot, cold, up, exit, id, to->debt);
}

/* ---- indirect branches */

void emit_prepay(struct code_cursor *c, uint32_t id, int32_t owed)
{
    emit_charge_flags(c, id % (CONTEXT_BUDGETS / 2), budget_charge(owed) - 1);
}

/* jmp *table(, %rcx, 8), or without an index */
static void emit_jump_table(struct code_cursor *c, const uint64_t *table, bool indexed)
{
    uint64_t opcode = indexed ? 0xcd24ff : 0x2524ff;
    emit_upto8(c, opcode | (uint64_t)(uint32_t)(uint64_t)table << 24, 7);
}

/* With the target in %r11: its index in the landings to %rcx. */
static void emit_index(struct code_cursor *c, bool rotates)
{
    static const uint8_t rotate[] = {0xc4, 0xc3, 0x7b, 0xf0, 0xcb, 4, 0x0f, 0xb7, 0xc9};
    static const uint8_t low[] = {0x41, 0x0f, 0xb7, 0xcb};
    if (rotates)
        emit_bytes(c, rotate, sizeof rotate); /* rorx $4, %r11d, %ecx; movzwl %cx, %ecx */
    else
        emit_bytes(c, low, sizeof low); /* movzwl %r11w, %ecx */
}

/* No instruction here may change a flag. */
void emit_fan(struct code_cursor *c, const uint64_t *fan, uint32_t level)
{
    static const uint8_t first[] = {0x41, 0x0f, 0xb6, 0xcb};
    static const uint8_t copy[] = {0x44, 0x89, 0xd9}, swap[] = {0x0f, 0xc9};
    static const uint8_t second[] = {0x0f, 0xb6, 0xcd};
    if (level == 0) {
        emit_bytes(c, first, sizeof first); /* movzbl %r11b, %ecx */
    } else {
        emit_bytes(c, copy, sizeof copy); /* mov %r11d, %ecx */
        if (level == 2)
            emit_bytes(c, swap, sizeof swap); /* bswap %ecx: the third byte becomes the second */
        emit_bytes(c, second, sizeof second); /* movzbl %ch, %ecx */
    }
    emit_jump_table(c, fan, true);
}

void emit_indirect(struct code_cursor *c, const struct exit *exit, uint32_t id,
                   const struct indirect *indirect)
{
    uint8_t *up = NULL;
    if (exit->flavour == FLAVOUR_PLAIN && exit->owed) {
        emit_charge_rcx(c, exit->budget, budget_charge(exit->owed) - 1);
    } else if (exit->flavour == FLAVOUR_RECORD) {
        emit_record_rcx(c, exit, id);
        up = emit_branch_if_up(c, SLOT(record_at));
    }
    if (indirect->site)
        emit_store_u32(c, id, SLOT(exit));
    else
        emit_index(c, indirect->rotates);
    emit_jump_table(c, indirect->table, !indirect->site);
    if (up) {
        emit_near_here(up, c);
        emit_jump_slot(c, SLOT(to_budget_indirect));
    }
}

/* Makes the debt of the code behind a landing; takes it back when the budget is used up. */
static void emit_borrow(const struct regions *regions, struct code_cursor *hot,
                        struct code_cursor *cold, const struct landing *landing, const uint8_t *up)
{
    uint32_t half = CONTEXT_BUDGETS / 2, budget = half + (uint32_t)(landing->pc >> 4) % half;
    int64_t charge = budget_charge(-landing->debt);
    if (flags_dead(regions, landing->pc, FLAGS_ALL)) {
        emit_charge_flags(hot, budget, charge);
        emit_branch_if_positive(hot, cursor_runs_at(cold));
        emit_charge_flags(cold, budget, -charge);
    } else {
        emit_charge_rcx(hot, budget, charge);
        uint8_t *field = emit_branch_if_up(hot, budget_offset(budget));
        *field = (uint8_t)(up - (field + 1));
        emit_charge_rcx(cold, budget, -charge);
    }
    emit_jump_slot(cold, SLOT(to_budget_indirect));
}

void emit_landing(const struct regions *regions, struct code_cursor *hot, struct code_cursor *cold,
                  const struct landing *landing)
{
    emit_upto8(hot, 0xb948, 2); /* movabs $-pc, %rcx */
    emit_u64(hot, 0 - landing->pc);
    /* lea (%rcx,%r11),%rcx; jrcxz; jmp *next(%rip) */
    emit_upto8(hot, UINT64_C(0x25ff00e3190c8d4a), 8);
    uint8_t *hit = hot->at - 3;
    emit_u32(hot, 0);
    emit_displacement(hot, hot->at - 4, cursor_runs_at(cold));
    emit_u64(cold, landing->next);
    uint8_t *up = hot->at;
    if (landing->debt && !flags_dead(regions, landing->pc, FLAGS_ALL))
        emit_jump(hot, cursor_runs_at(cold));
    emit_near_here(hit, hot);
    if (landing->debt)
        emit_borrow(regions, hot, cold, landing, up);
    if (landing->counter && landing->tally)
        emit_tally_where(hot, landing->counter, landing->flags_free, true);
    else if (landing->counter)
        emit_counter_where(hot, landing->counter, landing->flags_free, true);
    struct plan_room room = {.regions = regions,
                             .cold = cold,
                             .pc = landing->pc,
                             .free = true,
                             .rotates = landing->rotates};
    struct plan_path path = landing->before;
    contexts_emit(landing->contexts, landing->transfer, hot, cold, &room);
    plan_emit(landing->plan, landing->place, hot, &room, &path);
    path = plan_enter(landing->plan, landing->pc, path);
    if (!landing->entry.known)
        plan_settle(hot, &room, &path);
    emit_load(hot, RCX, SLOT(slot_rcx));
    emit_load(hot, R11, SLOT(slot_r11));
}

void translate_landing(const struct regions *regions, const struct landing *landing, uint64_t entry,
                       struct code_cursor *hot, struct code_cursor *cold)
{
    emit_landing(regions, hot, cold, landing);
    emit_jump(hot, entry);
}
