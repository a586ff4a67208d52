#include "paths/plan.h"

#include "base/memory.h"
#include "paths/ground.h"
#include "paths/number.h"
#include "paths/place.h"
#include "paths/spanning.h"

struct planner {
    const struct ground *ground;
    const struct cfg *cfg;
    const struct path_numbering *numbering;
    uint16_t ticks; /* flags of operations: the time is taken */
    const struct placed *placed;
    struct path_operations *out;
    bool *wanted; /* of each node: what is in the register is asked for in it or behind it */
    struct known *arrives; /* of each node: what is in it there */
};

/* What is in the register. */
struct known {
    enum known_kind { KNOWN_NONE, KNOWN_VALUE, KNOWN_VARIES } kind;
    uint64_t value;
};

/* ---- the register */

static struct known known_after(const struct planner *planner, struct known before, uint32_t arc)
{
    const struct placed *placed = &planner->placed[arc];
    if (placed->set)
        return (struct known){KNOWN_VALUE, placed->value};
    if (placed->add && before.kind == KNOWN_VALUE)
        before.value += placed->value;
    return before;
}

static void known_meet(struct known *here, struct known other, bool first)
{
    if (first)
        *here = other;
    else if (here->kind != other.kind || here->value != other.value)
        *here = (struct known){.kind = KNOWN_VARIES};
}

static void registers_follow(struct planner *planner)
{
    const struct path_numbering *numbering = planner->numbering;
    bool *met = mem_alloc(numbering->n * sizeof *met);
    for (uint32_t v = 0; v < numbering->n; v++)
        if (numbering->begins[v] != ARC_NONE) {
            planner->arrives[v] =
                known_after(planner, (struct known){KNOWN_NONE, 0}, numbering->begins[v]);
            met[v] = true;
        }
    for (uint32_t i = 0; i < numbering->n; i++) {
        uint32_t v = numbering->order[i];
        for (uint32_t a = numbering->first[v]; a < numbering->first[v + 1]; a++) {
            uint32_t to = numbering->arcs.at[a].to;
            if (numbering->arcs.at[a].kind != ARC_STEP)
                continue;
            known_meet(&planner->arrives[to], known_after(planner, planner->arrives[v], a),
                       !met[to]);
            met[to] = true;
        }
    }
    mem_free(met);
}

static bool arc_asks(const struct planner *planner, uint32_t arc)
{
    const struct placed *placed = &planner->placed[arc];
    if (placed->set)
        return false;
    return placed->add || placed->count ||
           (planner->numbering->arcs.at[arc].kind == ARC_STEP &&
            planner->wanted[planner->numbering->arcs.at[arc].to]);
}

static void wants_follow(struct planner *planner)
{
    const struct path_numbering *numbering = planner->numbering;
    for (uint32_t i = numbering->n; i-- > 0;) {
        uint32_t v = numbering->order[i];
        for (uint32_t a = numbering->first[v]; a < numbering->first[v + 1]; a++)
            planner->wanted[v] |= arc_asks(planner, a);
    }
}

/* ---- operations */

/* Where: an edge, or from PLAN_AT or PLAN_ARRIVAL. */
struct where {
    uint64_t from, to;
};

static struct wire_plan *operation(struct planner *planner, struct where where,
                                   enum plan_action action, uint64_t value)
{
    struct wire_plan *at = vec_push(planner->out);
    at->from = where.from;
    at->to = where.to;
    at->action = (uint8_t)action;
    at->value = (int64_t)value;
    return at;
}

static void count_put(struct planner *planner, struct where where, const struct placed *placed)
{
    struct wire_plan *count = operation(planner, where, PLAN_COUNT, placed->value);
    count->bits = placed->set ? PATH_COUNT_KNOWN : PATH_COUNT_SUM;
    count->flags = (uint16_t)(PLAN_ENDS | planner->ticks);
}

static void arc_put(struct planner *planner, struct where where, uint32_t arc)
{
    const struct placed *placed = &planner->placed[arc];
    if (placed->count)
        count_put(planner, where, placed);
    else if (placed->set)
        operation(planner, where, PLAN_SET, placed->value)->flags = planner->ticks;
    else if (placed->add)
        operation(planner, where, PLAN_ADD, placed->value);
}

static bool is_call(const struct instruction *instruction)
{
    return (instruction->kind == INSTRUCTION_CALL || instruction->kind == INSTRUCTION_ICALL) &&
           !instruction->no_return;
}

/* The register is put by where it is asked for behind the call and is not the same every time; the
 * time, if any is taken. */
static void call_put(struct planner *planner, const struct instruction *call, struct known known,
                     bool wanted)
{
    struct where behind = {PLAN_ARRIVAL, instruction_next(call).v};
    struct where before = {PLAN_AT, call->at.v};
    bool some = planner->ticks == PLAN_SOME;
    bool put_by = wanted && known.kind != KNOWN_VALUE;
    if (planner->ticks == PLAN_TICKS || put_by) {
        operation(planner, before, PLAN_KEEP, 0)->flags = planner->ticks | PLAN_ENDS;
        operation(planner, behind, PLAN_BACK, 0)->flags = planner->ticks;
        return;
    }
    operation(planner, before, some ? PLAN_KEEP : PLAN_NOTHING, 0)->flags =
        some ? PLAN_SOME | PLAN_TIME | PLAN_ENDS : PLAN_ENDS;
    if (some)
        operation(planner, behind, PLAN_BACK, 0)->flags = PLAN_SOME | PLAN_TIME;
    if (wanted)
        operation(planner, behind, PLAN_SET, known.value);
}

/* An arc, and what begins behind it. */
static void arcs_put(struct planner *planner, struct where where, uint32_t arc)
{
    const struct path_numbering *numbering = planner->numbering;
    const struct path_graph *graph = &planner->ground->graph;
    uint32_t to = graph->edges.at[numbering->arcs.at[arc].of].to;
    arc_put(planner, where, arc);
    if (numbering->arcs.at[arc].kind == ARC_BREAK && !graph->nodes.at[to].start)
        arc_put(planner, where, numbering->begins[to]);
}

/* The last instruction of a node goes on without a branch: what is to be done on the edge is done
 * before it. Behind it, if it is a call, which may not come back; unless it comes back twice. */
static void next_put(struct planner *planner, const struct instruction *last, uint32_t arc)
{
    const struct arc *at = &planner->numbering->arcs.at[arc];
    if (!is_call(last) || planner->ground->graph.edges.at[at->of].cut) {
        arcs_put(planner, (struct where){PLAN_AT, last->at.v}, arc);
        return;
    }
    bool wanted = arc_asks(planner, arc);
    if (wanted || planner->ticks)
        call_put(planner, last, planner->arrives[at->from], wanted);
    arcs_put(planner, (struct where){PLAN_ARRIVAL, instruction_next(last).v}, arc);
}

static void edge_put(struct planner *planner, const struct cfg_edge *edge, uint32_t arc)
{
    struct where where = {edge->from.v, edge->to.v};
    size_t before = planner->out->n;
    arcs_put(planner, where, arc);
    /* who comes by a jump does not come behind a call, though it may look so */
    if (before == planner->out->n && (edge->kind == CFG_CASE || edge->kind == CFG_INDIRECT))
        operation(planner, where, PLAN_NOTHING, 0);
}

static void out_put(struct planner *planner, const struct instruction *last, uint32_t arc)
{
    const struct arc *at = &planner->numbering->arcs.at[arc];
    if (at->kind == ARC_END) {
        struct svma to = planner->ground->ends.at[at->of].to;
        struct where where = {to.v ? last->at.v : PLAN_AT, to.v ? to.v : last->at.v};
        arc_put(planner, where, arc);
        /* it may lead into the middle of a path: what is counted then must not look like one */
        if (planner->ground->unsure && last->kind == INSTRUCTION_IJUMP && !to.v)
            operation(planner, where, PLAN_SET, PLAN_NO_PATH);
        return;
    }
    uint32_t edge = planner->ground->edges.at[at->of].edge;
    if (edge == EDGE_NONE || planner->cfg->edges.at[edge].kind == CFG_NEXT)
        next_put(planner, last, arc);
    else
        edge_put(planner, &planner->cfg->edges.at[edge], arc);
}

static void node_put(struct planner *planner, uint32_t v)
{
    const struct ground *ground = planner->ground;
    const struct path_numbering *numbering = planner->numbering;
    const struct ground_node *node = &ground->nodes.at[v];
    const struct instruction *first = ground_first(ground, planner->cfg, v);
    const struct instruction *last = ground_last(ground, planner->cfg, v);
    if (ground->graph.nodes.at[v].start && planner->ticks == PLAN_SOME &&
        first->at.v != planner->cfg->entry.v)
        operation(planner, (struct where){PLAN_ARRIVAL, first->at.v}, PLAN_BACK, 0)->flags =
            PLAN_SOME | PLAN_TIME;
    if (ground->graph.nodes.at[v].start)
        arc_put(planner, (struct where){PLAN_AT, first->at.v}, numbering->begins[v]);
    for (uint32_t i = 0; i + 1 < node->n && (planner->wanted[v] || planner->ticks); i++)
        if (is_call(&first[i]))
            call_put(planner, &first[i], planner->arrives[v], planner->wanted[v]);
    for (uint32_t a = numbering->first[v]; a < numbering->first[v + 1]; a++)
        out_put(planner, last, a);
}

void path_plan(const struct ground *ground, const struct cfg *cfg,
               const struct path_numbering *numbering, enum path_ticks ticks,
               struct path_operations *ret)
{
    static const uint16_t flags[] = {[TICKS_SOME] = PLAN_SOME, [TICKS_ALL] = PLAN_TICKS};
    struct spanning tree;
    spanning_make(&tree, numbering);
    struct placed *placed = place_make(numbering, &ground->graph, &tree, ticks);
    spanning_release(&tree);
    struct planner planner = {.ground = ground,
                              .cfg = cfg,
                              .numbering = numbering,
                              .ticks = flags[ticks],
                              .placed = placed,
                              .out = ret};
    planner.wanted = mem_alloc(numbering->n * sizeof *planner.wanted);
    planner.arrives = mem_alloc(numbering->n * sizeof *planner.arrives);
    registers_follow(&planner);
    wants_follow(&planner);
    for (uint32_t v = 0; v < numbering->n; v++)
        node_put(&planner, v);
    mem_free(planner.wanted);
    mem_free(planner.arrives);
    mem_free(placed);
}

/* ---- stores */

uint8_t path_store_bits(uint64_t paths)
{
    static const uint8_t sizes[] = {0, 5, 8};
    for (size_t i = 0; i < sizeof sizes; i++)
        if (paths <= UINT64_C(1) << sizes[i])
            return sizes[i];
    return 13;
}

void path_operation_settle(const struct wire_plan *operation, const struct path_store *store,
                           struct path_operations *ret)
{
    struct wire_plan *at = vec_push(ret);
    *at = *operation;
    if (operation->action != PLAN_COUNT)
        return;
    bool known = operation->bits == PATH_COUNT_KNOWN;
    uint32_t each = store->ticks == TICKS_ALL ? 2 : 1;
    at->counter = store->counter;
    at->bits = store->bits;
    at->flags |= store->in_node ? PLAN_IN_NODE : 0;
    if (!store->dense) {
        at->action = PLAN_COUNT_PATH;
        at->bits = 0;
    }
    if (store->dense && store->in_node) {
        at->value = known || store->bits ? at->value : 0;
        at->bits = known ? 0 : store->bits;
    } else if (known && store->dense && store->ticks != TICKS_SOME) {
        at->counter += each * (uint32_t)operation->value;
        at->bits = 0;
        at->value = 0;
    } else if (known) { /* the register says which */
        struct wire_plan count = *at;
        count.value = 0;
        at->action = PLAN_SET;
        at->flags = 0;
        *vec_push(ret) = count;
    }
}
