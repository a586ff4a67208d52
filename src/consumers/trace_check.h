/* Checks a traced program: that every superblock begins where the exit before it went, from the
 * first to the last of each thread.
 *
 * Direct exits go where their segment says; where an indirect one or a return went is told by what
 * follows, and only checked at the ends of passages. Signals make a thread go on elsewhere: such
 * breaks are at the ends of passages, and counted apart. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "consumers/consumer.h"

/* What was checked, and found. */
struct trace_verdict {
    uint64_t threads, passages, exits;
    uint64_t breaks; /* passages that begin elsewhere than the one before ended */
    uint64_t astray; /* superblocks that cannot follow what was before them: errors */
    /* of the first of those: where it began, and where it should have */
    uint64_t at, expected;
};

/* Addresses by number, from 1: all that an exit needs is small. */
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
    size_t followed; /* superblocks of units that exits knows */
    struct trace_verdict verdict;
};

void trace_check_init(struct trace_check *check, const struct units *units);
void trace_check_release(struct trace_check *check);

void trace_verdict_add(struct trace_verdict *sum, const struct trace_verdict *more);
