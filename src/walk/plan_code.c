#include "walk/plan_code.h"

#include "walk/known_paths.h"
#include "walk/liveness.h"
#include "walk/node_count.h"
#include "walk/plan_apply.h"
#include "x86/insn.h"

#define SLOT(field) offsetof(struct context, field)

/* ---- pieces */

/* Which registers the code of one operation has taken, to give them back in the end. */
struct taken {
    struct cursor *c;
    const struct plan_room *room;
    bool flags_free;
    bool rcx, r11, rax, ticks;
    bool clocked; /* the operation before has just looked at the clock, for path_began */
};

static void take_rcx(struct taken *t)
{
    if (!t->room->free && !t->rcx)
        emit_store(t->c, RCX, SLOT(slot_rcx));
    t->rcx = true;
}

static void take_r11(struct taken *t)
{
    if (!t->room->free && !t->r11)
        emit_store(t->c, R11, SLOT(slot_r11));
    t->r11 = true;
}

static void take_rax(struct taken *t)
{
    if (!t->rax)
        emit_store(t->c, RAX, SLOT(slot_rax));
    t->rax = true;
}

static void give_back(struct taken *t)
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
static void emit_indexed(struct cursor *c, uint32_t opcode, uint32_t reg, uint32_t scale,
                         size_t offset)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x48 | (reg >> 3) << 2);
    emit_u8(c, opcode);
    emit_u8(c, 0x04 | (reg & 7) << 3);
    emit_u8(c, 0x0d | (uint32_t)__builtin_ctz(scale) << 6);
    emit_u32(c, (uint32_t)offset);
}

enum { LOAD = 0x8b, STORE = 0x89 };

/* The shadow's index of the stack pointer. */
static void emit_shadow_rcx(struct cursor *c)
{
    emit_u8(c, 0x89); /* mov %esp, %ecx */
    emit_u8(c, 0xe1);
}

static void emit_shadow(struct cursor *c, uint32_t opcode, uint32_t reg, size_t field)
{
    emit_indexed(c, opcode, reg, CONTEXT_SHADOW_SCALE, CONTEXT_SHADOW_AT + field);
}

/* ---- ticks */

/* The clock to %rax; %rdx is overwritten. */
static void emit_clock(struct taken *t)
{
    static const uint8_t rotated[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xd2, 32, 0x48, 0x8d, 0x04, 0x10};
    emit_store(t->c, RAX, SLOT(slot_rax));
    emit_store(t->c, RDX, SLOT(slot_rdx));
    t->ticks = true;
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

/* %rax -= %rdx; no flag changes. */
static void emit_less(struct cursor *c)
{
    static const uint8_t less[] = {0x48, 0xf7, 0xd2, 0x48, 0x8d, 0x44, 0x10, 1};
    emit_bytes(c, less, sizeof less); /* not %rdx; lea 1(%rax,%rdx), %rax */
}

/* What has elapsed since the path began, to %rax; another begins now, if any does: that saves it a look. */
static void emit_elapsed(struct taken *t)
{
    emit_clock(t);
    emit_load(t->c, RDX, SLOT(path_began));
    emit_store(t->c, RAX, SLOT(path_began));
    emit_less(t->c);
    t->clocked = true;
}

/* ---- set, add */

static bool fits(int64_t value)
{
    return value == (int32_t)value;
}

/* movabs $value, %r11 */
static void emit_constant_r11(struct cursor *c, int64_t value)
{
    emit_u8(c, 0x49);
    emit_u8(c, 0xbb);
    emit_u64(c, (uint64_t)value);
}

static void emit_begin(struct taken *t)
{
    if (t->clocked)
        return;
    emit_clock(t);
    emit_store(t->c, RAX, SLOT(path_began));
}

static void emit_set(struct taken *t, int64_t value)
{
    if (!fits(value)) {
        take_r11(t);
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
static void emit_sum_rcx(struct taken *t, int64_t value)
{
    static const uint8_t sum[] = {0x4a, 0x8d, 0x0c, 0x19}; /* lea (%rcx,%r11), %rcx */
    if (fits(value)) {
        if (value)
            emit_add_rcx(t->c, (uint32_t)value);
        return;
    }
    take_r11(t);
    emit_constant_r11(t->c, value);
    emit_bytes(t->c, sum, sizeof sum);
}

static void emit_add(struct taken *t, int64_t value)
{
    if (t->flags_free && fits(value)) {
        static const uint8_t add[] = {0x65, 0x48, 0x81, 0x04, 0x25}; /* addq $value, gs:[path] */
        emit_bytes(t->c, add, sizeof add);
        emit_u32(t->c, (uint32_t)SLOT(path));
        emit_u32(t->c, (uint32_t)value);
        return;
    }
    take_rcx(t);
    emit_load(t->c, RCX, SLOT(path));
    emit_sum_rcx(t, value);
    emit_store(t->c, RCX, SLOT(path));
}

/* ---- count */

/* How the index of a counter stands in %rcx: shifted left by `shifted` bits, to be scaled by `scale`. Five and thirteen bits are
 * what is left of 8 and 16 when the index is in units of eight. */
struct indexing {
    uint32_t scale;
    bool shifted, wide, doubled;
};

static struct indexing indexing_of(const struct wire_plan *operation)
{
    bool pairs = operation->flags & PLAN_TICKS, shifted = operation->bits % 8 == 5;
    return (struct indexing){.shifted = shifted,
                             .wide = operation->bits > 8,
                             .doubled = pairs && !shifted,
                             .scale = !shifted ? 8
                                      : pairs  ? 2
                                               : 1};
}

static void emit_counter_index(struct taken *t, const struct wire_plan *operation,
                               const struct indexing *indexing)
{
    uint32_t value = (uint32_t)(operation->value & ((1 << operation->bits) - 1));
    static const uint8_t doubled[] = {0x48, 0x8d, 0x0c, 0x09}; /* lea (%rcx,%rcx), %rcx */
    take_rcx(t);
    emit_load(t->c, RCX, SLOT(path));
    if (indexing->shifted) { /* lea 8 value(, %rcx, 8), %rcx */
        static const uint8_t scaled[] = {0x48, 0x8d, 0x0c, 0xcd};
        emit_bytes(t->c, scaled, sizeof scaled);
        emit_u32(t->c, 8 * value);
    } else if (value) {
        emit_add_rcx(t->c, value);
    }
    emit_u8(t->c, 0x0f); /* movzbl %cl, %ecx or movzwl %cx, %ecx */
    emit_u8(t->c, indexing->wide ? 0xb7 : 0xb6);
    emit_u8(t->c, 0xc9);
    if (indexing->doubled)
        emit_bytes(t->c, doubled, sizeof doubled);
}

static void emit_increment(struct taken *t, uint32_t scale, size_t at)
{
    static const uint8_t next[] = {0x4d, 0x8d, 0x5b, 0x01}; /* lea 1(%r11), %r11 */
    if (t->flags_free) {
        emit_indexed(t->c, 0xff, 0, scale, at); /* incq */
        return;
    }
    take_r11(t);
    emit_indexed(t->c, LOAD, R11, scale, at);
    emit_bytes(t->c, next, sizeof next);
    emit_indexed(t->c, STORE, R11, scale, at);
}

/* What has elapsed, in %rax, added to gs:[at + scale * rcx]. */
static void emit_accumulate(struct taken *t, uint32_t scale, size_t at)
{
    static const uint8_t sum[] = {0x48, 0x8d, 0x04, 0x10}; /* lea (%rax,%rdx), %rax */
    emit_indexed(t->c, LOAD, RDX, scale, at);
    emit_bytes(t->c, sum, sizeof sum);
    emit_indexed(t->c, STORE, RAX, scale, at);
}

/* One counter that is known. */
static void emit_count_one(struct taken *t, size_t at)
{
    static const uint8_t increment[] = {0x65, 0x48, 0xff, 0x04, 0x25}; /* incq gs:[at] */
    if (t->flags_free) {
        emit_bytes(t->c, increment, sizeof increment);
        emit_u32(t->c, (uint32_t)at);
        return;
    }
    take_rcx(t);
    emit_load(t->c, RCX, at);
    emit_add_rcx(t->c, 1);
    emit_store(t->c, RCX, at);
}

static void emit_count(struct taken *t, const struct wire_plan *operation)
{
    size_t at = SLOT(counters) + 8 * (size_t)operation->counter;
    struct indexing indexing = indexing_of(operation);
    bool ticks = operation->flags & PLAN_TICKS;
    if (ticks)
        emit_elapsed(t);
    if (!operation->bits && !ticks) {
        emit_count_one(t, at);
        return;
    }
    if (operation->bits) {
        emit_counter_index(t, operation, &indexing);
    } else {
        take_rcx(t);
        emit_u8(t->c, 0xb9); /* mov $0, %ecx */
        emit_u32(t->c, 0);
    }
    emit_increment(t, indexing.scale, at);
    if (ticks)
        emit_accumulate(t, indexing.scale, at + 8);
}

/* ---- keep, back */

/* What is known to be in the register, or the register, with %rcx the shadow's index. */
static void emit_keep_path(struct taken *t, const struct plan_path *path)
{
    int64_t value = (int64_t)path->value;
    if (path->known && fits(value)) {
        emit_shadow(t->c, 0xc7, 0, offsetof(struct shadow, path)); /* movq $value */
        emit_u32(t->c, (uint32_t)value);
        return;
    }
    take_r11(t);
    if (path->known)
        emit_constant_r11(t->c, value);
    else
        emit_load(t->c, R11, SLOT(path));
    emit_shadow(t->c, STORE, R11, offsetof(struct shadow, path));
}

static void emit_keep(struct taken *t, uint16_t flags, const struct plan_path *path)
{
    take_rcx(t);
    if (flags & PLAN_TICKS)
        emit_elapsed(t); /* BACK sets path_began anew */
    emit_shadow_rcx(t->c);
    emit_keep_path(t, path);
    if (flags & PLAN_TICKS)
        emit_shadow(t->c, STORE, RAX, offsetof(struct shadow, ticks));
    if (flags & PLAN_SOME) { /* none is measured */
        emit_shadow(t->c, 0xc7, 0, offsetof(struct shadow, ticks));
        emit_u32(t->c, 0);
    }
}

static void emit_back(struct taken *t, bool ticks)
{
    take_rcx(t);
    take_r11(t);
    emit_shadow_rcx(t->c);
    emit_shadow(t->c, LOAD, R11, offsetof(struct shadow, path));
    emit_store(t->c, R11, SLOT(path));
    if (!ticks)
        return;
    emit_clock(t);
    emit_shadow(t->c, LOAD, RDX, offsetof(struct shadow, ticks));
    emit_less(t->c);
    emit_store(t->c, RAX, SLOT(path_began));
}

/* ---- what the dispatcher does */

static uint32_t left_number(const struct plan *plan, const struct wire_plan *operation)
{
    return (uint32_t)((const uint8_t *)operation - plan->library) / 8;
}

/* Returns the field of where it goes on. */
static uint8_t *emit_leaving(struct taken *t, const struct plan *plan,
                             const struct wire_plan *operation)
{
    struct cursor *c = t->c;
    take_rcx(t);
    emit_u8(c, 0x48); /* lea behind(%rip), %rcx */
    emit_u8(c, 0x8d);
    emit_u8(c, 0x0d);
    emit_u32(c, 0);
    uint8_t *field = c->at - 4;
    emit_store(c, RCX, SLOT(resume));
    give_back(t);
    emit_store_u32(c, left_number(plan, operation), SLOT(exit));
    emit_jump_slot(c, SLOT(to_plan));
    return field;
}

static void emit_left(struct taken *t, const struct plan *plan, const struct wire_plan *operation)
{
    uint8_t *field = emit_leaving(t, plan, operation);
    emit_displacement(t->c, field, cursor_runs_at(t->c));
}

enum { REX_W = 8, JNE = 0x75, JRCXZ = 0xe3, JMP = 0xeb };

/* A short branch to a place not known yet. */
static uint8_t *emit_short(struct cursor *c, uint32_t opcode)
{
    emit_u8(c, opcode);
    emit_u8(c, 0);
    return c->at - 1;
}

/* Goes on if %rcx is zero, else by the branch that is returned. */
static uint8_t *emit_unless_zero(struct cursor *c)
{
    uint8_t *on = emit_short(c, JRCXZ), *out = emit_short(c, JMP);
    emit_near_here(on, c);
    return out;
}

/* ---- some passages measured */

/* What the dispatcher does of the operation when a passage is measured: out of the way, and on behind `hot`. It reads the register. */
struct measured {
    struct taken taken;
    struct plan_path path;
    uint8_t *out; /* the branch that leads there */
};

/* Branches off if none is left: one is measured, or, where one begins, this is to be. `begins`: one less is left. */
static struct measured emit_measured(struct taken *t, const struct plan_path *path, bool begins)
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
    take_rcx(t);
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

static void settle(struct taken *t, struct plan_path *path);

/* Behind the operation's code, registers given back. */
static void emit_measured_out(struct taken *t, const struct plan *plan,
                              const struct wire_plan *operation, struct measured *measured)
{
    struct cursor *cold = t->room->cold;
    emit_displacement(t->c, measured->out, cursor_runs_at(cold));
    measured->taken.c = cold;
    settle(&measured->taken, &measured->path);
    bool begins = operation->action == PLAN_SET || operation->action == PLAN_BACK;
    if (!begins) {
        emit_clock(&measured->taken);
        emit_store(cold, RAX, SLOT(slot_clock));
        give_back(&measured->taken);
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
    give_back(&measured->taken);
    emit_jump(cold, cursor_runs_at(t->c));
}

/* What was put by with the path: it is measured. */
static struct measured emit_back_measured(struct taken *t)
{
    take_rcx(t);
    take_r11(t);
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

/* ---- the table of paths */

/* gs:[field of the path whose slot is at 8 * %r11], and a register or more of the opcode. */
static void emit_slot_field(struct cursor *c, uint32_t rex, uint32_t opcode, uint32_t reg,
                            uint32_t function, size_t field)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x42 | rex);
    emit_u8(c, opcode);
    emit_u8(c, 0x04 | reg << 3);
    emit_u8(c, 0xdd);
    emit_u32(c, (uint32_t)(SLOT(counters) + path_slots_at(function) + field));
}

/* With the path's number in %rcx and, if there is one, the node in %rax: where it would lie if nobody was there before, to %r11, in units of eight bytes. */
static void emit_home(struct cursor *c, uint32_t function, bool in_node)
{
    static const uint8_t node[] = {0x4d, 0x8d, 0x1c, 0x03}; /* lea (%r11,%rax), %r11 */
    static const uint8_t half[] = {0xc4, 0x63, 0xfb, 0xf0, 0xd9, 16, 0x4e, 0x8d, 0x9c, 0x19};
    static const uint8_t index[] = {0x45, 0x0f, 0xb7, 0xdb, 0x4e, 0x8d, 0x1c, 0x9d};
    emit_bytes(c, half, sizeof half); /* rorx $16, %rcx, %r11; lea salt(%rcx,%r11), %r11 */
    emit_u32(c, path_salt(function));
    if (in_node)
        emit_bytes(c, node, sizeof node);
    emit_bytes(c, index, sizeof index); /* movzwl %r11w, %r11d; lea 0(,%r11,4), %r11 */
    emit_u32(c, 0);
}

/* The branch that is taken if the slot is not of the node that the thread is in. %rcx is overwritten, %rax is the node, or spent. */
static uint8_t *emit_node_matches(struct taken *t, uint32_t function)
{
    static const uint8_t less[] = {0x48, 0xf7, 0xd1, 0x48, 0x8d, 0x4c, 0x08, 1};
    size_t node = offsetof(struct wire_path, node);
    if (t->flags_free) {
        emit_slot_field(t->c, 0, 0x39, RAX, function, node); /* cmp */
        return emit_short(t->c, JNE);
    }
    emit_load(t->c, RAX, SLOT(node));
    emit_slot_field(t->c, 0, LOAD, RCX, function, node);
    emit_bytes(t->c, less, sizeof less);
    return emit_unless_zero(t->c);
}

/* Two branches that are taken if it is not the slot of this path. */
static void emit_slot_matches(struct taken *t, uint32_t function, uint8_t *out[])
{
    struct cursor *c = t->c;
    size_t path = offsetof(struct wire_path, path), of = offsetof(struct wire_path, function);
    if (t->flags_free) {
        emit_slot_field(c, REX_W, 0x39, RCX, function, path); /* cmp */
        out[0] = emit_short(c, JNE);
        emit_slot_field(c, 0, 0x81, 7, function, of); /* cmpl $function */
        emit_u32(c, function);
        out[1] = emit_short(c, JNE);
        return;
    }
    static const uint8_t less[] = {0x48, 0xf7, 0xd1, 0x48, 0x8d, 0x4c, 0x08, 1};
    take_rax(t);
    emit_slot_field(c, REX_W, LOAD, RAX, function, path);
    emit_bytes(c, less, sizeof less); /* not %rcx; lea 1(%rax,%rcx), %rcx */
    out[0] = emit_unless_zero(c);
    emit_slot_field(c, 0, LOAD, RCX, function, of);
    emit_u8(c, 0x8d); /* lea -function(%rcx), %ecx */
    emit_u8(c, 0x89);
    emit_u32(c, 0 - function);
    out[1] = emit_unless_zero(c);
}

static void emit_slot_count(struct taken *t, uint32_t function)
{
    static const uint8_t next[] = {0x48, 0x8d, 0x40, 1}; /* lea 1(%rax), %rax */
    size_t count = offsetof(struct wire_path, count);
    if (t->flags_free) {
        emit_slot_field(t->c, REX_W, 0xff, 0, function, count); /* incq */
        return;
    }
    emit_slot_field(t->c, REX_W, LOAD, RAX, function, count);
    emit_bytes(t->c, next, sizeof next);
    emit_slot_field(t->c, REX_W, STORE, RAX, function, count);
}

/* In the thread's table, if it lies there where it is looked for first; else the dispatcher does it. */
static void emit_count_path(struct taken *t, const struct plan *plan,
                            const struct wire_plan *operation, struct plan_path *path)
{
    uint8_t *out[3] = {0};
    bool in_node = operation->flags & PLAN_IN_NODE;
    take_rcx(t);
    emit_load(t->c, RCX, SLOT(path));
    emit_sum_rcx(t, (int64_t)path->value);
    if (path->value)
        emit_store(t->c, RCX, SLOT(path)); /* true for the dispatcher */
    emit_sum_rcx(t, operation->value);
    take_r11(t);
    if (in_node) {
        take_rax(t);
        emit_load(t->c, RAX, SLOT(node));
    }
    emit_home(t->c, operation->counter, in_node);
    emit_slot_matches(t, operation->counter, out);
    if (in_node)
        out[2] = emit_node_matches(t, operation->counter);
    struct taken missed = *t;
    emit_slot_count(t, operation->counter);
    give_back(t);
    uint8_t *done = emit_short(t->c, JMP);
    for (int i = 0; i < 3 && out[i]; i++)
        emit_near_here(out[i], t->c);
    emit_left(&missed, plan, operation);
    emit_near_here(done, t->c);
    *path = (struct plan_path){0};
}

/* ---- one place */

/* As it is with what is known: of one counter, or of the register's memory and all that it lacks. */
static struct wire_plan count_known(const struct wire_plan *operation, const struct plan_path *path)
{
    struct wire_plan known = *operation;
    uint64_t sum = path->value + (uint64_t)operation->value;
    uint32_t each = operation->flags & PLAN_TICKS ? 2 : 1;
    uint32_t index = (uint32_t)(sum & ((1u << operation->bits) - 1));
    bool in_node = operation->flags & PLAN_IN_NODE;
    if (in_node && !operation->bits)
        return known;
    known.value = path->known && in_node ? (int64_t)index : (int64_t)sum;
    if (path->known) {
        known.counter += in_node ? 0 : each * index;
        known.bits = 0;
    }
    return known;
}

/* False: it has no counter of its own. */
static bool emit_count_known(struct taken *t, const struct plan *plan,
                             const struct wire_plan *operation, const struct plan_path *path)
{
    struct wire_plan count = *operation;
    if (!path->known || !plan->known)
        return false;
    if (operation->flags & PLAN_IN_NODE)
        return node_count_known_emit(plan, operation, left_number(plan, operation), path->value,
                                     t->c, t->room, t->flags_free);
    count.counter =
        known_path_counter(plan->known, operation->counter,
                           path->value + (uint64_t)operation->value, operation->flags & PLAN_TICKS);
    if (count.counter)
        emit_count(t, &count);
    return count.counter;
}

static void settle(struct taken *t, struct plan_path *path)
{
    if (path->known)
        emit_set(t, (int64_t)path->value);
    else if (path->value)
        emit_add(t, (int64_t)path->value);
    give_back(t);
    *path = (struct plan_path){0};
}

static void emit_operation(struct taken *t, const struct plan *plan,
                           const struct wire_plan *operation, struct plan_path *path)
{
    bool ticks = operation->flags & PLAN_TICKS;
    bool in_node = operation->flags & PLAN_IN_NODE;
    struct plan_path behind = path_behind(*path, operation);
    struct wire_plan count;
    switch ((enum plan_action)operation->action) {
    case PLAN_SET:
        if (ticks)
            emit_begin(t);
        break;
    case PLAN_COUNT:
        count = count_known(operation, path);
        if (in_node)
            node_count_emit(&count, left_number(plan, operation), t->c, t->room, t->flags_free);
        else
            emit_count(t, &count);
        break;
    case PLAN_COUNT_PATH:
        if (emit_count_known(t, plan, operation, path))
            break;
        if (!path->known && !ticks && t->room->rotates) {
            emit_count_path(t, plan, operation, path);
        } else {
            settle(t, path);
            emit_left(t, plan, operation);
        }
        behind = behind.known ? behind : (struct plan_path){0};
        break;
    case PLAN_KEEP:
        if (!path->known)
            settle(t, path);
        emit_keep(t, operation->flags, path);
        behind = behind.known ? behind : (struct plan_path){0};
        break;
    case PLAN_BACK: emit_back(t, ticks); break;
    case PLAN_ADD:
    case PLAN_NOTHING:
    case PLAN_ACTIONS: break;
    }
    give_back(t);
    *path = behind;
}

/* The same where some passages are measured. */
static void emit_some(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                      struct plan_path *path)
{
    bool counts = operation->action == PLAN_COUNT || operation->action == PLAN_COUNT_PATH;
    bool asks = counts || operation->action == PLAN_KEEP, back = operation->action == PLAN_BACK;
    if (!asks && !back && operation->action != PLAN_SET) {
        emit_operation(t, plan, operation, path);
        return;
    }
    if (asks && !path->known && !(operation->flags & PLAN_ENDS))
        settle(t, path); /* on both ways */
    const struct plan_path nobody = {0};
    struct measured measured =
        back ? emit_back_measured(t) : emit_measured(t, asks ? path : &nobody, !asks);
    if (back)
        *path = path_behind(*path, operation);
    else
        emit_operation(t, plan, operation, path);
    give_back(t);
    emit_measured_out(t, plan, operation, &measured);
}

static struct taken taken_at(struct cursor *c, const struct plan_room *room)
{
    return (struct taken){
        .c = c, .room = room, .flags_free = flags_dead(room->regions, room->pc, FLAGS_ALL)};
}

void plan_emit(const struct plan *plan, plan_place place, struct cursor *c,
               const struct plan_room *room, struct plan_path *path)
{
    if (!place)
        return;
    struct taken taken = taken_at(c, room);
    const struct wire_plan *operations = plan_operation(plan, place);
    for (uint32_t i = 0; i < plan_operations(place); i++) {
        taken.clocked &= i && operations[i - 1].action == PLAN_COUNT;
        if (operations[i].flags & PLAN_SOME)
            emit_some(&taken, plan, &operations[i], path);
        else
            emit_operation(&taken, plan, &operations[i], path);
    }
}

void plan_settle(struct cursor *c, const struct plan_room *room, struct plan_path *path)
{
    if (path_settled(path))
        return;
    struct taken taken = taken_at(c, room);
    settle(&taken, path);
}
