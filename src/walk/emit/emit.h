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

/* The first n bytes, at most eight, of a little-endian word. All eight are written, those behind
 * the cursor for nothing: one store instead of n that each wait for the cursor. */
static inline void emit_upto8(struct code_cursor *cursor, uint64_t word, uint32_t n)
{
    __builtin_memcpy(cursor->at, &word, 8);
    cursor->at += n;
}

static inline void emit_bytes(struct code_cursor *cursor, const uint8_t *bytes, uint32_t n)
{
    uint8_t *at = cursor->at;
    for (uint32_t i = 0; i < n; i++)
        at[i] = bytes[i];
    cursor->at = at + n;
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
    uint64_t rex = 0x48 | (reg >> 3) << 2, modrm = 0x04 | (reg & 7) << 3;
    emit_upto8(cursor, 0x65 | rex << 8 | opcode << 16 | modrm << 24 | UINT64_C(0x25) << 32, 5);
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
    emit_upto8(cursor, 0x2504c765 | (uint64_t)(uint32_t)offset << 32, 8);
    emit_u32(cursor, value);
}

/* jmp *gs:[offset] */
static inline void emit_jump_slot(struct code_cursor *cursor, size_t offset)
{
    emit_upto8(cursor, 0x2524ff65 | (uint64_t)(uint32_t)offset << 32, 8);
}

/* lea add(%rcx), %rcx */
static inline void emit_add_rcx(struct code_cursor *cursor, uint32_t add)
{
    emit_upto8(cursor, 0x898d48 | (uint64_t)add << 24, 7);
}

/* movzbl gs:[offset], %ecx */
static inline void emit_load_byte_rcx(struct code_cursor *cursor, size_t offset)
{
    emit_upto8(cursor, UINT64_C(0x250cb60f65), 5);
    emit_u32(cursor, (uint32_t)offset);
}

/* jmp target */
static inline void emit_jump(struct code_cursor *cursor, uint64_t target)
{
    uint64_t distance = (uint32_t)(target - cursor_runs_at(cursor) - 5);
    emit_upto8(cursor, 0xe9 | distance << 8, 5);
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
    uint32_t field = (uint32_t)((uintptr_t)cursor->at + field_at) % 8;
    emit_upto8(cursor, UINT64_C(0x2e2e2e), field > 4 ? 8 - field : 0);
}

/* A jump that can be patched while other threads run it. Returns its displacement field. */
static inline uint8_t *emit_patchable_jump(struct code_cursor *cursor)
{
    emit_padding(cursor, 1);
    emit_upto8(cursor, 0xe9, 5);
    return cursor->at - 4;
}
