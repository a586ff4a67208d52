/* Checks a trace: every superblock must begin where the exit before it went, from the first to the
 * last of each thread.
 *
 * Direct exits have known targets. The target of an indirect exit or a return is only known from
 * what follows, and is checked at the ends of passages. Signals make a thread continue elsewhere:
 * such breaks are at the ends of passages, and are counted separately. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "consumers/consumer.h"

struct trace_verdict {
    uint64_t threads, passages, exits;
    uint64_t breaks; /* passages that begin elsewhere than the one before ended */
    uint64_t astray; /* errors: superblocks that cannot follow the exit before them */
    /* of the first error: where it began, and where it should have begun */
    uint64_t at, expected;
};

/* Addresses by number, from 1, so that entries are small. */
struct trace_check_exit {
    uint32_t start;  /* of its superblock; 0: nobody's exit */
    uint32_t target; /* 0: anywhere */
};

struct trace_check {
    struct consumer consumer;
    struct map numbers; /* avma: index + 1 is the number */
    struct {
        VEC(struct trace_check_exit);
    } exits;         /* by id */
    size_t followed; /* superblocks that `exits` has */
    struct trace_verdict verdict;
};

void trace_check_init(struct trace_check *check, const struct units *units);
void trace_check_release(struct trace_check *check);

void trace_verdict_add(struct trace_verdict *sum, const struct trace_verdict *more);
