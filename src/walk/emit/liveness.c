#include "walk/emit/liveness.h"

#include "x86/insn.h"

enum { LOOK_AHEAD = 24 };

/* Past one instruction: the flags of `flags` that are still undecided; FLAGS_LIVE: one is read. */
enum { FLAGS_LIVE = 0x80 };

static uint8_t flags_past(const struct insn *insn, uint8_t flags)
{
    if (insn_flags_read(insn) & flags)
        return FLAGS_LIVE;
    return (uint8_t)(flags & ~insn_flags_killed(insn));
}

bool flags_dead(const struct regions *regions, uint64_t pc, uint8_t flags)
{
    for (int i = 0; i < LOOK_AHEAD; i++) {
        struct insn insn;
        size_t room = regions_peek(regions, pc);
        if (room == 0 || !insn_decode((const uint8_t *)pc, room, &insn))
            return false;
        flags = flags_past(&insn, flags);
        if (!flags || flags == FLAGS_LIVE)
            return !flags;
        switch (insn.class) {
        case INSN_PLAIN: pc += insn.length; break;
        case INSN_JUMP:
        case INSN_CALL: pc = insn_target(&insn, pc); break;
        default: return false;
        }
    }
    return false;
}

bool flags_dead_at_shape(const struct regions *regions, const struct shape *shape, uint8_t flags)
{
    uint64_t pc = shape->pc;
    if (shape->kind != REGION_LASTING)
        return false;
    for (uint32_t i = 0; i < shape->n_steps && i < LOOK_AHEAD; i++) {
        const struct step *step = &shape->steps[i];
        flags = flags_past(&step->insn, flags);
        if (!flags || flags == FLAGS_LIVE)
            return !flags;
        switch (step->insn.class) {
        case INSN_PLAIN: pc = step->pc + step->insn.length; break;
        case INSN_JUMP:
        case INSN_CALL: pc = insn_target(&step->insn, step->pc); break;
        default: return false;
        }
    }
    return flags_dead(regions, pc, flags);
}
