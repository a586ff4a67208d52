/* The shape of a superblock: its instructions, before any code is made.
 *
 * It starts at a pc and goes straight on: past conditional branches along their fall-through, and
 * across jumps. It ends at a call, return or indirect jump, at a jump back into itself, at xbegin,
 * at an instruction that is refused, or when it is long enough. It is a pure function of the
 * program's bytes, the flavour and the reach, so a fault can be located by forming the shape again.
 */
#pragma once

#include "walk/base/context.h"
#include "walk/base/region.h"
#include "walk/emit/step.h"
#include "wire/channel.h"

/* SHAPE_SINGLE: one instruction, to compare walks with themselves and with steps. */
enum { SHAPE_STEPS = 64, SHAPE_SEGMENTS = 8, SHAPE_BRIEF = 1, SHAPE_SINGLE = 0 };
/* Exact runs, where code may change: at most so many bytes, for guards to compare. */
enum { SHAPE_GUARDED_BYTES = 128 };
/* Steps with long copies (through_gs.h): at most so many per superblock. */
enum { SHAPE_THROUGH_GS = 2 };

struct shape {
    uint64_t pc;
    uint32_t n_steps, n_segments;
    uint32_t refusal;      /* if it ends in SEGMENT_STOP: enum loss */
    enum region_kind kind; /* of all its code */
    bool covered;          /* all of it is covered by a plan, or none */
    /* Exact runs: the last instruction has no copy. The dispatcher executes it in place and walks
     * on. It is an instruction of its segment like any other, so counts and traces are complete. */
    bool stepped;
    struct step steps[SHAPE_STEPS];
    struct wire_segment segments[SHAPE_SEGMENTS];
    uint32_t first_step[SHAPE_SEGMENTS + 1]; /* of each segment; the last entry is n_steps */
};

/* Forms the shape at pc, of at most so many segments. `whole`: an exact run, which contains system
 * calls; else they are refused, unless regions.calls is set. The code will be placed near `reach`:
 * RIP-relative operands that cannot be reached from there are refused. */
void shape_form(struct shape *shape, struct regions *regions, uint64_t pc, bool whole,
                uint32_t max_segments, uint64_t reach);

/* Only a refused instruction: there is no code to make. */
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

/* True if its last instruction begins a memory transaction. */
static inline bool shape_aborts(const struct shape *shape)
{
    return shape->n_steps && shape->steps[shape->n_steps - 1].insn.class == INSN_REFUSED;
}
