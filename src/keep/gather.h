/* Takes from the files of modules what a profile needs of them to be shown elsewhere: of every
 * function that it has anything to say about, name, code, lines and inlined functions; of functions
 * that these call, the name. */
#pragma once

#include "base/memory.h"
#include "profile/kept.h"

#include <stdbool.h>

struct places;
struct profile;

/* What a recording that somebody waits for leaves out. */
enum gather_depth {
    GATHER_QUICK, /* lines only where reading them takes no more than a few milliseconds */
    GATHER_ALL,
};

struct keep_result {
    struct kept_parts kept; /* of the profile's modules */
    struct arena arena;
    size_t without_lines; /* modules whose lines would have taken too long */
};

/* Modules that are not there, or are another build, are left out. */
void gather(struct keep_result *gathered, const struct profile *profile,
            const struct places *places, enum gather_depth depth);
void keep_result_release(struct keep_result *gathered);
