/* The shape of a superblock: which instructions it holds, before any code is made.
 *
 * It starts at a pc and goes straight on: past conditional branches along their fall-through,
 * across jumps. It ends at a call, return or indirect jump, at a jump back into itself, at xbegin,
 * at an instruction that is refused, or when it is long enough. A pure function of the program's
 * bytes, the flavour and the reach, so that a fault can be located by forming the shape again. */
#pragma once

#include "walk/base/context.h"
#include "walk/base/region.h"
#include "walk/emit/step.h"
#include "wire/channel.h"

/* SHAPE_SINGLE: one instruction, so that walks can be compared with themselves and with steps. */
enum { SHAPE_STEPS = 64, SHAPE_SEGMENTS = 8, SHAPE_BRIEF = 1, SHAPE_SINGLE = 0 };
/* Of a whole run, where code may change: so many bytes, for guards in code to compare. */
enum { SHAPE_GUARDED_BYTES = 128 };
/* Of those whose copies are long, there are so few in one superblock. */
enum { SHAPE_THROUGH_GS = 2 };

struct shape {
    uint64_t pc;
    uint32_t n_steps, n_segments;
    uint32_t refusal;      /* when it ends in SEGMENT_STOP: enum loss */
    enum region_kind kind; /* of all its code */
    bool covered;          /* by a plan, likewise */
    /* Whole runs: the last instruction has no copy. The dispatcher executes it where it stands, and
     * walks on. It is an instruction of its segment like any other, so counts and traces are whole.
     */
    bool stepped;
    struct step steps[SHAPE_STEPS];
    struct wire_segment segments[SHAPE_SEGMENTS];
    uint32_t first_step[SHAPE_SEGMENTS + 1]; /* of each segment; the last is n_steps */
};

/* Forms the shape at pc, of so many segments at most. `whole`: a whole run is walked, system calls
 * and all; else they are refused. `reach` is an address near which the code will be put:
 * RIP-relative operands that could not be reached from there are refused. */
void shape_form(struct shape *shape, struct regions *regions, uint64_t pc, bool whole,
                uint32_t max_segments, uint64_t reach);

/* Nothing but a refused instruction: there is no code to make. */
static inline bool shape_empty(const struct shape *shape)
{
    return shape->n_steps == 0;
}

static inline bool shape_ends_cond(const struct shape *shape)
{
    return shape->segments[shape->n_segments - 1].end == SEGMENT_COND;
}

static inline uint32_t shape_exits(const struct shape *shape)
{
    return shape->n_segments + (shape_ends_cond(shape) ? 1 : 0);
}

/* How often it begins a memory transaction: at most once, by its last instruction. */
static inline bool shape_aborts(const struct shape *shape)
{
    return shape->n_steps && shape->steps[shape->n_steps - 1].insn.class == INSN_REFUSED;
}
