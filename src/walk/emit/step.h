/* One instruction of a superblock. */
#pragma once

#include "x86/insn.h"

#include <stdbool.h>
#include <stdint.h>

enum { INSTRUCTION_MAX = 15 }; /* bytes */

struct step {
    uint64_t pc;
    struct insn insn;
    /* As they were decoded: the program may change or unmap those at pc. */
    uint8_t bytes[INSTRUCTION_MAX + 1];
    bool through_gs; /* whole runs: its copy is that of through_gs.h */
};
