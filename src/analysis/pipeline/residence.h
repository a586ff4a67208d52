/* Where lines of data were when a window that uses them began. Nobody saw what the instructions
 * between two windows did to the caches.
 *
 * Windows are a sample of the run, so a line that is expected in c of W windows is used once in
 * W / c stretches as long as a window. As many other lines were used in between as that many
 * windows hold, which is measured. If a cache has room for them, the line was still there.
 *
 * A line that was seen in few windows was seen there by chance: of a million lines, each as likely
 * as any other, those that two windows share are used no more often than the rest. So what is
 * expected of lines seen c times is measured, for each instruction, by how many were seen c + 1
 * times (Good and Turing): (c + 1) N[c + 1] / N[c]. How many lines there are follows from those
 * seen once and twice (Chao). Windows of a chase or a stream share a lot or nothing, and often
 * nothing; but its lines lie in pages and larger pieces, which are few and come again, and there
 * are at most as many lines as fit into all pieces. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "model/core/model.h"

#include <stdint.h>

struct core;
struct windows;

enum { RESIDENCE_SCALES = 3, RESIDENCE_RARE = 3 };

/* A line; or a piece of 64 or 1024 lines, as one instruction uses it. */
struct residence_piece {
    uint32_t windows; /* that use it */
    uint32_t stamp;   /* the last of them, + 1 */
    uint32_t user;    /* which used it first in that window */
};
/* Different pieces; those that 1, 2 ... windows use. */
struct residence_seen {
    uint64_t pieces, times[RESIDENCE_RARE + 1];
};
/* An instruction. */
struct residence_user {
    struct residence_seen seen[RESIDENCE_SCALES];
    double expected[RESIDENCE_RARE]; /* windows that use a line that 1, 2 ... were seen to use */
};

struct residence {
    const struct model *model;
    struct residence_scale {
        struct map keys; /* of lines; of pieces with their users */
        VEC(struct residence_piece);
    } scales[RESIDENCE_SCALES];
    struct map places; /* of instructions */
    struct residence_users {
        VEC(struct residence_user);
    } users;
    struct residence_user all;
    uint64_t uses; /* of lines, each once a window */
    struct residence_curve {
        VEC(uint64_t);
    } curve;          /* different lines in the first windows */
    uint64_t windows; /* that have addresses */
};

/* Looks through all windows. */
void residence_make(struct residence *residence, const struct windows *windows,
                    const struct model *model);
void residence_release(struct residence *residence);
/* How many lines its instruction uses, seen or not. */
double residence_lines(const struct residence_user *user);
/* Puts the lines that this window uses where they were; to be called once for each window, in their
 * order. */
void residence_place(struct residence *residence, const struct windows *windows, size_t index,
                     struct core *core);
