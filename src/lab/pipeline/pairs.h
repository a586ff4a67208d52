/* Wasted slots of issue as pairs of ProfileMe estimate them (records/named.h), beside the truth,
 * instruction by instruction. */
#pragma once

#include "records/ledger.h"
#include "model/pmu/profileme.h"
#include "model/pmu/truth.h"

struct model;

struct pairs {
    struct truth truth;
    struct profileme *unit;
    struct ledger ledger;
    uint32_t width; /* slots of issue a cycle */
};

/* limit: of instructions that are kept apart. */
bool pairs_open(struct pairs *pairs, const struct model *model, uint64_t interval, size_t limit,
                struct err *err);
void pairs_release(struct pairs *pairs);

void pairs_see(struct pairs *pairs, const struct pmu_step *step);
/* Before anything is asked. */
void pairs_finish(struct pairs *pairs);

/* Slots that were wasted while an instruction was in progress, all times together; one of truth's
 * rows. */
double pairs_wasted(const struct pairs *pairs, const struct truth_row *row);
/* What pairs say. records: of the instruction, sides of pairs. Not a number: it has none. */
struct metric_estimate pairs_estimate(const struct pairs *pairs, struct avma at,
                                      uint64_t *ret_records);
