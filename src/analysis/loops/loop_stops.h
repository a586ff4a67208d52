/* What keeps an innermost loop from being vectorised, as far as windows and its code show. */
#pragma once

#include "analysis/loops/loop_row.h"

enum loop_stop {
    STOP_VECTORISED, /* nothing: it is */
    STOP_CALL,       /* a call in the body */
    STOP_DISPATCH,   /* calls through a pointer, of several functions */
    STOP_CARRIED,    /* an iteration loads what an earlier one stored */
    STOP_CHASE,      /* a load has the address of the next iteration's */
    STOP_SUM,        /* floating-point operations in a fixed order */
    STOP_IRREGULAR,  /* addresses without a stride */
    STOP_STRIDE,     /* addresses with gaps between them */
    STOP_BRANCH,     /* a branch in the body that goes both ways */
    STOP_END,        /* it ends by data, not by a counter */
    STOP_SHORT,      /* few iterations */
    LOOP_STOPS
};

/* One reason, and where it is. */
struct loop_reason {
    enum loop_stop stop;
    uint64_t at;    /* svma of the instruction; 0: none */
    double part;    /* how often, of 1: of iterations, of steps, of a branch's executions */
    int64_t figure; /* distance, stride in bytes, bytes of a vector */
    uint32_t other; /* index in the row's carried or calls */
};

enum { LOOP_REASONS = 12 };
struct loop_reasons {
    uint32_t n; /* 0: nothing was seen that stops it */
    struct loop_reason at[LOOP_REASONS];
};

/* "carried" and so on; and what to do about it, a sentence. */
const char *loop_stop_name(enum loop_stop stop);
const char *loop_stop_fix(enum loop_stop stop);
/* What to do if nothing stops it. */
extern const char loop_free_fix[];

/* Most of the time a reason is there in nearly all iterations, or it does not count. */
void loop_reasons_find(struct loop_reasons *reasons, const struct loop_row *row);
