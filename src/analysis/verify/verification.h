/* The result of verifying a profile (verify.h). */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define CHECKS(CHECK)                                                                              \
    CHECK(edge, "an edge that the disassembly cannot make")                                        \
    CHECK(target, "an edge to where no instruction is")                                            \
    CHECK(range, "a range that does not decode as it says")                                        \
    CHECK(sums, "sums that cannot be")                                                             \
    CHECK(arrivals, "arrivals and runs that start there differ")                                   \
    CHECK(departures, "runs that end there and departures differ")                                 \
    CHECK(node, "a stack through where no code is")                                                \
    CHECK(call, "a caller that is at no call")                                                     \
    CHECK(course, "a trace whose superblocks do not follow each other")                            \
    CHECK(file, "bytes of the file have changed")

enum verify_check {
#define CHECK_ENUM(name, text) CHECK_##name,
    CHECKS(CHECK_ENUM)
#undef CHECK_ENUM
        CHECK_N
};
const char *verify_check_name(enum verify_check check);
const char *verify_check_text(enum verify_check check);

struct problem {
    enum verify_check check;
    const char *text;
};

struct verification {
    struct arena arena;
    uint64_t edges, ranges, places; /* checked */
    uint64_t trips;                 /* lengths of runs of loops, checked */
    uint64_t nodes;                 /* of stacks, checked */
    uint64_t skipped;               /* records of modules without a binary */
    bool patched;     /* the program changed code of its files: what contradicts these is skipped */
    uint64_t returns; /* executed; that they arrive is told without whence */
    uint64_t open;    /* passages into and out of what is not recorded */
    uint64_t left;    /* of these, where a thread left or was killed */
    uint64_t found[CHECK_N];
    VEC(struct problem); /* the first PROBLEMS_SHOWN of each check */
};

enum { PROBLEMS_SHOWN = 20 };

void verification_release(struct verification *verdict);
bool verification_good(const struct verification *verdict);

/* Counts a problem, and keeps its text if it is one of the first. */
__attribute__((format(printf, 3, 4))) void verification_problem(struct verification *verdict,
                                                                enum verify_check check,
                                                                const char *format, ...);
