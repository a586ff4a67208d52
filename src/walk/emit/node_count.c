#include "walk/emit/node_count.h"

#include "walk/emit/known_paths.h"
#include "walk/count/node_tree.h"

#define SLOT(field) offsetof(struct context, field)
#define NODES (SLOT(counters) + NODES_AT)

/* An instruction with the operand gs:[offset + r11]: a prefix, opcode, its register field. */
static void emit_at_r11(struct code_cursor *c, uint32_t rex, uint32_t opcode, uint32_t field,
                        size_t offset)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x41 | rex);
    emit_u8(c, opcode);
    emit_u8(c, 0x83 | field << 3);
    emit_u32(c, (uint32_t)offset);
}

/* A short branch that is taken if the node, in %r11, is that function's. Returns its field. */
static uint8_t *emit_own(struct code_cursor *c, uint32_t number, bool flags_free)
{
    const size_t at = NODES + offsetof(struct wire_node, number);
    if (flags_free) {
        emit_at_r11(c, 0, 0x81, 7, at); /* cmpl */
        emit_u32(c, number);
        emit_u8(c, 0x74); /* je */
    } else {
        emit_at_r11(c, 0, 0x8b, RCX, at); /* mov gs:[...], %ecx */
        emit_u8(c, 0x8d);                 /* lea -number(%rcx), %ecx */
        emit_u8(c, 0x89);
        emit_u32(c, 0 - number);
        emit_u8(c, 0xe3); /* jrcxz */
    }
    emit_u8(c, 0);
    return c->at - 1;
}

static void emit_give_back(struct code_cursor *c, const struct plan_room *room, bool rcx)
{
    if (room->free)
        return;
    emit_load(c, R11, SLOT(slot_r11));
    if (rcx)
        emit_load(c, RCX, SLOT(slot_rcx));
}

/* What is counted, and how. */
struct counting {
    uint32_t function, left;
    uint32_t bits;  /* of the register; 0: the counter is known: */
    int64_t value;  /* to be added to it, or the counter's number */
    uint64_t *path; /* NULL, or what is in the register, should the dispatcher ask */
};

/* movabs $value, %r11; and to context.path */
static void emit_register(struct code_cursor *c, uint64_t value)
{
    emit_u8(c, 0x49);
    emit_u8(c, 0xbb);
    emit_u64(c, value);
    emit_store(c, R11, SLOT(path));
}

/* To the dispatcher. Returns the field that is to lead behind. */
static uint8_t *emit_left(struct code_cursor *c, const struct plan_room *room, bool rcx,
                          const struct counting *counting)
{
    if (counting->path) {
        emit_register(c, *counting->path);
    } else if (counting->bits) {
        emit_load(c, RCX, SLOT(path));
        emit_add_rcx(c, (uint32_t)counting->value);
        emit_store(c, RCX, SLOT(left_path));
    } else {
        emit_store_u32(c, (uint32_t)counting->value, SLOT(left_path));
    }
    emit_u8(c, 0x4c); /* lea behind(%rip), %r11 */
    emit_u8(c, 0x8d);
    emit_u8(c, 0x1d);
    emit_u32(c, 0);
    uint8_t *field = c->at - 4;
    emit_store(c, R11, SLOT(resume));
    emit_give_back(c, room, rcx);
    emit_store_u32(c, counting->left, SLOT(exit));
    emit_jump_slot(c, SLOT(to_plan));
    return field;
}

/* %r11 += 8 (path + value modulo 2^bits) */
static void emit_path(struct code_cursor *c, const struct counting *counting)
{
    static const uint8_t narrow[] = {0x0f, 0xb6, 0xc9}, wide[] = {0x0f, 0xb7, 0xc9};
    static const uint8_t scaled[] = {0x48, 0x8d, 0x0c, 0xcd};  /* lea 8 value(, %rcx, 8), %rcx */
    static const uint8_t whole[] = {0x4d, 0x8d, 0x1c, 0xcb};   /* lea (%r11, %rcx, 8), %r11 */
    static const uint8_t eighths[] = {0x4d, 0x8d, 0x1c, 0x0b}; /* lea (%r11, %rcx), %r11 */
    bool eighth = counting->bits % 8 == 5;
    uint32_t value = (uint32_t)(counting->value & ((1 << counting->bits) - 1));
    emit_load(c, RCX, SLOT(path));
    if (eighth) {
        emit_bytes(c, scaled, sizeof scaled);
        emit_u32(c, 8 * value);
    } else if (value) {
        emit_add_rcx(c, value);
    }
    emit_bytes(c, counting->bits > 8 ? wide : narrow, 3); /* movzbl %cl, movzwl %cx, %ecx */
    emit_bytes(c, eighth ? eighths : whole, 4);
}

static void emit_increment(struct code_cursor *c, size_t at, bool flags_free)
{
    if (flags_free) {
        emit_at_r11(c, 8, 0xff, 0, at); /* incq */
        return;
    }
    emit_at_r11(c, 8, 0x8b, RCX, at);
    emit_add_rcx(c, 1);
    emit_at_r11(c, 8, 0x89, RCX, at);
}

static void emit(const struct counting *counting, struct code_cursor *c,
                 const struct plan_room *room, bool flags_free)
{
    size_t at = NODES + sizeof(struct wire_node);
    bool rcx = counting->bits || !flags_free;
    if (!room->free) {
        emit_store(c, R11, SLOT(slot_r11));
        if (rcx)
            emit_store(c, RCX, SLOT(slot_rcx));
    }
    emit_load(c, R11, SLOT(node));
    uint8_t *own = emit_own(c, counting->function, flags_free);
    uint8_t *behind = emit_left(c, room, rcx, counting);
    emit_near_here(own, c);
    if (counting->bits)
        emit_path(c, counting);
    else
        at += 8 * (size_t)counting->value;
    emit_increment(c, at, flags_free);
    emit_give_back(c, room, rcx);
    emit_displacement(c, behind, cursor_runs_at(c));
}

void node_count_emit(const struct wire_plan *operation, uint32_t left, struct code_cursor *c,
                     const struct plan_room *room, bool flags_free)
{
    struct counting counting = {.function = operation->counter,
                                .left = left,
                                .bits = operation->bits,
                                .value = operation->value};
    emit(&counting, c, room, flags_free);
}

bool node_count_known_emit(const struct plan *plan, const struct wire_plan *operation,
                           uint32_t left, uint64_t register_value, struct code_cursor *c,
                           const struct plan_room *room, bool flags_free)
{
    uint32_t counter = known_path_in_node(plan->known, operation->counter,
                                          register_value + (uint64_t)operation->value);
    struct counting counting = {.function = operation->counter,
                                .left = left,
                                .value = (int64_t)counter - 1,
                                .path = &register_value};
    if (counter)
        emit(&counting, c, room, flags_free);
    return counter;
}
