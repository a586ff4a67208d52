/* How often each instruction of a module was seen to run: the sum of the recorded straight runs
 * that go over it. Where a window ends inside a block, behind a call for example, its parts differ.
 */
#pragma once

#include "base/vec.h"

#include <stdint.h>

struct profile;

struct coverage_step {
    uint64_t at;    /* svma: from here on, */
    uint64_t count; /* so often, in units of the profile */
};

struct coverage {
    VEC(struct coverage_step); /* by address */
};

/* module: of the profile. May be called for several modules that are one. */
void coverage_add(struct coverage *coverage, const struct profile *profile, uint32_t module);
/* When all are added. */
void coverage_settle(struct coverage *coverage);
uint64_t coverage_count(const struct coverage *coverage, uint64_t at);
void coverage_release(struct coverage *coverage);
