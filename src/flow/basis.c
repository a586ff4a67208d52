#include "flow/basis.h"

#include <string.h>

#define ARC_ARTIFICIAL UINT32_MAX
#define NODE_NONE UINT32_MAX

void basis_free(struct basis *basis)
{
    if (!basis)
        return;
    mem_free(basis->nodes);
    mem_free(basis->potentials);
    mem_free(basis->offers);
    mem_free(basis->full);
    mem_free(basis);
}

static int64_t room_of(const struct flow_graph *graph, uint32_t arc)
{
    int64_t capacity = graph->arcs.at[arc].capacity;
    return capacity == FLOW_INFINITE ? ROOM_INFINITE : capacity;
}

static void offer_turn(struct basis *basis, uint32_t arc)
{
    struct offer *offer = &basis->offers[arc];
    *offer = (struct offer){offer->to, offer->from, -offer->cost};
    basis->full[arc] ^= 1;
}

/* ---- fitting */

/* More nodes and arcs than the last time: the root moves behind them, new nodes hang from it, and
 * new arcs are empty. */
static void basis_grow(struct basis *basis, const struct flow_graph *graph)
{
    uint32_t old_root = basis->n_nodes, root = (uint32_t)graph->nodes.n;
    uint32_t n_arcs = (uint32_t)graph->arcs.n;
    struct basis_node top = {.next = root, .before = root};
    if (old_root)
        top = basis->nodes[old_root];
    basis->nodes = mem_resize(basis->nodes, (root + (size_t)1) * sizeof *basis->nodes);
    basis->potentials =
        mem_resize(basis->potentials, (root + (size_t)1) * sizeof *basis->potentials);
    basis->offers = mem_resize(basis->offers, n_arcs * sizeof *basis->offers + 1);
    basis->full = mem_resize(basis->full, n_arcs + (size_t)1);
    memset(basis->full + basis->n_arcs, 0, n_arcs - basis->n_arcs);
    for (uint32_t i = 0; i < old_root && root != old_root; i++)
        if (basis->nodes[i].parent == old_root)
            basis->nodes[i].parent = root;
    top.parent = NODE_NONE;
    basis->nodes[root] = top;
    if (old_root && root != old_root) {
        basis->nodes[top.next].before = root;
        basis->nodes[top.before].next = root;
    }
    basis->n_nodes = root;
    basis->n_arcs = n_arcs;
    for (uint32_t i = old_root; i < root; i++) { /* before the root on the ring */
        uint32_t last = basis->nodes[root].before;
        basis->nodes[i] = (struct basis_node){
            .parent = root, .before = last, .next = root, .arc = ARC_ARTIFICIAL};
        basis->nodes[last].next = basis->nodes[root].before = i;
    }
}

/* Offers as the graph has them now, and what each node has to send on: its supply, and what full
 * arcs bring and take. */
static int64_t *offers_fit(struct basis *basis, const struct flow_graph *graph)
{
    int64_t *needs = mem_alloc((basis->n_nodes + (size_t)1) * sizeof *needs);
    for (uint32_t i = 0; i < basis->n_nodes; i++)
        needs[i] = graph->nodes.at[i].supply;
    for (uint32_t i = 0; i < basis->n_arcs; i++) {
        const struct flow_arc_data *arc = &graph->arcs.at[i];
        bool full = basis->full[i] && arc->capacity != FLOW_INFINITE;
        basis->offers[i] = (struct offer){arc->from, arc->to, arc->cost};
        basis->full[i] = 0;
        if (!full)
            continue;
        needs[arc->from] -= arc->capacity;
        needs[arc->to] += arc->capacity;
        offer_turn(basis, i);
    }
    return needs;
}

static void node_hang(struct basis *basis, struct basis_node *node, int64_t need)
{
    node->parent = basis->n_nodes;
    node->arc = ARC_ARTIFICIAL;
    node->away = need < 0;
    node->up = need < 0 ? -need : ROOM_INFINITE - need;
    node->down = need < 0 ? ROOM_INFINITE + need : need;
}

/* The node's arc carries what its subtree needs, or leaves the tree at the bound that is nearest.
 */
static void node_fit(struct basis *basis, const struct flow_graph *graph, uint32_t at,
                     int64_t *needs)
{
    struct basis_node *node = &basis->nodes[at];
    int64_t need = needs[at];
    if (node->arc == ARC_ARTIFICIAL) {
        node_hang(basis, node, need);
        return;
    }
    int64_t flow = node->away ? -need : need, room = room_of(graph, node->arc);
    int64_t carried = flow < 0 ? 0 : flow > room ? room : flow;
    int64_t up = node->away ? carried : room - carried;
    needs[node->parent] += node->away ? -carried : carried;
    if (carried == flow && up > 0) {
        node->up = up;
        node->down = room - up;
        return;
    }
    if (carried > 0)
        offer_turn(basis, node->arc);
    node_hang(basis, node, need - (node->away ? -carried : carried));
}

static int64_t node_cost(const struct basis *basis, const struct basis_node *node)
{
    if (node->arc == ARC_ARTIFICIAL)
        return node->away ? basis->steep : 0;
    return basis->offers[node->arc].cost;
}

/* Thread, depths and potentials from parents alone. */
static void basis_thread(struct basis *basis)
{
    uint32_t root = basis->n_nodes, last = root;
    uint32_t *links = mem_alloc(2 * (root + (size_t)1) * sizeof *links);
    uint32_t *child = links, *sibling = links + root + 1; /* + 1, 0 is none */
    for (uint32_t i = root; i-- > 0;) {
        sibling[i] = child[basis->nodes[i].parent];
        child[basis->nodes[i].parent] = i + 1;
    }
    basis->potentials[root] = 0;
    basis->nodes[root].depth = 0;
    for (uint32_t at = root; child[root] || at != root;) {
        if (!child[at]) {
            at = basis->nodes[at].parent;
            continue;
        }
        uint32_t parent = at;
        at = child[parent] - 1;
        child[parent] = sibling[at];
        struct basis_node *node = &basis->nodes[at];
        int64_t cost = node_cost(basis, node);
        node->depth = basis->nodes[parent].depth + 1;
        basis->potentials[at] = basis->potentials[parent] + (node->away ? cost : -cost);
        node->before = last;
        basis->nodes[last].next = at;
        last = at;
    }
    basis->nodes[last].next = root;
    basis->nodes[root].before = last;
    mem_free(links);
}

/* ---- a first guess
 *
 * Every node hangs from where its cheapest arc without bound leads to, or, if it lacks something,
 * comes from. Many of these arcs are in the last tree, too: it takes half of the pivots that it
 * would take from a tree of artificial arcs alone. */

struct guess {
    uint32_t *cheapest[2]; /* arc out of a node, and into it; ARC_ARTIFICIAL: none without bound */
    uint32_t *tree;        /* what a node hangs from, on the way to the top of its tree */
};

static uint32_t tree_top(uint32_t *tree, uint32_t at)
{
    while (tree[at] != at)
        at = tree[at] = tree[tree[at]];
    return at;
}

static void cheapest_find(struct guess *guess, const struct flow_graph *graph)
{
    for (uint32_t i = 0; i < graph->arcs.n; i++) {
        const struct flow_arc_data *arc = &graph->arcs.at[i];
        uint32_t *best[2] = {&guess->cheapest[0][arc->from], &guess->cheapest[1][arc->to]};
        for (int into = 0; into < 2 && arc->capacity == FLOW_INFINITE; into++)
            if (*best[into] == ARC_ARTIFICIAL || arc->cost < graph->arcs.at[*best[into]].cost)
                *best[into] = i;
    }
}

static void guess_hang(struct basis *basis, const struct flow_graph *graph, struct guess *guess,
                       int64_t *needs)
{
    for (uint32_t at = 0; at < basis->n_nodes; at++) {
        bool away = needs[at] < 0;
        uint32_t arc = guess->cheapest[away][at];
        if (arc == ARC_ARTIFICIAL)
            continue;
        uint32_t parent = away ? graph->arcs.at[arc].from : graph->arcs.at[arc].to;
        uint32_t top = tree_top(guess->tree, parent);
        if (top == at)
            continue;
        guess->tree[at] = top;
        needs[parent] += needs[at];
        basis->nodes[at].parent = parent;
        basis->nodes[at].arc = arc;
        basis->nodes[at].away = away;
    }
}

static void basis_guess(struct basis *basis, const struct flow_graph *graph)
{
    size_t n = basis->n_nodes + (size_t)1;
    uint32_t *memory = mem_alloc(3 * n * sizeof *memory);
    int64_t *needs = mem_alloc(n * sizeof *needs);
    struct guess guess = {{memory, memory + n}, memory + 2 * n};
    memset(memory, 0xFF, 2 * n * sizeof *memory);
    for (uint32_t i = 0; i < basis->n_nodes; i++) {
        guess.tree[i] = i;
        needs[i] = graph->nodes.at[i].supply;
    }
    cheapest_find(&guess, graph);
    guess_hang(basis, graph, &guess, needs);
    basis_thread(basis);
    mem_free(memory);
    mem_free(needs);
}

void basis_fit(struct flow_graph *graph, int64_t steep)
{
    bool first = !graph->basis;
    if (first)
        graph->basis = mem_alloc(sizeof *graph->basis);
    struct basis *basis = graph->basis;
    basis_grow(basis, graph);
    basis->steep = steep;
    int64_t *needs = offers_fit(basis, graph);
    if (first)
        basis_guess(basis, graph);
    uint32_t root = basis->n_nodes;
    for (uint32_t at = basis->nodes[root].before; at != root; at = basis->nodes[at].before)
        node_fit(basis, graph, at, needs);
    basis_thread(basis);
    mem_free(needs);
}

/* ---- a pivot */

/* The cycle that an entering arc closes: from the join down to its `from`, along it, and from its
 * `to` up to the join. */
struct cycle {
    uint32_t from, to, join;
    uint32_t out;   /* whose arc leaves; NODE_NONE: the entering one's own capacity is the least */
    bool out_ahead; /* out lies on the way from `to` to the join */
    int64_t room;
};

/* The arc that leaves is the last on the cycle, counted from the join, of those with the least
 * room: this keeps the tree strongly feasible. */
static void cycle_find(struct cycle *cycle, const struct basis_node *nodes, int64_t capacity)
{
    uint32_t a = cycle->from, b = cycle->to, out_a = NODE_NONE, out_b = NODE_NONE;
    int64_t least_a = capacity, least_b = INT64_MAX;
    while (a != b) {
        uint32_t depth_a = nodes[a].depth, depth_b = nodes[b].depth;
        if (depth_a >= depth_b) {
            if (nodes[a].down < least_a) {
                least_a = nodes[a].down;
                out_a = a;
            }
            a = nodes[a].parent;
        }
        if (depth_b >= depth_a) {
            if (nodes[b].up <= least_b) {
                least_b = nodes[b].up;
                out_b = b;
            }
            b = nodes[b].parent;
        }
    }
    cycle->join = a;
    cycle->out_ahead = least_b <= least_a;
    cycle->out = cycle->out_ahead ? out_b : out_a;
    cycle->room = cycle->out_ahead ? least_b : least_a;
}

static void cycle_push(const struct cycle *cycle, struct basis_node *nodes)
{
    for (uint32_t a = cycle->from; a != cycle->join; a = nodes[a].parent) {
        nodes[a].down -= cycle->room;
        nodes[a].up += cycle->room;
    }
    for (uint32_t b = cycle->to; b != cycle->join; b = nodes[b].parent) {
        nodes[b].up -= cycle->room;
        nodes[b].down += cycle->room;
    }
}

/* The run of the thread that is the subtree of `top`, less that of `done`, which came before: its
 * nodes get their new depths and potentials, and one thread. */
struct run {
    uint32_t done, resume; /* resume: what followed the subtree of done */
    uint32_t tail;         /* the last node of the new thread */
};

static void run_move(struct basis *basis, struct run *run, uint32_t top, uint32_t new_depth,
                     int64_t shift)
{
    struct basis_node *nodes = basis->nodes;
    uint32_t old_depth = nodes[top].depth, deeper = new_depth - old_depth, at = top;
    for (;;) {
        nodes[at].depth += deeper;
        basis->potentials[at] += shift;
        uint32_t next = nodes[at].next;
        if (next == run->done) {
            next = run->resume;
            nodes[at].next = next;
            if (nodes[next].depth > old_depth)
                nodes[next].before = at;
        }
        if (nodes[next].depth <= old_depth) {
            run->resume = next;
            break;
        }
        at = next;
    }
    run->done = top;
    run->tail = at;
}

/* The part of the tree that hung from out's arc hangs from `parent` now, by the link in `first`,
 * and is rooted in `top`. */
static void basis_rehang(struct basis *basis, uint32_t top, const struct basis_node *first,
                         uint32_t out, int64_t shift)
{
    struct basis_node *nodes = basis->nodes, link = *first;
    uint32_t under = link.parent, depth = nodes[under].depth, before = nodes[out].before;
    struct run run = {.done = NODE_NONE};
    for (uint32_t at = top;;) {
        struct basis_node old = nodes[at];
        run_move(basis, &run, at, ++depth, shift);
        nodes[at].parent = link.parent;
        nodes[at].arc = link.arc;
        nodes[at].away = link.away;
        nodes[at].up = link.up;
        nodes[at].down = link.down;
        if (at == out)
            break;
        link = (struct basis_node){
            .parent = at, .arc = old.arc, .away = !old.away, .up = old.down, .down = old.up};
        nodes[run.tail].next = old.parent;
        at = old.parent;
        nodes[at].before = run.tail;
    }
    nodes[before].next = run.resume;
    nodes[run.resume].before = before;
    uint32_t next = nodes[under].next;
    nodes[under].next = top;
    nodes[top].before = under;
    nodes[run.tail].next = next;
    nodes[next].before = run.tail;
}

bool basis_pivot(struct basis *basis, const struct flow_graph *graph, uint32_t entering)
{
    struct basis_node *nodes = basis->nodes;
    struct offer offer = basis->offers[entering];
    struct cycle cycle = {.from = offer.from, .to = offer.to};
    int64_t capacity = room_of(graph, entering);
    cycle_find(&cycle, nodes, capacity);
    if (cycle.room >= ROOM_LIMIT)
        return false;
    if (cycle.room > 0)
        cycle_push(&cycle, nodes);
    if (cycle.out == NODE_NONE) {
        offer_turn(basis, entering);
        return true;
    }
    int64_t price = offer.cost + basis->potentials[offer.from] - basis->potentials[offer.to];
    const struct basis_node *out = &nodes[cycle.out];
    if (out->arc != ARC_ARTIFICIAL && (bool)out->away != cycle.out_ahead)
        offer_turn(basis, out->arc);
    bool was_full = basis->full[entering];
    if (was_full)
        offer_turn(basis, entering);
    struct basis_node link = {
        .parent = cycle.out_ahead ? offer.from : offer.to,
        .arc = entering,
        .away = cycle.out_ahead != was_full,
        .up = cycle.out_ahead ? cycle.room : capacity - cycle.room,
        .down = cycle.out_ahead ? capacity - cycle.room : cycle.room,
    };
    basis_rehang(basis, cycle.out_ahead ? offer.to : offer.from, &link, cycle.out,
                 cycle.out_ahead ? price : -price);
    return true;
}

/* ---- reading */

bool basis_feasible(const struct basis *basis)
{
    for (uint32_t i = 0; i < basis->n_nodes; i++) {
        const struct basis_node *node = &basis->nodes[i];
        if (node->arc == ARC_ARTIFICIAL && (node->away ? node->up : node->down) > 0)
            return false;
    }
    return true;
}

void basis_read(const struct basis *basis, struct flow_graph *graph)
{
    for (uint32_t i = 0; i < basis->n_arcs; i++)
        graph->arcs.at[i].flow = basis->full[i] ? graph->arcs.at[i].capacity : 0;
    for (uint32_t i = 0; i < basis->n_nodes; i++) {
        const struct basis_node *node = &basis->nodes[i];
        graph->nodes.at[i].potential = basis->potentials[i];
        if (node->arc != ARC_ARTIFICIAL)
            graph->arcs.at[node->arc].flow = node->away ? node->up : node->down;
    }
}
