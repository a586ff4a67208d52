#include "walk/emit/plan_code.h"

#include "walk/emit/known_paths.h"
#include "walk/emit/liveness.h"
#include "walk/emit/node_count.h"
#include "walk/emit/plan_measured.h"
#include "walk/emit/plan_table.h"
#include "walk/emit/plan_taken.h"

/* ---- ticks */

/* The time since the path began, to %rax; if another begins now, that saves it a clock read. */
static void emit_elapsed(struct taken *t)
{
    emit_clock(t);
    emit_load(t->c, RDX, SLOT(path_began));
    emit_store(t->c, RAX, SLOT(path_began));
    emit_less(t->c);
    t->clocked = true;
}

static void emit_begin(struct taken *t)
{
    if (t->clocked)
        return;
    emit_clock(t);
    emit_store(t->c, RAX, SLOT(path_began));
}

/* ---- count */

/* The index of a counter in %rcx: shifted left by `shifted` bits, to be scaled by `scale`. Five and
 * thirteen bits are 8 and 16 bits with the index in units of eight. */
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
    taken_rcx(t);
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
    taken_r11(t);
    emit_indexed(t->c, LOAD, R11, scale, at);
    emit_bytes(t->c, next, sizeof next);
    emit_indexed(t->c, STORE, R11, scale, at);
}

/* The time since the path began, to %rax; if another begins now, that saves it a clock read. */
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
    taken_rcx(t);
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
        taken_rcx(t);
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
    if (path->known && emit_fits(value)) {
        emit_shadow(t->c, 0xc7, 0, offsetof(struct shadow, path)); /* movq $value */
        emit_u32(t->c, (uint32_t)value);
        return;
    }
    taken_r11(t);
    if (path->known)
        emit_constant_r11(t->c, value);
    else
        emit_load(t->c, R11, SLOT(path));
    emit_shadow(t->c, STORE, R11, offsetof(struct shadow, path));
}

static void emit_keep(struct taken *t, uint16_t flags, const struct plan_path *path)
{
    taken_rcx(t);
    if (flags & PLAN_TICKS)
        emit_elapsed(t); /* BACK sets path_began anew */
    emit_shadow_rcx(t->c);
    emit_keep_path(t, path);
    if (flags & PLAN_TICKS)
        emit_shadow(t->c, STORE, RAX, offsetof(struct shadow, ticks));
}

static void emit_back(struct taken *t, bool ticks)
{
    taken_rcx(t);
    taken_r11(t);
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

/* ---- one place */

/* With what is known: one counter, or context.path plus what must be added to it. */
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
        return node_count_known_emit(plan, operation, plan_left_number(plan, operation),
                                     path->value, t->c, t->room, t->flags_free);
    count.counter =
        known_path_counter(plan->known, operation->counter,
                           path->value + (uint64_t)operation->value, operation->flags & PLAN_TICKS);
    if (count.counter)
        emit_count(t, &count);
    return count.counter;
}

static void emit_operation(struct taken *t, const struct plan *plan,
                           const struct wire_plan *operation, struct plan_path *path)
{
    bool ticks = operation->flags & PLAN_TICKS;
    bool in_node = operation->flags & PLAN_IN_NODE;
    struct plan_path behind = path_behind(*path, operation);
    struct wire_plan count;
    if (ticks && plan->events == EVENT_CLOCK_FAULTS) {
        taken_settle(t, path);
        emit_left(t, plan, operation);
        taken_give_back(t);
        *path = behind.known ? behind : (struct plan_path){0};
        return;
    }
    switch ((enum plan_action)operation->action) {
    case PLAN_SET:
        if (ticks)
            emit_begin(t);
        break;
    case PLAN_COUNT:
        count = count_known(operation, path);
        if (in_node)
            node_count_emit(&count, plan_left_number(plan, operation), t->c, t->room,
                            t->flags_free);
        else
            emit_count(t, &count);
        break;
    case PLAN_COUNT_PATH:
        if (emit_count_known(t, plan, operation, path))
            break;
        if (!path->known && !ticks && t->room->rotates) {
            plan_table_emit(t, plan, operation, path);
        } else {
            taken_settle(t, path);
            emit_left(t, plan, operation);
        }
        behind = behind.known ? behind : (struct plan_path){0};
        break;
    case PLAN_KEEP:
        if (operation->flags & PLAN_TIME)
            break; /* none is measured */
        if (!path->known)
            taken_settle(t, path);
        emit_keep(t, operation->flags, path);
        behind = behind.known ? behind : (struct plan_path){0};
        break;
    case PLAN_BACK: emit_back(t, ticks); break;
    case PLAN_ADD:
    case PLAN_NOTHING:
    case PLAN_ACTIONS: break;
    }
    taken_give_back(t);
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
        taken_settle(t, path); /* on both ways */
    const struct plan_path nobody = {0};
    struct measured measured = back ? measured_emit_back(t, operation->flags)
                                    : measured_emit(t, asks ? path : &nobody, !asks);
    if (back)
        *path = path_behind(*path, operation);
    else
        emit_operation(t, plan, operation, path);
    taken_give_back(t);
    measured_emit_out(t, plan, operation, &measured);
}

static struct taken taken_at(struct code_cursor *c, const struct plan_room *room)
{
    return (struct taken){
        .c = c, .room = room, .flags_free = flags_dead(room->regions, room->pc, FLAGS_ALL)};
}

void plan_emit(const struct plan *plan, plan_place place, struct code_cursor *c,
               const struct plan_room *room, struct plan_path *path)
{
    if (!place)
        return;
    struct taken taken = taken_at(c, room);
    taken.counter = plan->events == EVENT_CLOCK_PERF;
    const struct wire_plan *operations = plan_operation(plan, place);
    for (uint32_t i = 0; i < plan_operations(place); i++) {
        taken.clocked &= i && operations[i - 1].action == PLAN_COUNT;
        if (operations[i].flags & PLAN_SOME)
            emit_some(&taken, plan, &operations[i], path);
        else
            emit_operation(&taken, plan, &operations[i], path);
    }
}

void plan_settle(struct code_cursor *c, const struct plan_room *room, struct plan_path *path)
{
    if (path_settled(path))
        return;
    struct taken taken = taken_at(c, room);
    taken_settle(&taken, path);
}
