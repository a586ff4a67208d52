/* Who calls a function, or whom it calls, and how much of its cost each stands for.
 *
 * From stacks: CPU time, user and kernel. A stack with the function on it counts once. Its caller
 * is that of the outermost frame of the function, its callee that of the innermost, or the function
 * itself where it was interrupted in its own code. So parts add up to all of the function's time.
 *
 * From exact counts: calls; and with a trace instructions, callees included. */
#pragma once

#include "analysis/report/plain.h"

struct err;

enum relation { CALLERS, CALLEES };

struct relative {
    uint32_t module;  /* of the scene; MODULE_NONE: of none */
    const char *name; /* as linked; NULL: not known, as of a thread's first function */
    uint64_t at;      /* its start, 0: not known */
    bool itself;      /* code of the function, and no callee */
    bool kernel;
    struct groups user, beside; /* beside: kernel time */
    uint64_t calls, instructions;
};

struct relatives {
    struct scene *scene;
    enum relation relation;
    const char *pattern;
    const char *found;       /* the function, as linked; the first, if several are meant */
    uint32_t n_found;        /* so many functions are meant */
    bool exact, traced;      /* calls are known; instructions, too */
    struct plain plain;      /* of others */
    struct relative all;     /* the function with all that it called; calls of it */
    double user_s, kernel_s; /* of the whole profile: seconds, or events */
    VEC(struct relative);
};

/* Fails if the profile has neither stacks nor calls, or no such function. */
bool relatives_make(struct relatives *relatives, struct scene *scene, enum relation relation,
                    const char *pattern, struct err *err);
void relatives_release(struct relatives *relatives);

/* Of the function's cost. */
struct estimate relative_share(const struct relatives *relatives, const struct relative *relative);
/* Of all CPU time, or of all instructions. */
struct estimate relative_share_of_all(const struct relatives *relatives,
                                      const struct relative *relative);
/* Seconds, or events: user time, and that of the kernel. */
double relative_user(const struct relatives *relatives, const struct relative *relative);
double relative_kernel(const struct relatives *relatives, const struct relative *relative);
