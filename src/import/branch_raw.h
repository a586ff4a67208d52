/* Branch records as llvm-profgen takes them, for exports with --raw: in profile->runs.
 *
 * Of each module by itself, records count that lead from or to an instruction of it (insn/sweep.h);
 * the others are as if they were not there, and what is no instruction is elsewhere. A record that
 * leads to an instruction is a branch; from there to where the record after it came from is a run,
 * if nothing between always goes elsewhere. So records that cannot have happened count, too, where
 * llvm-profgen cannot see that; branch_records.h leaves them out. */
#pragma once

#include "base/vec.h"
#include "program/insn/sweep.h"
#include "process/mappings.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_space;

/* Where the last record of the open sample that a module has came from. */
struct branch_source {
    uint32_t module;
    bool is_code;
    struct svma at;
};

struct branch_raw {
    struct perf_space *space;
    uint64_t times;
    struct branch_sweeps {
        VEC(struct branch_sweep {
            bool made;
            struct sweep sweep;
        });
    } sweeps; /* by module of the profile */
    struct branch_sources {
        VEC(struct branch_source);
    } sources;
};

void branch_raw_init(struct branch_raw *raw, struct perf_space *space);
void branch_raw_release(struct branch_raw *raw);

/* A sample, that counts so often. */
void branch_raw_begin(struct branch_raw *raw, uint64_t times);
/* The next record of the sample, older than the one before; an end that is no user code has no
 * module. */
void branch_raw_add(struct branch_raw *raw, struct place from, struct place to);
