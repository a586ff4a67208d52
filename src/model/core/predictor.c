#include "model/core/predictor.h"

#include "base/memory.h"
#include "model/core/lru.h"

#include <string.h>

enum { TABLES = 5, TAG_BITS = 11, TARGET_WAYS = 8 };

/* A branch with the history that went before it, in a table of one length of history. */
struct guess {
    uint16_t tag;
    int8_t taken; /* -3 to 4: above 0, it is; what is not known is not */
    uint8_t useful;
};

struct predictor {
    const struct model *model;
    uint32_t mask;
    uint32_t lengths[TABLES]; /* of history; the first is 0 */
    struct guess *tables[TABLES];
    struct lru targets; /* of taken branches: whether fetch knows them */
    uint64_t *indirect; /* by address and history */
    uint64_t *returns;
    uint32_t return_at;
    uint64_t history;    /* of all branches: 1 is taken */
    uint64_t directions; /* of conditional ones alone */
    uint32_t allocations;
};

struct predictor *predictor_make(const struct model *model)
{
    struct predictor *predictor = mem_alloc(sizeof *predictor);
    size_t entries = (size_t)1 << model->predictor_log2;
    predictor->model = model;
    predictor->mask = (uint32_t)entries - 1;
    /* Each table sees about twice the history of the one before, the last one all. */
    for (int i = TABLES - 1; i >= 0; i--) {
        predictor->lengths[i] = i == 0 ? 0 : model->history >> (TABLES - 1 - i);
        predictor->tables[i] = mem_alloc(entries * sizeof *predictor->tables[i]);
    }
    lru_init(&predictor->targets, entries, TARGET_WAYS);
    predictor->indirect = mem_alloc(entries * sizeof *predictor->indirect);
    predictor->returns = mem_alloc(model->return_stack * sizeof *predictor->returns);
    return predictor;
}

void predictor_free(struct predictor *predictor)
{
    for (int i = 0; i < TABLES; i++)
        mem_free(predictor->tables[i]);
    lru_release(&predictor->targets);
    mem_free(predictor->indirect);
    mem_free(predictor->returns);
    mem_free(predictor);
}

void predictor_copy(struct predictor *to, const struct predictor *from)
{
    size_t entries = (size_t)from->mask + 1;
    for (int i = 0; i < TABLES; i++)
        memcpy(to->tables[i], from->tables[i], entries * sizeof *from->tables[i]);
    lru_copy(&to->targets, &from->targets);
    memcpy(to->indirect, from->indirect, entries * sizeof *from->indirect);
    memcpy(to->returns, from->returns, from->model->return_stack * sizeof *from->returns);
    to->return_at = from->return_at;
    to->history = from->history;
    to->directions = from->directions;
    to->allocations = from->allocations;
}

uint64_t predictor_history(const struct predictor *predictor)
{
    return predictor->directions;
}

static uint64_t mix(uint64_t address, uint64_t history, uint32_t length)
{
    uint64_t seen = length >= 64 ? history : history & ((1ull << length) - 1);
    uint64_t x = (address ^ (seen + length) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return x ^ x >> 29;
}

struct lookup {
    struct guess *at[TABLES];
    uint16_t tags[TABLES];
    int longest; /* the table that knows the branch */
    bool taken;
};

static void look_up(struct predictor *predictor, uint64_t address, struct lookup *lookup)
{
    lookup->longest = 0;
    for (int i = 0; i < TABLES; i++) {
        uint64_t hash = mix(address, predictor->history, predictor->lengths[i]);
        lookup->at[i] = &predictor->tables[i][hash & predictor->mask];
        lookup->tags[i] = (uint16_t)(hash >> 40 & ((1 << TAG_BITS) - 1)) + 1;
        if (i && lookup->at[i]->tag == lookup->tags[i])
            lookup->longest = i;
    }
    lookup->taken = lookup->at[lookup->longest]->taken > 0;
}

static void train(struct guess *guess, bool taken)
{
    if (taken && guess->taken < 4)
        guess->taken++;
    else if (!taken && guess->taken > -3)
        guess->taken--;
}

/* A wrong guess asks for more history: an entry in one of the longer tables that nobody finds
 * useful. */
static void allocate(struct predictor *predictor, struct lookup *lookup, bool taken)
{
    enum { FORGET_EVERY = 4 };
    for (int i = lookup->longest + 1; i < TABLES; i++) {
        if (!lookup->at[i]->useful) {
            *lookup->at[i] = (struct guess){.tag = lookup->tags[i], .taken = taken ? 1 : 0};
            return;
        }
        if (++predictor->allocations % FORGET_EVERY == 0)
            lookup->at[i]->useful--;
    }
}

static bool conditional(struct predictor *predictor, uint64_t address, bool taken)
{
    struct lookup lookup;
    look_up(predictor, address, &lookup);
    struct guess *guess = lookup.at[lookup.longest];
    bool right = lookup.taken == taken;
    if (right && lookup.longest && guess->useful < 3)
        guess->useful++;
    train(guess, taken);
    if (!right)
        allocate(predictor, &lookup, taken);
    return right;
}

static uint64_t indirect(struct predictor *predictor, uint64_t address, uint64_t target)
{
    enum { INDIRECT_HISTORY = 8 };
    uint64_t hash = mix(address, predictor->history, INDIRECT_HISTORY);
    uint64_t *slot = &predictor->indirect[hash & predictor->mask], guess = *slot;
    *slot = target;
    return guess;
}

static uint64_t returns(struct predictor *predictor)
{
    uint32_t n = predictor->model->return_stack;
    predictor->return_at = (predictor->return_at + n - 1) % n;
    return predictor->returns[predictor->return_at];
}

uint32_t predictor_see(struct predictor *predictor, const struct core_insn *insn,
                       const struct core_fact *fact, uint64_t *ret_guess)
{
    uint64_t guess = 0;
    uint32_t n = predictor->model->return_stack;
    bool right = true, taken = insn->kind != INSN_COND || fact->taken;
    if (insn->kind == INSN_COND)
        right = conditional(predictor, fact->at.v, taken);
    else if (insn->kind == INSN_INDIRECT || insn->kind == INSN_CALL_INDIRECT)
        guess = indirect(predictor, fact->at.v, fact->next.v);
    else if (insn->kind == INSN_RETURN)
        guess = returns(predictor);
    if (insn->kind == INSN_INDIRECT || insn->kind == INSN_CALL_INDIRECT ||
        insn->kind == INSN_RETURN)
        right = guess == fact->next.v;
    *ret_guess = guess;
    if (insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT) {
        predictor->returns[predictor->return_at] = fact->at.v + insn->length;
        predictor->return_at = (predictor->return_at + 1) % n;
    }
    predictor->history = predictor->history << 1 | taken;
    if (insn->kind == INSN_COND)
        predictor->directions = predictor->directions << 1 | taken;
    uint32_t events = (right ? 0 : CORE_MISPREDICT) | (taken ? CORE_TAKEN : 0);
    if (taken && !lru_find(&predictor->targets, fact->at.v)) {
        lru_put(&predictor->targets, fact->at.v, 0);
        events |= right ? CORE_NEW_TARGET : 0;
    }
    return events;
}
