/* Writes machine code: a cursor into a zone's writable alias, and the few instructions that exits
 * are made of. Names say what runs; %gs is left out of them. */
#pragma once

#include "walk/base/context.h"

#include <stdint.h>

/* Code is written at `at` and runs at at + shift: zones are mapped twice. */
struct code_cursor {
    uint8_t *at;
    int64_t shift;
};

static inline uint64_t cursor_runs_at(const struct code_cursor *cursor)
{
    return (uint64_t)((int64_t)cursor->at + cursor->shift);
}

static inline void emit_u8(struct code_cursor *cursor, uint32_t byte)
{
    *cursor->at++ = (uint8_t)byte;
}

static inline void emit_u32(struct code_cursor *cursor, uint32_t word)
{
    __builtin_memcpy(cursor->at, &word, 4);
    cursor->at += 4;
}

static inline void emit_u64(struct code_cursor *cursor, uint64_t word)
{
    __builtin_memcpy(cursor->at, &word, 8);
    cursor->at += 8;
}

static inline void emit_bytes(struct code_cursor *cursor, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        emit_u8(cursor, bytes[i]);
}

/* A 32-bit displacement field at `field` (writable alias) that leads to `target`. */
static inline void emit_displacement(const struct code_cursor *cursor, uint8_t *field,
                                     uint64_t target)
{
    int32_t distance = (int32_t)(target - (uint64_t)((int64_t)field + cursor->shift) - 4);
    __builtin_memcpy(field, &distance, 4);
}

/* One operation on a register and gs:[offset], 64 bits. */
static inline void emit_slot(struct code_cursor *cursor, uint32_t opcode, uint32_t reg,
                             size_t offset)
{
    emit_u8(cursor, 0x65);
    emit_u8(cursor, 0x48 | (reg >> 3) << 2);
    emit_u8(cursor, opcode);
    emit_u8(cursor, 0x04 | (reg & 7) << 3);
    emit_u8(cursor, 0x25);
    emit_u32(cursor, (uint32_t)offset);
}

/* mov %reg, gs:[offset] */
static inline void emit_store(struct code_cursor *cursor, uint32_t reg, size_t offset)
{
    emit_slot(cursor, 0x89, reg, offset);
}

/* mov gs:[offset], %reg */
static inline void emit_load(struct code_cursor *cursor, uint32_t reg, size_t offset)
{
    emit_slot(cursor, 0x8b, reg, offset);
}

/* movl $value, gs:[offset] */
static inline void emit_store_u32(struct code_cursor *cursor, uint32_t value, size_t offset)
{
    emit_u8(cursor, 0x65);
    emit_u8(cursor, 0xc7);
    emit_u8(cursor, 0x04);
    emit_u8(cursor, 0x25);
    emit_u32(cursor, (uint32_t)offset);
    emit_u32(cursor, value);
}

/* jmp *gs:[offset] */
static inline void emit_jump_slot(struct code_cursor *cursor, size_t offset)
{
    emit_u8(cursor, 0x65);
    emit_u8(cursor, 0xff);
    emit_u8(cursor, 0x24);
    emit_u8(cursor, 0x25);
    emit_u32(cursor, (uint32_t)offset);
}

/* lea add(%rcx), %rcx */
static inline void emit_add_rcx(struct code_cursor *cursor, uint32_t add)
{
    emit_u8(cursor, 0x48);
    emit_u8(cursor, 0x8d);
    emit_u8(cursor, 0x89);
    emit_u32(cursor, add);
}

/* movzbl gs:[offset], %ecx */
static inline void emit_load_byte_rcx(struct code_cursor *cursor, size_t offset)
{
    emit_u8(cursor, 0x65);
    emit_u8(cursor, 0x0f);
    emit_u8(cursor, 0xb6);
    emit_u8(cursor, 0x0c);
    emit_u8(cursor, 0x25);
    emit_u32(cursor, (uint32_t)offset);
}

/* jmp target */
static inline void emit_jump(struct code_cursor *cursor, uint64_t target)
{
    emit_u8(cursor, 0xe9);
    emit_u32(cursor, 0);
    emit_displacement(cursor, cursor->at - 4, target);
}

/* Makes a short branch's displacement field lead to the cursor. */
static inline void emit_near_here(uint8_t *field, const struct code_cursor *cursor)
{
    *field = (uint8_t)(cursor->at - (field + 1));
}

/* Prefixes without effect on the branch that follows, so that its displacement field, `field_at`
 * bytes on, lies within eight aligned bytes: then it can be patched while other threads run it. */
static inline void emit_padding(struct code_cursor *cursor, uint32_t field_at)
{
    while (((uintptr_t)cursor->at + field_at) % 8 > 4)
        emit_u8(cursor, 0x2e);
}

/* A jump that can be patched while other threads run it. Returns its displacement field. */
static inline uint8_t *emit_patchable_jump(struct code_cursor *cursor)
{
    emit_padding(cursor, 1);
    emit_u8(cursor, 0xe9);
    emit_u32(cursor, 0);
    return cursor->at - 4;
}
