/* Address spaces. Mixing them is this field's classic bug, so each is a type of its own. */
#pragma once

#include <stdint.h>

/* In the memory of a running process. */
struct avma {
    uint64_t v;
};
/* As linked: what symbols, DWARF and disassembly of a module use. */
struct svma {
    uint64_t v;
};
/* In a file on disk. */
struct foff {
    uint64_t v;
};
