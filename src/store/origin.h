/* What a recording is known by in a store. */
#pragma once

#include "profile/profile.h"

enum { BUILD_HEX = 2 * 20 + 1, NAME_BYTES = 208 };

struct origin {
    const char *machine, *service; /* of the arena of the profile, or as given */
    char build[BUILD_HEX];         /* the build-id of the service's program; "" if it has none */
    const char *kind;              /* mode and event: profiles of one kind can be merged */
    uint64_t begin_ns, end_ns;     /* Unix time; 0: not known */
};

/* Finds out; `machine` and `service`, if not NULL, are told by the user. */
void origin_find(struct profile *profile, const char *machine, const char *service,
                 struct origin *ret_origin);

#define DAY_NS 86400000000000u
/* Days since 1970. */
static inline int64_t origin_day(uint64_t ns)
{
    return (int64_t)(ns / DAY_NS);
}

/* The build-id as lower-case digits. */
void build_text(const struct module *module, char ret_text[BUILD_HEX]);
