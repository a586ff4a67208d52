/* Takes from the files of modules what a profile needs of them to be shown elsewhere: of every
 * function that it has anything to say about, name, code, lines and inlined functions; of functions
 * that these call, the name. */
#pragma once

#include "base/memory.h"
#include "profile/kept.h"

#include <stdbool.h>

struct gather_ahead;
struct places;
struct profile;

/* How much. */
struct gather_wish {
    unsigned patience; /* 0: all, however long it takes; n: which unnamed pieces belong together,
                          only where finding out takes n times a few milliseconds */
    unsigned lines;    /* likewise of lines and inlined functions: n milliseconds or so */
    bool no_paths;     /* without what numbers of paths depend on: there are none */
    uint64_t cpu_ns;   /* 0: all modules; else none more once so much CPU time is used, those with
                          the most places first */
};

struct keep_result {
    struct kept_parts kept; /* of the profile's modules */
    struct arena arena;
    size_t without_lines; /* modules whose lines would have taken too long */
    size_t left_out;      /* modules for which there was no time */
    bool anew;            /* nothing is packed: what was read ahead lacked lines */
};

/* Modules that are not there, or are another build, are left out. `ahead`: what was read while the
 * program ran, by the same wish; it is used up. NULL: nothing. */
void gather(struct keep_result *gathered, const struct profile *profile,
            const struct places *places, struct gather_wish wish, struct gather_ahead *ahead);
void keep_result_release(struct keep_result *gathered);
