/* Parts of the code of a plan's operations (plan_code.c): registers that are taken and given back,
 * the clock, the plan's register, and the way to the dispatcher. No flag of the program changes,
 * unless flags are dead. */
#pragma once

#include "walk/count/plan_path.h"
#include "walk/emit/plan_room.h"
#include "x86/insn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOT(field) offsetof(struct context, field)

/* The registers that the code of one operation has taken. */
struct taken {
    struct code_cursor *c;
    const struct plan_room *room;
    bool flags_free;
    bool rcx, r11, rax, ticks;
    bool counter; /* the clock is a counter of the processor (event_code.h) */
    bool clocked; /* the operation before has just read the clock, for path_began */
};

void taken_rcx(struct taken *t);
void taken_r11(struct taken *t);
void taken_rax(struct taken *t);
void taken_give_back(struct taken *t);
/* Stores what is known in context.path. */
void taken_settle(struct taken *t, struct plan_path *path);

/* ---- instructions */

enum { LOAD = 0x8b, STORE = 0x89 };
enum { REX_W = 8, JNE = 0x75, JRCXZ = 0xe3, JMP = 0xeb };

/* A register and gs:[offset + scale * rcx]. */
void emit_indexed(struct code_cursor *c, uint32_t opcode, uint32_t reg, uint32_t scale,
                  size_t offset);
/* As an immediate. */
bool emit_fits(int64_t value);
/* movabs $value, %r11 */
void emit_constant_r11(struct code_cursor *c, int64_t value);
/* %rcx += value */
void emit_sum_rcx(struct taken *t, int64_t value);
/* A short branch to a place that is not known yet. */
uint8_t *emit_short(struct code_cursor *c, uint32_t opcode);
/* Goes on if %rcx is zero, else takes the branch that is returned. */
uint8_t *emit_unless_rcx_zero(struct code_cursor *c);

/* The index into the shadow, from the stack pointer. */
static inline void emit_shadow_rcx(struct code_cursor *c)
{
    emit_u8(c, 0x89); /* mov %esp, %ecx */
    emit_u8(c, 0xe1);
}

static inline void emit_shadow(struct code_cursor *c, uint32_t opcode, uint32_t reg, size_t field)
{
    emit_indexed(c, opcode, reg, CONTEXT_SHADOW_SCALE, CONTEXT_SHADOW_AT + field);
}

/* ---- the clock */

/* Reads the clock to %rax; %rdx is overwritten. */
void emit_clock(struct taken *t);
/* The same after all instructions before it are complete. */
void emit_clock_alone(struct taken *t);
/* Instructions after it wait until all before it are complete. */
void emit_fence(struct code_cursor *c);
/* %rax -= %rdx */
void emit_less(struct code_cursor *c);

/* ---- what the dispatcher does */

uint32_t plan_left_number(const struct plan *plan, const struct wire_plan *operation);
/* Gives registers back and leaves; returns the field for where to continue. */
uint8_t *emit_leaving(struct taken *t, const struct plan *plan, const struct wire_plan *operation);
/* The same, continuing right after it. */
void emit_left(struct taken *t, const struct plan *plan, const struct wire_plan *operation);
