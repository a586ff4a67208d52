/* What emitted code of a plan may use at the place where it stands. */
#pragma once

#include "walk/base/region.h"
#include "walk/emit/emit.h"

#include <stdbool.h>

struct plan_room {
    const struct regions *regions;
    struct code_cursor *cold; /* for code that hardly ever runs */
    uint64_t pc;              /* the program's next instruction */
    bool free;                /* %rcx and %r11 are in their slots already */
    bool rotates;             /* the CPU has rorx */
};
