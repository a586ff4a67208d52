#include "analysis/counts/ties.h"

struct tier {
    struct ties *ties;
    const struct problem_parts *parts;
    const struct profile *profile;
    const struct symbols *symbols;
    const struct infer_problem *problem;
    uint32_t own;
    uint64_t start;
};

/* The problem of the function that starts there. */
static uint32_t callee_at(const struct tier *tier, uint64_t at)
{
    function_id function = symbols_find(tier->symbols, (struct svma){at});
    if (function == FUNCTION_NONE || tier->symbols->functions.at[function].start.v != at)
        return TIES_NONE;
    return tier->ties->index[function];
}

static void call_add(struct tier *tier, const struct infer_call *call)
{
    if (call->callee != TIES_NONE && call->seen)
        *vec_push(tier->ties->calls) = *call;
}

/* ---- as the code says */

static void direct_add(struct tier *tier)
{
    static const uint8_t kinds[] = {[INSTRUCTION_CALL] = EDGE_CALL,
                                    [INSTRUCTION_JUMP] = EDGE_JUMP,
                                    [INSTRUCTION_COND] = EDGE_TAKEN};
    const struct cfg *cfg = tier->parts->cfg;
    for (uint32_t i = 0; i < cfg->instructions.n; i++) {
        const struct instruction *at = &cfg->instructions.at[i];
        bool jumps = at->kind == INSTRUCTION_JUMP || at->kind == INSTRUCTION_COND;
        if (at->kind != INSTRUCTION_CALL && !(jumps && !cfg_covers(cfg, at->target)))
            continue;
        call_add(tier, &(struct infer_call){.caller = tier->own,
                                            .callee = callee_at(tier, at->target.v),
                                            .block = cfg->block_of[i],
                                            .jumps = jumps,
                                            .seen = 1,
                                            .of = 1,
                                            .at = at->at.v,
                                            .kind = kinds[at->kind]});
    }
}

/* ---- as was seen */

static bool is_jump(const struct edge_key *key)
{
    return key->kind == EDGE_JUMP || key->kind == EDGE_TAKEN || key->kind == EDGE_IJUMP;
}

static bool is_call(const struct edge_key *key)
{
    return key->kind == EDGE_CALL || key->kind == EDGE_ICALL;
}

static bool to_here(const struct tier *tier, const struct edge_key *key)
{
    return scene_module(tier->parts->scene, tier->parts->side, key->to_module) ==
           tier->parts->function->module;
}

/* An indirect call, or an indirect jump that leaves the function. */
static bool is_indirect(const struct tier *tier, const struct touch *touch,
                        const struct edge_key *key)
{
    if (touch->kind != TOUCH_OUT)
        return false;
    return key->kind == EDGE_ICALL ||
           (key->kind == EDGE_IJUMP &&
            !(to_here(tier, key) && cfg_covers(tier->parts->cfg, key->to)));
}

typedef void record_visit(struct tier *tier, const struct touch *touch, const struct edge_key *key,
                          uint64_t count, void *context);

static void records_visit(struct tier *tier, record_visit *visit, void *context)
{
    const struct scene_function *function = tier->parts->function;
    const struct table *edges = &tier->profile->edges;
    for (size_t i = 0; i < function->n_touches; i++) {
        const struct touch *touch = &tier->parts->scene->touches.at[function->first_touch + i];
        if (touch->side == tier->parts->side &&
            (touch->kind == TOUCH_IN || touch->kind == TOUCH_OUT))
            visit(tier, touch, map_key(&edges->keys, touch->record), edges->at[touch->record].count,
                  context);
    }
}

/* All that a place was seen to call, wherever it is. */
struct places {
    struct map keys;
    VEC(uint64_t);
};

static void place_sum(struct tier *tier, const struct touch *touch, const struct edge_key *key,
                      uint64_t count, void *context)
{
    struct places *places = context;
    if (!is_indirect(tier, touch, key))
        return;
    uint32_t place = map_add(&places->keys, &key->from);
    if (place == places->n)
        *vec_push(places) = 0;
    places->at[place] += count;
}

static void indirect_add(struct tier *tier, const struct touch *touch, const struct edge_key *key,
                         uint64_t count, void *context)
{
    const struct places *places = context;
    uint32_t at = cfg_find(tier->parts->cfg, key->from);
    if (!is_indirect(tier, touch, key) || !to_here(tier, key) || at == INSTRUCTION_NONE)
        return;
    call_add(tier, &(struct infer_call){.caller = tier->own,
                                        .callee = callee_at(tier, key->to.v),
                                        .block = tier->parts->cfg->block_of[at],
                                        .jumps = key->kind == EDGE_IJUMP,
                                        .seen = count,
                                        .at = key->from.v,
                                        .kind = (uint8_t)key->kind,
                                        .of = places->at[map_find(&places->keys, &key->from)]});
}

/* ---- from elsewhere */

struct arrivals {
    uint64_t all, elsewhere;
};

static void arrival_sum(struct tier *tier, const struct touch *touch, const struct edge_key *key,
                        uint64_t count, void *context)
{
    struct arrivals *arrivals = context;
    bool here = to_here(tier, key) && key->to.v == tier->start;
    bool arrives = touch->kind == TOUCH_IN ? is_call(key) || is_jump(key) : is_call(key);
    if (!here || !arrives)
        return;
    arrivals->all += count;
    if (scene_module(tier->parts->scene, tier->parts->side, key->from_module) !=
        tier->parts->function->module)
        arrivals->elsewhere += count;
}

/* Of a part of a program (--only), callers are not known, and all that was seen to arrive comes
 * from elsewhere. */
static void all_add(struct tier *tier)
{
    uint32_t entry = tier->problem->entry;
    if (entry != BLOCK_NONE)
        call_add(tier, &(struct infer_call){.caller = INFER_ELSEWHERE,
                                            .callee = tier->own,
                                            .seen = tier->problem->blocks.at[entry].entered.seen,
                                            .kind = EDGE_CALL});
}

/* What no call explains came from the system, or straight on from the code before; or a window just
 * began there, which happens once or twice. */
static void elsewhere_add(struct tier *tier)
{
    struct arrivals arrivals = {0};
    uint32_t entry = tier->problem->entry;
    if (entry == BLOCK_NONE)
        return;
    records_visit(tier, arrival_sum, &arrivals);
    uint64_t entered = tier->problem->blocks.at[entry].entered.seen;
    uint64_t rest = entered > arrivals.all ? entered - arrivals.all : 0;
    if (rest > 2 * tier->problem->grain)
        arrivals.elsewhere += rest;
    call_add(tier, &(struct infer_call){.caller = INFER_ELSEWHERE,
                                        .callee = tier->own,
                                        .seen = arrivals.elsewhere,
                                        .kind = EDGE_CALL});
}

void ties_add(struct ties *ties, const struct problem_parts *parts, uint32_t own,
              const struct infer_problem *problem)
{
    const struct binary *binary = parts->scene->modules.at[parts->function->module].binary;
    struct tier tier = {.ties = ties,
                        .parts = parts,
                        .profile = parts->scene->sides[parts->side],
                        .symbols = &binary->symbols,
                        .problem = problem,
                        .own = own,
                        .start = binary->symbols.functions.at[parts->function->function].start.v};
    struct places places = {0};
    if (profile_fact_find(tier.profile, "only")) {
        all_add(&tier);
        return;
    }
    map_init(&places.keys, sizeof(uint64_t));
    direct_add(&tier);
    records_visit(&tier, place_sum, &places);
    records_visit(&tier, indirect_add, &places);
    elsewhere_add(&tier);
    map_release(&places.keys);
    vec_release(&places);
}
