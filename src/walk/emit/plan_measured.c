#include "walk/emit/plan_measured.h"

struct measured measured_emit(struct taken *t, const struct plan_path *path, bool begins)
{
    struct code_cursor *c = t->c;
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
        return (struct measured){*t, *path, c->at - 4, cursor_runs_at(c)};
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
    uint8_t *out = c->at - 4;
    emit_near_here(over, c);
    return (struct measured){*t, *path, out, cursor_runs_at(c)};
}

/* ---- looking */

/* The register, as it is before the operation, to %rax. */
static void emit_path_rax(struct code_cursor *c, const struct plan_path *path)
{
    static const uint8_t sum[] = {0x48, 0x8d, 0x04, 0x10}; /* lea (%rax,%rdx), %rax */
    if (!path->known)
        emit_load(c, RAX, SLOT(path));
    if (path_settled(path))
        return;
    emit_u8(c, 0x48); /* movabs $value, %rax or %rdx */
    emit_u8(c, path->known ? 0xb8 : 0xba);
    emit_u64(c, path->value);
    if (!path->known)
        emit_bytes(c, sum, sizeof sum);
}

/* movq $0, gs:[at] */
static void emit_zero(struct code_cursor *c, size_t at)
{
    static const uint8_t zero[] = {0x65, 0x48, 0xc7, 0x04, 0x25};
    emit_bytes(c, zero, sizeof zero);
    emit_u32(c, (uint32_t)at);
    emit_u32(c, 0);
}

/* One clock read. Of two in a row the first is written in place of a path, and the second after it.
 */
static void emit_one_look(struct taken *t, const struct plan *plan,
                          const struct wire_plan *operation, const struct plan_path *path,
                          bool is_first)
{
    size_t end = SLOT(looks) + sizeof(struct look) * CONTEXT_LOOKS;
    size_t to = is_first ? offsetof(struct look, path) : offsetof(struct look, clock);
    struct code_cursor *c = t->c;
    emit_clock_alone(t);
    emit_load(c, RCX, SLOT(looks_at));
    emit_indexed(c, STORE, RAX, 1, end + to);
    if (operation->action != PLAN_SET) {
        emit_path_rax(c, path);
        emit_indexed(c, STORE, RAX, 1, end + offsetof(struct look, path));
    }
    emit_indexed(c, STORE, RSP, 1, end + offsetof(struct look, sp));
    emit_indexed(c, 0xc7, 0, 1, end + offsetof(struct look, operation)); /* movq $number */
    emit_u32(c, plan_left_number(plan, operation));
    emit_add_rcx(c, is_first ? 0 : sizeof(struct look));
    emit_store(c, RCX, SLOT(looks_at));
    emit_load(c, RAX, SLOT(slot_rax));
    emit_load(c, RDX, SLOT(slot_rdx));
    t->ticks = false;
    emit_fence(c);
}

/* Writes a clock read down; %rcx is then 0 if the room is used up. Where a path begins there are
 * two: their difference is the cost of reading. */
static void emit_look(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                      const struct plan_path *path)
{
    taken_rcx(t);
    if (operation->action == PLAN_SET)
        emit_one_look(t, plan, operation, path, true);
    emit_one_look(t, plan, operation, path, false);
}

/* What the code behind `back` has taken, and nothing else, is taken. */
static void taken_restore(struct taken *t, const struct taken *back)
{
    if (t->rcx && !back->rcx && !t->room->free)
        emit_load(t->c, RCX, SLOT(slot_rcx));
    if (back->rcx && !t->rcx)
        taken_rcx(t);
    if (back->r11 && !t->r11)
        taken_r11(t);
}

/* Behind a branch that is taken if %rcx is 0, whose field is returned, what is otherwise. */
static uint8_t *emit_unless_near(struct code_cursor *c)
{
    uint8_t *on = emit_short(c, JRCXZ);
    emit_jump(c, 0);
    emit_near_here(on, c);
    return c->at - 4;
}

/* By way of the dispatcher; if a passage is then followed, from now on. */
static void emit_going_on(struct taken *t, const struct plan *plan,
                          const struct wire_plan *operation)
{
    static const uint8_t sum[] = {0x48, 0x8d, 0x04, 0x10}; /* lea (%rax,%rdx), %rax */
    struct code_cursor *c = t->c;
    uint8_t *field = emit_leaving(t, plan, operation);
    emit_displacement(c, field, cursor_runs_at(c));
    emit_clock_alone(t);
    emit_load(c, RDX, SLOT(path_began));
    emit_bytes(c, sum, sizeof sum);
    emit_store(c, RAX, SLOT(path_began));
    taken_give_back(t);
    emit_fence(c);
}

/* ---- flowing */

/* movq $value, gs:[at + rcx] */
static void emit_store_constant(struct code_cursor *c, uint32_t value, size_t at)
{
    emit_indexed(c, 0xc7, 0, 1, at);
    emit_u32(c, value);
}

/* The register, written down at %rcx. */
static void emit_flow_path(struct taken *t, const struct plan_path *path, size_t to)
{
    struct code_cursor *c = t->c;
    if (path->known && emit_fits((int64_t)path->value)) {
        emit_store_constant(c, (uint32_t)path->value, to);
        return;
    }
    static const uint8_t move[] = {0x49, 0x89, 0xcb}; /* mov %rcx, %r11 */
    taken_r11(t);
    if (path->known) {
        emit_constant_r11(c, (int64_t)path->value);
    } else {
        emit_load(c, RCX, SLOT(path));
        emit_sum_rcx(t, (int64_t)path->value);
        emit_bytes(c, move, sizeof move);
        emit_load(c, RCX, SLOT(flow_at));
    }
    emit_indexed(c, STORE, R11, 1, to);
}

/* A path ends in a burst that flows; %rcx is flow_at. Writes it down, without the clock, in as
 * little code as possible, so that passages overlap. Returns the field of a short branch taken
 * after the last. */
static uint8_t *emit_flow_look(struct taken *t, const struct plan *plan,
                               const struct wire_plan *operation, const struct measured *measured)
{
    size_t end = SLOT(flow) + sizeof(struct flow_look) * CONTEXT_FLOW;
    struct code_cursor *c = t->c;
    emit_flow_path(t, &measured->path, end + offsetof(struct flow_look, path));
    emit_store_constant(c, plan_left_number(plan, operation),
                        end + offsetof(struct flow_look, operation));
    emit_add_rcx(c, sizeof(struct flow_look));
    emit_store(c, RCX, SLOT(flow_at));
    if (t->r11 && !measured->taken.r11 && !t->room->free)
        emit_load(c, R11, SLOT(slot_r11));
    t->r11 = measured->taken.r11;
    return emit_short(c, JRCXZ);
}

/* The last: reads the clock, then leaves by the branch whose field is returned, as after a read. */
static uint8_t *emit_flow_end(struct taken *t)
{
    struct code_cursor *c = t->c;
    emit_clock_alone(t);
    emit_store(c, RAX, SLOT(flow_ended));
    emit_load(c, RAX, SLOT(slot_rax));
    emit_load(c, RDX, SLOT(slot_rdx));
    emit_jump(c, 0);
    return c->at - 4;
}

/* While a burst flows, only ends of paths act. Returns the field of their branch to the dispatcher,
 * or NULL. */
static uint8_t *emit_flow(struct taken *t, const struct plan *plan,
                          const struct wire_plan *operation, const struct measured *measured)
{
    bool ends = operation->action == PLAN_COUNT || operation->action == PLAN_COUNT_PATH;
    struct code_cursor *c = t->c;
    taken_rcx(t);
    emit_load(c, RCX, SLOT(flow_at));
    uint8_t *none = emit_short(c, JRCXZ);
    struct taken flows = *t;
    uint8_t *last = ends ? emit_flow_look(&flows, plan, operation, measured) : NULL;
    struct taken full = flows;
    taken_restore(&flows, &measured->taken);
    emit_jump(c, measured->back);
    emit_near_here(none, c);
    if (!last)
        return NULL;
    emit_jump(c, 0);
    uint8_t *looks = c->at - 4;
    emit_near_here(last, c);
    uint8_t *leaves = emit_flow_end(&full);
    emit_displacement(c, looks, cursor_runs_at(c));
    return leaves;
}

static void emit_looked(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                        const struct measured *measured, uint8_t *flow_full)
{
    emit_look(t, plan, operation, &measured->path);
    uint8_t *room = emit_unless_near(t->c);
    struct taken full = *t;
    if (flow_full)
        emit_displacement(t->c, flow_full, cursor_runs_at(t->c));
    emit_going_on(&full, plan, operation);
    taken_restore(&full, &measured->taken);
    emit_jump(t->c, measured->back);
    emit_displacement(t->c, room, cursor_runs_at(t->c));
    taken_restore(t, &measured->taken);
    emit_jump(t->c, measured->back);
}

void measured_emit_out(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                       struct measured *measured)
{
    struct taken own = measured->taken;
    own.c = t->room->cold;
    emit_displacement(t->c, measured->out, cursor_runs_at(own.c));
    if (operation->action == PLAN_SET)
        emit_zero(own.c, SLOT(path_left));
    if (operation->action != PLAN_BACK) {
        uint8_t *flow_full = emit_flow(&own, plan, operation, measured);
        if (operation->action == PLAN_SET)
            emit_zero(own.c, SLOT(path_back));
        emit_looked(&own, plan, operation, measured, flow_full);
        return;
    }
    taken_rcx(&own);
    emit_load(own.c, RCX, SLOT(path_left));
    uint8_t *waits = emit_unless_near(own.c);
    emit_load(own.c, RCX, SLOT(flow_at));
    uint8_t *flows = emit_unless_near(own.c);
    struct taken other = own;
    emit_looked(&own, plan, operation, measured, NULL);
    emit_displacement(own.c, waits, cursor_runs_at(own.c));
    emit_displacement(own.c, flows, cursor_runs_at(own.c));
    emit_going_on(&other, plan, operation);
    emit_jump(own.c, cursor_runs_at(t->c));
}

/* ---- BACK */

/* Goes on if path_back is above the stack pointer, else by the branch whose field is returned. */
static uint8_t *emit_nobody_waits(struct taken *t)
{
    struct code_cursor *c = t->c;
    static const uint8_t compare[] = {0x65, 0x48, 0x39, 0x24, 0x25}; /* cmp %rsp, gs:[path_back] */
    if (t->flags_free) {
        emit_bytes(c, compare, sizeof compare);
        emit_u32(c, (uint32_t)SLOT(path_back));
        emit_u8(c, 0x0f); /* jbe */
        emit_u8(c, 0x86);
        emit_u32(c, 0);
        return c->at - 4;
    }
    /* mov %rsp, %r11; not %r11; lea (%rcx,%r11), %rcx; bswap %rcx; movzbl %cl, %ecx: not 0 if the
     * difference, less one, is negative */
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
    return (struct measured){*t, {0}, out, cursor_runs_at(t->c)};
}
