#include "walk/emit/liveness.h"

#include "x86/insn.h"

enum { LOOK_AHEAD = 24 };

bool flags_dead(const struct regions *regions, uint64_t pc, uint8_t flags)
{
    for (int i = 0; i < LOOK_AHEAD; i++) {
        struct insn insn;
        size_t room = regions_peek(regions, pc);
        if (room == 0 || !insn_decode((const uint8_t *)pc, room, &insn))
            return false;
        if (insn_flags_read(&insn) & flags)
            return false;
        flags &= (uint8_t)~insn_flags_killed(&insn);
        if (!flags)
            return true;
        switch (insn.class) {
        case INSN_PLAIN: pc += insn.length; break;
        case INSN_JUMP:
        case INSN_CALL: pc = insn_target(&insn, pc); break;
        default: return false;
        }
    }
    return false;
}
