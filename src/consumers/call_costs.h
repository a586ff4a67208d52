/* What calls cost, the cost of what they called included: instructions from entering a function to
 * leaving it, for each call site and function.
 *
 * Of a function that runs already only the outermost activation counts. So the costs of all calls
 * to a function add up to what it cost together with all that it called, once, however often it
 * recurs. This is what callgrind shows for the first level of a recursion. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* No padding: compared by bytes. Functions have numbers from 1 on. */
struct call_key {
    uint32_t caller, callee; /* caller 0: not known, as of a thread's first function */
    uint64_t site;           /* svma of the last byte of the call; 0: not known */
};

struct call_cost {
    uint64_t calls, instructions;
};
struct call_costs {
    struct map keys; /* struct call_key */
    VEC(struct call_cost);
};

struct call_frame {
    uint32_t call;  /* of the costs */
    uint32_t depth; /* the activation in which it runs: a tail call runs in its caller's */
    uint64_t entered;
    bool outermost;
};
/* Of one thread. */
struct call_frames {
    uint64_t ran; /* instructions up to now */
    VEC(struct call_frame);
    struct {
        VEC(uint32_t);
    } active; /* for each function, how many of its frames there are */
};

void call_costs_init(struct call_costs *costs);
void call_costs_release(struct call_costs *costs);
void call_frames_release(struct call_frames *frames);

/* counts: it is a call, and not merely known to run. */
void call_enter(struct call_costs *costs, struct call_frames *frames, struct call_key key,
                uint32_t depth, bool counts);
/* Activations from that depth on have ended. */
void call_leave(struct call_costs *costs, struct call_frames *frames, uint32_t depth);
/* Control is back in the function, at that depth: what it had jumped to has ended. */
void call_resume(struct call_costs *costs, struct call_frames *frames, uint32_t depth,
                 uint32_t function);
