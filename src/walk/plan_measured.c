#include "walk/plan_measured.h"

/* Branches off if none is left: one is measured, or, where one begins, this is to be. `begins`: one less is left. */
struct measured measured_emit(struct taken *t, const struct plan_path *path, bool begins)
{
    struct cursor *c = t->c;
    static const uint8_t less[] = {0x65, 0x48, 0xff, 0x0c, 0x25}; /* decq gs:[path_left] */
    static const uint8_t test[] = {0x65, 0x48, 0x83, 0x3c, 0x25}; /* cmpq $0, gs:[path_left] */
    if (t->flags_free) {
        emit_bytes(c, begins ? less : test, sizeof less);
        emit_u32(c, (uint32_t)SLOT(path_left));
        if (!begins)
            emit_u8(c, 0);
        emit_u8(c, 0x0f); /* jle */
        emit_u8(c, 0x8e);
        emit_u32(c, 0);
        return (struct measured){*t, *path, c->at - 4};
    }
    taken_rcx(t);
    emit_load(c, RCX, SLOT(path_left));
    uint8_t *now = emit_short(c, JRCXZ), *next = NULL;
    if (begins) {
        emit_add_rcx(c, UINT32_MAX);
        emit_store(c, RCX, SLOT(path_left));
        next = emit_short(c, JRCXZ);
    }
    uint8_t *over = emit_short(c, JMP);
    emit_near_here(now, c);
    if (next)
        emit_near_here(next, c);
    emit_jump(c, 0);
    struct measured measured = {*t, *path, c->at - 4};
    emit_near_here(over, c);
    return measured;
}

/* Behind the operation's code, registers given back. */
void measured_emit_out(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                       struct measured *measured)
{
    struct cursor *cold = t->room->cold;
    emit_displacement(t->c, measured->out, cursor_runs_at(cold));
    measured->taken.c = cold;
    taken_settle(&measured->taken, &measured->path);
    bool begins = operation->action == PLAN_SET || operation->action == PLAN_BACK;
    if (!begins) {
        emit_clock(&measured->taken);
        emit_store(cold, RAX, SLOT(slot_clock));
        taken_give_back(&measured->taken);
    }
    uint8_t *field = emit_leaving(&measured->taken, plan, operation);
    emit_displacement(cold, field, begins ? cursor_runs_at(cold) : cursor_runs_at(t->c));
    if (!begins)
        return;
    static const uint8_t sum[] = {0x48, 0x8d, 0x04, 0x10}; /* lea (%rax,%rdx), %rax */
    emit_clock(&measured->taken);
    emit_load(cold, RDX, SLOT(path_began));
    emit_bytes(cold, sum, sizeof sum);
    emit_store(cold, RAX, SLOT(path_began));
    taken_give_back(&measured->taken);
    emit_jump(cold, cursor_runs_at(t->c));
}

/* What was put by with the path: it is measured. */
struct measured measured_emit_back(struct taken *t)
{
    taken_rcx(t);
    taken_r11(t);
    emit_shadow_rcx(t->c);
    emit_shadow(t->c, LOAD, R11, offsetof(struct shadow, path));
    emit_store(t->c, R11, SLOT(path));
    emit_shadow(t->c, LOAD, RCX, offsetof(struct shadow, ticks));
    uint8_t *over = emit_short(t->c, JRCXZ);
    emit_jump(t->c, 0);
    struct measured measured = {*t, {0}, t->c->at - 4};
    emit_near_here(over, t->c);
    return measured;
}
