/* Where lines of data were when a window that uses them began. Nobody saw what the instructions
 * between two windows did to the caches.
 *
 * Windows are a sample of the run, so a line in c of W windows is used once in W / c stretches as
 * long as a window. As many other lines were used in between as that many windows hold, which is
 * measured. If a cache has room for them, the line was still there. For lines that were seen once,
 * the instruction that used them says how many similar lines there are: of F lines, T uses show D,
 * with D = F (1 - exp(-T / F)). */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "model/core/model.h"

#include <stdint.h>

struct core;
struct windows;

struct residence_line {
    uint32_t windows; /* that use it */
    uint32_t stamp;   /* the last of them, + 1 */
};
/* Uses of lines, each line once a window; and different lines. */
struct residence_user {
    uint64_t uses, lines;
};

struct residence {
    const struct model *model;
    struct map keys; /* of lines */
    struct residence_lines {
        VEC(struct residence_line);
    } lines;
    struct map places; /* of instructions */
    struct residence_users {
        VEC(struct residence_user);
    } users;
    struct residence_user all;
    struct residence_curve {
        VEC(uint64_t);
    } curve;          /* different lines in the first windows */
    uint64_t windows; /* that have addresses */
};

/* Looks through all windows. */
void residence_make(struct residence *residence, const struct windows *windows,
                    const struct model *model);
void residence_release(struct residence *residence);
/* How many lines there are, if so many uses show so many; INFINITY: too few came again to tell. */
double residence_lines(const struct residence_user *user);
/* Puts the lines that this window uses where they were; to be called once for each window, in their
 * order. */
void residence_place(struct residence *residence, const struct windows *windows, size_t index,
                     struct core *core);
