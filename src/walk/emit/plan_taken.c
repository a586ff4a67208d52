#include "walk/emit/plan_taken.h"

#include "walk/emit/event_code.h"

void taken_rcx(struct taken *t)
{
    if (!t->room->free && !t->rcx)
        emit_store(t->c, RCX, SLOT(slot_rcx));
    t->rcx = true;
}

void taken_r11(struct taken *t)
{
    if (!t->room->free && !t->r11)
        emit_store(t->c, R11, SLOT(slot_r11));
    t->r11 = true;
}

void taken_rax(struct taken *t)
{
    if (!t->rax)
        emit_store(t->c, RAX, SLOT(slot_rax));
    t->rax = true;
}

void taken_give_back(struct taken *t)
{
    if (t->rax)
        emit_load(t->c, RAX, SLOT(slot_rax));
    if (t->ticks) {
        emit_load(t->c, RAX, SLOT(slot_rax));
        emit_load(t->c, RDX, SLOT(slot_rdx));
    }
    if (t->r11 && !t->room->free)
        emit_load(t->c, R11, SLOT(slot_r11));
    if (t->rcx && !t->room->free)
        emit_load(t->c, RCX, SLOT(slot_rcx));
    t->rcx = t->r11 = t->rax = t->ticks = false;
}

/* A register and gs:[offset + scale * rcx]. */
void emit_indexed(struct code_cursor *c, uint32_t opcode, uint32_t reg, uint32_t scale,
                  size_t offset)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x48 | (reg >> 3) << 2);
    emit_u8(c, opcode);
    emit_u8(c, 0x04 | (reg & 7) << 3);
    emit_u8(c, 0x0d | (uint32_t)__builtin_ctz(scale) << 6);
    emit_u32(c, (uint32_t)offset);
}

/* ---- ticks */

void emit_fence(struct code_cursor *c)
{
    static const uint8_t lfence[] = {0x0f, 0xae, 0xe8};
    emit_bytes(c, lfence, sizeof lfence);
}

static void emit_clock_read(struct taken *t)
{
    static const uint8_t rotated[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xd2, 32, 0x48, 0x8d, 0x04, 0x10};
    emit_u8(t->c, 0x0f); /* rdtsc */
    emit_u8(t->c, 0x31);
    if (t->room->rotates) { /* rorx $32, %rdx, %rdx; lea (%rax,%rdx), %rax */
        emit_bytes(t->c, rotated, sizeof rotated);
        return;
    }
    static const uint8_t low[] = {0x65, 0x89, 0x04, 0x25}, high[] = {0x65, 0x89, 0x14, 0x25};
    emit_bytes(t->c, low, sizeof low); /* by way of memory: mov %eax, mov %edx */
    emit_u32(t->c, (uint32_t)SLOT(slot_clock));
    emit_bytes(t->c, high, sizeof high);
    emit_u32(t->c, (uint32_t)SLOT(slot_clock) + 4);
    emit_load(t->c, RAX, SLOT(slot_clock));
}

static void emit_clock_take(struct taken *t)
{
    emit_store(t->c, RAX, SLOT(slot_rax));
    emit_store(t->c, RDX, SLOT(slot_rdx));
    t->ticks = true;
}

/* The clock to %rax; %rdx is overwritten. */
void emit_clock(struct taken *t)
{
    emit_clock_take(t);
    if (t->counter)
        event_emit(t);
    else
        emit_clock_read(t);
}

void emit_clock_alone(struct taken *t)
{
    emit_clock_take(t);
    emit_fence(t->c);
    emit_clock_read(t);
}

/* %rax -= %rdx; no flag changes. */
void emit_less(struct code_cursor *c)
{
    static const uint8_t less[] = {0x48, 0xf7, 0xd2, 0x48, 0x8d, 0x44, 0x10, 1};
    emit_bytes(c, less, sizeof less); /* not %rdx; lea 1(%rax,%rdx), %rax */
}

/* ---- set, add */

bool emit_fits(int64_t value)
{
    return value == (int32_t)value;
}

/* movabs $value, %r11 */
void emit_constant_r11(struct code_cursor *c, int64_t value)
{
    emit_u8(c, 0x49);
    emit_u8(c, 0xbb);
    emit_u64(c, (uint64_t)value);
}

static void emit_set(struct taken *t, int64_t value)
{
    if (!emit_fits(value)) {
        taken_r11(t);
        emit_constant_r11(t->c, value);
        emit_store(t->c, R11, SLOT(path));
        return;
    }
    static const uint8_t set[] = {0x65, 0x48, 0xc7, 0x04, 0x25}; /* movq $value, gs:[path] */
    emit_bytes(t->c, set, sizeof set);
    emit_u32(t->c, (uint32_t)SLOT(path));
    emit_u32(t->c, (uint32_t)value);
}

/* %rcx += value */
void emit_sum_rcx(struct taken *t, int64_t value)
{
    static const uint8_t sum[] = {0x4a, 0x8d, 0x0c, 0x19}; /* lea (%rcx,%r11), %rcx */
    if (emit_fits(value)) {
        if (value)
            emit_add_rcx(t->c, (uint32_t)value);
        return;
    }
    taken_r11(t);
    emit_constant_r11(t->c, value);
    emit_bytes(t->c, sum, sizeof sum);
}

static void emit_add(struct taken *t, int64_t value)
{
    if (t->flags_free && emit_fits(value)) {
        static const uint8_t add[] = {0x65, 0x48, 0x81, 0x04, 0x25}; /* addq $value, gs:[path] */
        emit_bytes(t->c, add, sizeof add);
        emit_u32(t->c, (uint32_t)SLOT(path));
        emit_u32(t->c, (uint32_t)value);
        return;
    }
    taken_rcx(t);
    emit_load(t->c, RCX, SLOT(path));
    emit_sum_rcx(t, value);
    emit_store(t->c, RCX, SLOT(path));
}

void taken_settle(struct taken *t, struct plan_path *path)
{
    if (path->known)
        emit_set(t, (int64_t)path->value);
    else if (path->value)
        emit_add(t, (int64_t)path->value);
    taken_give_back(t);
    *path = (struct plan_path){0};
}

/* ---- what the dispatcher does */

uint32_t plan_left_number(const struct plan *plan, const struct wire_plan *operation)
{
    return (uint32_t)((const uint8_t *)operation - plan->library) / 8;
}

/* Returns the field of where it goes on. */
uint8_t *emit_leaving(struct taken *t, const struct plan *plan, const struct wire_plan *operation)
{
    struct code_cursor *c = t->c;
    taken_rcx(t);
    emit_u8(c, 0x48); /* lea behind(%rip), %rcx */
    emit_u8(c, 0x8d);
    emit_u8(c, 0x0d);
    emit_u32(c, 0);
    uint8_t *field = c->at - 4;
    emit_store(c, RCX, SLOT(resume));
    taken_give_back(t);
    emit_store_u32(c, plan_left_number(plan, operation), SLOT(exit));
    emit_jump_slot(c, SLOT(to_plan));
    return field;
}

void emit_left(struct taken *t, const struct plan *plan, const struct wire_plan *operation)
{
    uint8_t *field = emit_leaving(t, plan, operation);
    emit_displacement(t->c, field, cursor_runs_at(t->c));
}

/* A short branch to a place not known yet. */
uint8_t *emit_short(struct code_cursor *c, uint32_t opcode)
{
    emit_u8(c, opcode);
    emit_u8(c, 0);
    return c->at - 1;
}

/* Goes on if %rcx is zero, else by the branch that is returned. */
uint8_t *emit_unless_rcx_zero(struct code_cursor *c)
{
    uint8_t *on = emit_short(c, JRCXZ), *out = emit_short(c, JMP);
    emit_near_here(on, c);
    return out;
}
