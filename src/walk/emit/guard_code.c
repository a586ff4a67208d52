#include "walk/emit/guard_code.h"

#include "walk/emit/exits.h"

#define SLOT(field) offsetof(struct context, field)

/* mov or movzx [at], %reg, so many bytes: 4, 2 or 1 */
static void emit_read(struct code_cursor *c, uint32_t reg, uint64_t at, uint32_t bytes)
{
    if (bytes == 4) {
        emit_u8(c, 0x8b);
    } else {
        emit_u8(c, 0x0f);
        emit_u8(c, bytes == 2 ? 0xb7 : 0xb6);
    }
    emit_u8(c, 0x05 | reg << 3); /* relative to %rip: zones lie near what they copy */
    emit_u32(c, 0);
    emit_displacement(c, c->at - 4, at);
}

/* lea -value(%reg), %reg in 32 bits: 0 if it was the value, and never 2^32 or more. */
static void emit_less(struct code_cursor *c, uint32_t reg, uint32_t value)
{
    emit_u8(c, 0x8d);
    emit_u8(c, 0x80 | reg << 3 | reg);
    emit_u32(c, -value);
}

/* Adds to %rcx a number below 2^32, 0 if nothing changed: the 64-bit sum is 0 only if all are. */
static void emit_compare(struct code_cursor *c, uint64_t at, const uint8_t *ours, uint32_t bytes,
                         bool first)
{
    uint32_t value = 0, reg = first ? RCX : RDX;
    __builtin_memcpy(&value, ours, bytes);
    emit_read(c, reg, at, bytes);
    emit_less(c, reg, value);
    if (!first)
        emit_bytes(c, (const uint8_t[]){0x48, 0x8d, 0x0c, 0x11}, 4); /* lea (%rcx,%rdx), %rcx */
}

/* The last piece of a run may overlap the one before. */
static void emit_run(struct code_cursor *c, uint64_t start, const uint8_t *ours, uint64_t bytes,
                     bool first)
{
    uint32_t piece = bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
    for (uint64_t at = 0; at < bytes; at += piece) {
        uint64_t from = at + piece <= bytes ? at : bytes - piece;
        emit_compare(c, start + from, ours + from, piece, first);
        first = false;
    }
}

static void emit_registers_back(struct code_cursor *c)
{
    emit_load(c, RCX, SLOT(slot_rcx));
    emit_load(c, RDX, SLOT(slot_rdx));
}

void emit_guard(struct code_cursor *hot, struct code_cursor *cold, const struct guards *guards,
                uint32_t guard, uint32_t number)
{
    struct guards_run run = {0};
    emit_store(hot, RCX, SLOT(slot_rcx));
    emit_store(hot, RDX, SLOT(slot_rdx));
    for (bool first = true; guards_next(guards, guard, &run); first = false)
        emit_run(hot, run.start, run.ours, run.bytes, first);
    /* Ahead of the branch: between it and the field all has one length (guard_switch). */
    emit_padding(hot, 2 + GUARD_REGISTERS_BACK + 1);
    emit_u8(hot, 0xe3); /* jrcxz */
    emit_u8(hot, 0);
    uint8_t *same = hot->at - 1;
    emit_registers_back(hot);
    emit_displacement(hot, emit_patchable_jump(hot), cursor_runs_at(cold));
    emit_leave(cold, number, SLOT(to_guard));
    emit_near_here(same, hot);
    emit_registers_back(hot);
}
