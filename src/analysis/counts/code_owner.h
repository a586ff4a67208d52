/* The function that the code at an address belongs to, and the functions inlined there. */
#pragma once

#include "base/vec.h"
#include "program/source.h"
#include "program/symbols/symbols.h"

struct scene;

struct code_owner {
    uint32_t module;      /* of the scene, MODULE_NONE: of none */
    function_id function; /* of the module's symbols; FUNCTION_NONE: they have none there */
    uint64_t start;       /* svma; 0: not known */
    const char *linkage; /* of the symbols, else as the recording has it, else the module's label */
};

/* The module and the address are of the profile on that side. Lives as long as scene and profile.
 */
struct code_owner code_owner_find(const struct scene *scene, uint32_t side, uint32_t module,
                                  uint64_t at);

/* Innermost inlined function first, the real one last, however many; none without a binary. Reused
 * from one address to the next; starts as {0}. */
struct code_frames {
    VEC(struct source_frame);
};

/* The module is the scene's. */
void code_frames_find(struct code_frames *frames, const struct scene *scene, uint32_t module,
                      uint64_t at);
