/* One window as the core went it, step by step, to be gone again with something changed.
 *
 * Facts are those of the first time: addresses, targets and quotients stay what they were. Without
 * changes it takes as many cycles as the first time, exactly. */
#pragma once

#include "analysis/whatif/traits.h"
#include "base/vec.h"
#include "model/core/core.h"
#include "model/replay/replay.h"

#include <stdint.h>

/* What happens to a step. The low bits: enum core_change. */
enum course_act {
    ACT_CHANGES = 0x0f,
    ACT_SKIP = 1 << 4,  /* it does not run */
    ACT_OTHER = 1 << 5, /* another instruction in its place */
    ACT_WIDER = 1 << 6, /* it works on twice as many bytes */
};

struct course_step {
    uint32_t insn; /* index in the code */
    uint32_t id;
    bool warming;
    struct core_fact fact;
};

struct whatif_course {
    struct replay_listener listener; /* hears the first time */
    struct core_code *code;
    VEC(struct course_step);
    struct core *before, *again;
    uint64_t began, ended; /* retirement of the last step that warms, and of the last */
    struct course_acts {
        VEC(uint8_t);
    } acts; /* of each step */
    uint64_t gone;
};

void course_init(struct whatif_course *course, struct core_code *code);
void course_release(struct whatif_course *course);
/* The core is about to go a window. */
void course_begin(struct whatif_course *course, const struct core *core);
uint64_t course_cycles(const struct whatif_course *course);
/* All steps run as they did. */
void course_acts_clear(struct whatif_course *course);
/* With these acts; cycles of what counts. `other` is for ACT_OTHER. */
uint64_t course_again(struct whatif_course *course, const struct core_insn *other);
const struct code_insn *course_insn(const struct whatif_course *course, size_t step);
