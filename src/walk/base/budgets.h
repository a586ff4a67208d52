/* What plain copies have executed, by the budgets that their exits charged (struct context).
 *
 * A budget counts payments in its low bits, and so may take part in no more of them than these
 * hold; all of them together may. Budgets of BUDGET_MOST instructions or less cannot have more,
 * since each payment is for an instruction or more, on average. */
#pragma once

#include "walk/base/context.h"

enum { BUDGET_PAYMENTS = (1 << BUDGET_BITS) - 1, BUDGET_MOST = BUDGET_PAYMENTS };

struct spent {
    uint64_t instructions;
    uint64_t direct, indirect; /* payments by such exits */
};

/* The walk ends when one budget has been charged so many instructions. */
static inline void budgets_begin(struct context *context, int64_t each)
{
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = -(each * (INT64_C(1) << BUDGET_BITS));
}

/* Adds the instructions that each was charged since it was begun with as many. Some may have paid
 * for others in advance: less than nothing is nothing. */
static inline void budgets_add(const struct context *context, int64_t each,
                               uint64_t sums[CONTEXT_BUDGETS])
{
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++) {
        int64_t charged = (context->budgets[i] >> BUDGET_BITS) + each;
        sums[i] += charged > 0 ? (uint64_t)charged : 0;
    }
}

/* Since they were begun with as many. */
static inline struct spent budgets_spent(const struct context *context, int64_t each)
{
    int64_t instructions = 0;
    uint64_t payments[2] = {0, 0};
    for (uint32_t i = 0; i < CONTEXT_BUDGETS; i++) {
        int64_t charged = context->budgets[i] + each * (INT64_C(1) << BUDGET_BITS);
        instructions += charged >> BUDGET_BITS;
        payments[i / (CONTEXT_BUDGETS / 2)] += (uint64_t)charged & BUDGET_PAYMENTS;
    }
    return (struct spent){.instructions = instructions > 0 ? (uint64_t)instructions : 0,
                          .direct = payments[0],
                          .indirect = payments[1]};
}
