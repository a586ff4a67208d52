/* Where stubs of the PLT lead: a call of memcpy goes by memcpy@plt, which nobody means. */
#pragma once

#include "analysis/counts/scene.h"

struct stub_target {
    uint32_t module; /* of the scene */
    uint64_t at;
    uint64_t count; /* jumps there */
};

struct stub_targets {
    const struct scene *scene;
    struct map keys; /* module and function of stubs that were seen to jump */
    VEC(struct stub_target);
};

/* Whether a stub of this name is one of a function of that name. */
bool stub_is_of(const char *stub, const char *name);
bool function_is_stub(const struct scene *scene, uint32_t module, function_id function);

void stub_targets_find(struct stub_targets *stubs, const struct scene *scene, uint32_t side);
void stub_targets_release(struct stub_targets *stubs);
/* Where most of its jumps led; NULL: it is no stub, or nothing is known. */
const struct stub_target *stub_target(const struct stub_targets *stubs, uint32_t module,
                                      function_id function);
