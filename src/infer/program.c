#include "infer/program.h"

#include "wire/u128.h"

#include <stdlib.h>

void infer_program_release(struct infer_program *program)
{
    for (size_t i = 0; i < program->functions.n; i++)
        infer_release(&program->functions.at[i]);
    vec_release(&program->functions);
    vec_release(&program->calls);
}

/* ---- callers first */

/* Callees by caller, and the order of their circles (Tarjan), which are found callees first. */
struct order {
    const struct infer_program *program;
    uint32_t *first, *callees; /* by function; n + 1 of the first */
    uint32_t *met, *low, *circle;
    bool *open;
    uint32_t *stack, *path, *at; /* what is open; how it was come to; the next of its callees */
    uint32_t n_met, n_stack, n_circles;
    uint32_t *found; /* functions, callees first */
    uint32_t n_found;
};

static void order_open(struct order *order, const struct infer_program *program)
{
    size_t n = program->functions.n, calls = program->calls.n;
    uint32_t *memory = mem_alloc((9 * n + calls + 2) * sizeof *memory);
    *order = (struct order){.program = program,
                            .first = memory,
                            .met = memory + n + 1,
                            .low = memory + 2 * n + 1,
                            .circle = memory + 3 * n + 1,
                            .stack = memory + 4 * n + 1,
                            .path = memory + 5 * n + 1,
                            .at = memory + 6 * n + 1,
                            .found = memory + 7 * n + 1,
                            .callees = memory + 8 * n + 2,
                            .open = mem_alloc(n + 1)};
    for (size_t i = 0; i < calls; i++)
        if (program->calls.at[i].caller != INFER_ELSEWHERE)
            order->first[program->calls.at[i].caller + 1]++;
    for (size_t i = 0; i < n; i++)
        order->first[i + 1] += order->first[i];
    for (size_t i = 0; i < calls; i++) {
        const struct infer_call *call = &program->calls.at[i];
        if (call->caller != INFER_ELSEWHERE)
            order->callees[order->first[call->caller] + order->at[call->caller]++] = call->callee;
    }
}

static void order_close(struct order *order)
{
    mem_free(order->first);
    mem_free(order->open);
}

static void order_meet(struct order *order, uint32_t function)
{
    order->met[function] = order->low[function] = ++order->n_met;
    order->open[function] = true;
    order->stack[order->n_stack++] = function;
    order->at[function] = order->first[function];
}

static void circle_close(struct order *order, uint32_t function)
{
    uint32_t member;
    do {
        member = order->stack[--order->n_stack];
        order->open[member] = false;
        order->circle[member] = order->n_circles;
        order->found[order->n_found++] = member;
    } while (member != function);
    order->n_circles++;
}

static void order_visit(struct order *order, uint32_t root)
{
    uint32_t deep = 0;
    order_meet(order, root);
    order->path[deep++] = root;
    while (deep) {
        uint32_t function = order->path[deep - 1];
        if (order->at[function] < order->first[function + 1]) {
            uint32_t callee = order->callees[order->at[function]++];
            if (!order->met[callee]) {
                order_meet(order, callee);
                order->path[deep++] = callee;
            } else if (order->open[callee] && order->met[callee] < order->low[function]) {
                order->low[function] = order->met[callee];
            }
            continue;
        }
        deep--;
        if (order->low[function] == order->met[function])
            circle_close(order, function);
        if (deep && order->low[function] < order->low[order->path[deep - 1]])
            order->low[order->path[deep - 1]] = order->low[function];
    }
}

/* ---- ties */

static uint64_t part_of(uint64_t count, uint64_t seen, uint64_t of)
{
    return of ? (uint64_t)((u128)count * seen / of) : 0;
}

/* How often a call was made; of those that its own caller is not solved before, as often as it was
 * seen. */
static uint64_t call_count(const struct infer_program *program, const struct infer_call *call,
                           bool solved)
{
    if (call->caller == INFER_ELSEWHERE)
        return call->seen;
    const struct infer_block *block = &program->functions.at[call->caller].blocks.at[call->block];
    const struct infer_count *count = call->jumps ? &block->left : &block->ran;
    return part_of(solved ? count->inferred : count->seen, call->seen, call->of);
}

static int call_order(const void *a, const void *b)
{
    const struct infer_call *x = a, *y = b;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->seen != y->seen)
        return x->seen < y->seen ? -1 : 1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* What is called from solved functions alone is known as firmly as they are. */
static void entry_tie(struct infer_program *program, const struct order *order, uint32_t function,
                      const struct infer_call *calls, size_t n)
{
    struct infer_problem *problem = &program->functions.at[function];
    if (problem->entry == UINT32_MAX || !n)
        return;
    struct infer_count *entered = &problem->blocks.at[problem->entry].entered;
    uint64_t sum = 0;
    bool firm = true;
    for (size_t i = 0; i < n; i++) {
        bool solved = calls[i].caller != INFER_ELSEWHERE &&
                      order->circle[calls[i].caller] != order->circle[function];
        firm = firm && (solved || calls[i].caller == INFER_ELSEWHERE);
        sum += call_count(program, &calls[i], solved);
    }
    if (entered->firm)
        return;
    entered->seen = sum;
    entered->firm = firm;
}

/* Entries that were known otherwise, and those of circles, are shared out among the calls. */
static void calls_close(struct infer_program *program, const uint32_t *first)
{
    for (uint32_t i = 0; i < program->functions.n; i++) {
        const struct infer_problem *problem = &program->functions.at[i];
        uint64_t sum = 0;
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            struct infer_call *call = &program->calls.at[k];
            call->inferred = call_count(program, call, true);
            sum += call->inferred;
        }
        if (problem->entry == UINT32_MAX)
            continue;
        uint64_t entries = problem->blocks.at[problem->entry].entered.inferred;
        for (uint32_t k = first[i]; k < first[i + 1] && sum != entries; k++) {
            struct infer_call *call = &program->calls.at[k];
            uint64_t own = call->inferred;
            call->inferred = part_of(entries, own, sum);
            entries -= call->inferred;
            sum -= own;
        }
    }
}

void infer_program_solve(struct infer_program *program, enum infer_method method)
{
    struct order order;
    struct infer_calls *calls = &program->calls;
    size_t n = program->functions.n;
    if (calls->n)
        qsort(calls->at, calls->n, sizeof *calls->at, call_order);
    order_open(&order, program);
    for (uint32_t i = 0; i < n; i++)
        if (!order.met[i])
            order_visit(&order, i);
    uint32_t *first = mem_alloc((n + 1) * sizeof *first); /* by callee */
    for (size_t i = 0; i < calls->n; i++)
        first[calls->at[i].callee + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (size_t i = n; i-- > 0;) {
        uint32_t function = order.found[i];
        entry_tie(program, &order, function, calls->at + first[function],
                  first[function + 1] - first[function]);
        infer_solve(&program->functions.at[function], method);
    }
    calls_close(program, first);
    mem_free(first);
    order_close(&order);
}
