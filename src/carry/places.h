/* Maps addresses of the old build to the new one: instructions, and return addresses in stacks. A
 * function is read when one of its addresses is first looked up. */
#pragma once

#include "base/map.h"
#include "carry/functions.h"
#include "carry/pair.h"

struct carry_places {
    const struct scene *scene;
    uint32_t module;             /* of the scene: the old build */
    const struct binary *binary; /* the new one */
    struct carry_functions functions;
    bool *known;     /* for each function of the old build: its addresses are in `keys` */
    struct map keys; /* uint64_t: old address */
    struct carry_targets {
        VEC(uint64_t);
    } targets;         /* for each of keys */
    struct map behind; /* uint64_t: old addresses that calls come back to */
};

void carry_places_open(struct carry_places *places, const struct scene *scene, uint32_t module,
                       const struct binary *binary);
void carry_places_close(struct carry_places *places);

/* The function's new partner; FUNCTION_NONE: none. */
function_id carry_places_function(const struct carry_places *places, function_id function);
/* Takes note of where a function's instructions are. */
void carry_places_add(struct carry_places *places, function_id function,
                      const struct carry_pair *pair);
/* False: the address has no place in the new build. */
bool carry_places_find(struct carry_places *places, uint64_t at, uint64_t *ret_at);
/* Whether a call stands before the address; of functions that have been looked at. */
bool carry_places_behind(const struct carry_places *places, uint64_t at);
