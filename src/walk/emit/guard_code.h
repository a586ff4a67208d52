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
/* The displacement field that leads to the newer copy; `body` is where the code after the guard
 * begins. */
static inline uint64_t guard_field(uint64_t body)
{
    enum { REGISTERS_BACK = 18 };
    return body - REGISTERS_BACK - 4;
}
