/* Guards of exact runs, in code: before a guarded superblock (guards.h), they compare the program's
 * bytes with those that the copy was made of. A whole run passes millions of guards; going to the
 * dispatcher and back would take ten times as long.
 *
 * Neither flags nor registers change. A difference leads to the dispatcher, or, once there is a
 * newer copy of the same code, straight to that (cache_lead). */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/guards.h"

/* The most code of a guard. */
enum { GUARD_CODE_BYTES = 4 * SHAPE_GUARDED_BYTES + 16 * SHAPE_SEGMENTS + 80 };

/* Writes the guard of superblock `number`; the code after it runs if nothing has changed. */
void emit_guard(struct code_cursor *hot, struct code_cursor *cold, const struct guards *guards,
                uint32_t guard, uint32_t number);
enum { GUARD_REGISTERS_BACK = 18 };
/* The displacement field that leads to the newer copy; `body` is where the code after the guard
 * begins. */
static inline uint64_t guard_field(uint64_t body)
{
    return body - GUARD_REGISTERS_BACK - 4;
}
/* A byte of its branch to the body. With 0 there the guard always finds a difference. */
static inline uint64_t guard_switch(uint64_t body)
{
    return guard_field(body) - 1 - GUARD_REGISTERS_BACK - 1;
}
