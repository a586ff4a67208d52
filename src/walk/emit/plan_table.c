#include "walk/emit/plan_table.h"

#include "walk/count/path_table.h"

/* gs:[field of the path whose slot is at 8 * %r11], and a register or more of the opcode. */
static void emit_slot_field(struct code_cursor *c, uint32_t rex, uint32_t opcode, uint32_t reg,
                            uint32_t function, size_t field)
{
    emit_u8(c, 0x65);
    emit_u8(c, 0x42 | rex);
    emit_u8(c, opcode);
    emit_u8(c, 0x04 | reg << 3);
    emit_u8(c, 0xdd);
    emit_u32(c, (uint32_t)(SLOT(counters) + path_slots_at(function) + field));
}

/* From the path's number in %rcx and, if there is one, the node in %rax: the first place to look,
 * to %r11, in units of eight bytes. */
static void emit_home(struct code_cursor *c, uint32_t function, bool in_node)
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

/* The branch taken if the slot belongs to another node. Overwrites %rcx; %rax is the node, or
 * spent. */
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
    return emit_unless_rcx_zero(t->c);
}

/* Two branches that are taken if it is not the slot of this path. */
static void emit_slot_matches(struct taken *t, uint32_t function, uint8_t *out[])
{
    struct code_cursor *c = t->c;
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
    taken_rax(t);
    emit_slot_field(c, REX_W, LOAD, RAX, function, path);
    emit_bytes(c, less, sizeof less); /* not %rcx; lea 1(%rax,%rcx), %rcx */
    out[0] = emit_unless_rcx_zero(c);
    emit_slot_field(c, 0, LOAD, RCX, function, of);
    emit_u8(c, 0x8d); /* lea -function(%rcx), %ecx */
    emit_u8(c, 0x89);
    emit_u32(c, 0 - function);
    out[1] = emit_unless_rcx_zero(c);
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

/* In the thread's table, at the first place; else the dispatcher does it. */
void plan_table_emit(struct taken *t, const struct plan *plan, const struct wire_plan *operation,
                     struct plan_path *path)
{
    uint8_t *out[3] = {0};
    bool in_node = operation->flags & PLAN_IN_NODE;
    taken_rcx(t);
    emit_load(t->c, RCX, SLOT(path));
    emit_sum_rcx(t, (int64_t)path->value);
    if (path->value)
        emit_store(t->c, RCX, SLOT(path)); /* true for the dispatcher */
    emit_sum_rcx(t, operation->value);
    taken_r11(t);
    if (in_node) {
        taken_rax(t);
        emit_load(t->c, RAX, SLOT(node));
    }
    emit_home(t->c, operation->counter, in_node);
    emit_slot_matches(t, operation->counter, out);
    if (in_node)
        out[2] = emit_node_matches(t, operation->counter);
    struct taken missed = *t;
    emit_slot_count(t, operation->counter);
    taken_give_back(t);
    uint8_t *done = emit_short(t->c, JMP);
    for (int i = 0; i < 3 && out[i]; i++)
        emit_near_here(out[i], t->c);
    emit_left(&missed, plan, operation);
    emit_near_here(done, t->c);
    *path = (struct plan_path){0};
}
