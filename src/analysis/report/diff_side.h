/* One side of a diff: the weights of its parts, and the estimates from them. */
#pragma once

#include "analysis/report/diff.h"
#include "analysis/report/plain.h"

/* A function, or an instruction of one. Which of the two sums is in use depends on the mode. */
struct diff_part {
    uint32_t pair; /* of diff.modules */
    uint32_t name; /* of diff.names */
    uint32_t module;
    function_id function;
    uint64_t at;
    struct diff_sum {
        struct quantity quantity;
        struct groups groups; /* plain profiles */
    } sum;
};

struct diff_side {
    const struct profile *profile;
    struct scene *scene;
    struct plain plain; /* of plain profiles */
    enum weight weight;
    VEC(struct diff_part); /* by pair, name, address */
};

struct diff_gathering {
    struct diff *diff;
    const uint32_t *pair_of; /* module of the scene -> pair */
};

bool diff_side_open(struct diff_side *side, struct scene *scene, enum weight weight,
                    struct err *err);
/* instructions: else whole functions. */
void diff_side_gather(struct diff_side *side, const struct diff_gathering *gathering,
                      bool instructions);
void diff_side_close(struct diff_side *side);

void diff_sum_add(struct diff_sum *sum, const struct diff_sum *more);
bool diff_sum_any(const struct diff_side *side, const struct diff_sum *sum);
struct estimate diff_amount(const struct diff_side *side, const struct diff_sum *sum);
struct estimate diff_share(const struct diff_side *side, const struct diff_sum *sum);
/* Seconds or instructions in all. */
double diff_total(const struct diff_side *side);
/* How many degrees of freedom its intervals have; 0: none, they are exact. */
uint64_t diff_degrees(const struct diff_side *side);
