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

/* Goes on if path_back is above the stack pointer, else by the branch whose field is returned. */
static uint8_t *emit_nobody_waits(struct taken *t)
{
    struct cursor *c = t->c;
    static const uint8_t compare[] = {0x65, 0x48, 0x39, 0x24, 0x25}; /* cmp %rsp, gs:[path_back] */
    if (t->flags_free) {
        emit_bytes(c, compare, sizeof compare);
        emit_u32(c, (uint32_t)SLOT(path_back));
        emit_u8(c, 0x0f); /* jbe */
        emit_u8(c, 0x86);
        emit_u32(c, 0);
        return c->at - 4;
    }
    /* mov %rsp, %r11; not %r11; lea (%rcx,%r11), %rcx; bswap %rcx; movzbl %cl, %ecx: not 0 if the difference, less one, is negative */
    static const uint8_t negative[] = {0x49, 0x89, 0xe3, 0x49, 0xf7, 0xd3, 0x4a, 0x8d,
                                       0x0c, 0x19, 0x48, 0x0f, 0xc9, 0x0f, 0xb6, 0xc9};
    taken_rcx(t);
    taken_r11(t);
    emit_load(c, RCX, SLOT(path_back));
    emit_bytes(c, negative, sizeof negative);
    uint8_t *over = emit_short(c, JRCXZ);
    emit_jump(c, 0);
    uint8_t *out = c->at - 4;
    emit_near_here(over, c);
    return out;
}

struct measured measured_emit_back(struct taken *t, uint16_t flags)
{
    if (!(flags & PLAN_TIME)) {
        taken_rcx(t);
        taken_r11(t);
        emit_shadow_rcx(t->c);
        emit_shadow(t->c, LOAD, R11, offsetof(struct shadow, path));
        emit_store(t->c, R11, SLOT(path));
    }
    uint8_t *out = emit_nobody_waits(t);
    return (struct measured){*t, {0}, out};
}
