/* Guards of exact runs, in code: what stands in front of a guarded superblock (walk/emit/guards.h)
 * compares the program's bytes with those that the copy was made of. A whole run passes millions of
 * them, and the way to the dispatcher and back takes ten times as long.
 *
 * Neither flags nor registers change. A difference leads to the dispatcher, until a newer copy of
 * the same code is there: then straight to that (guard_lead). */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/guards.h"

/* Bytes of code that a guard compares at most, and of its own code for them. */
enum { GUARD_CODE_BYTES = 4 * SHAPE_GUARDED_BYTES + 16 * SHAPE_SEGMENTS + 80 };

/* Writes the guard of superblock `number`; what comes next runs if nothing has changed. */
void emit_guard(struct code_cursor *hot, struct code_cursor *cold, const struct guards *guards,
                uint32_t guard, uint32_t number);
/* The displacement field that tells where a difference leads to, by where the code behind the guard
 * begins. */
static inline uint64_t guard_field(uint64_t body)
{
    enum { REGISTERS_BACK = 18 };
    return body - REGISTERS_BACK - 4;
}
