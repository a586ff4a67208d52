#include "paths/trail_build.h"

#include "paths/trail_seen.h"
#include "program/cfg/cfg_build.h"
#include "program/elf/image.h"

#include <stdlib.h>

/* What a piece ends in, until its arcs are made. */
struct ending {
    function_id function;
    uint8_t kind;       /* enum instruction_kind of its last instruction */
    bool whole;         /* the last piece of its block */
    bool inside;        /* an edge leads on from it */
    struct svma next;   /* behind it; 0: never gone on to */
    struct svma target; /* of CALL, and of jumps out of the function; 0: not known */
};

struct arc_to {
    uint32_t to;
    struct trail_arc arc;
};

struct numbers {
    VEC(uint32_t);
};

struct callable {
    uint32_t entry;         /* piece; UINT32_MAX: not decoded */
    struct numbers returns; /* pieces that end in a return */
    struct numbers tails;   /* functions that it jumps to */
    bool leaks;             /* control leaves it in a way that nobody knows */
    bool marked;
};

struct building {
    struct trail_graph *graph;
    const struct symbols *symbols;
    struct endings {
        VEC(struct ending);
    } endings;
    struct arcs_to {
        VEC(struct arc_to);
    } arcs;
    struct callable *callables;
    struct trail_seen_list seen;
};

/* ---- pieces */

/* The function that is entered there, or FUNCTION_NONE. */
static function_id function_entered(const struct building *building, struct svma at)
{
    function_id function = symbols_find(building->symbols, at);
    if (function == FUNCTION_NONE || building->symbols->functions.at[function].start.v != at.v)
        return FUNCTION_NONE;
    return function;
}

static void block_cut(struct building *building, const struct cfg *cfg,
                      const struct cfg_block *block, function_id function)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < block->instructions; i++) {
        const struct instruction *at = &cfg->instructions.at[block->first + i];
        bool call = at->kind == INSTRUCTION_CALL || at->kind == INSTRUCTION_ICALL;
        bool whole = i + 1 == block->instructions;
        if (!call && !whole)
            continue;
        *vec_push(&building->graph->pieces) =
            (struct trail_piece){.start = cfg->instructions.at[block->first + first].at,
                                 .last = at->at,
                                 .instructions = i + 1 - first};
        *vec_push(&building->endings) =
            (struct ending){.function = function,
                            .kind = at->kind,
                            .whole = whole,
                            .next = {at->no_return ? 0 : instruction_next(at).v},
                            .target = at->target};
        first = i + 1;
    }
}

/* Arcs name blocks by their addresses until all pieces have their numbers. */
struct step_between {
    struct svma from, to;
    uint8_t how;
};
struct steps_between {
    VEC(struct step_between);
};

static void edges_note(const struct cfg *cfg, struct steps_between *steps)
{
    for (size_t i = 0; i < cfg->edges.n; i++) {
        const struct cfg_edge *edge = &cfg->edges.at[i];
        uint8_t how = edge->kind == CFG_TAKEN  ? TRAIL_TAKEN
                      : edge->kind == CFG_FALL ? TRAIL_PASSED
                                               : TRAIL_ALONG;
        const struct instruction *last = &cfg->instructions.at[cfg_find(cfg, edge->from)];
        /* Behind a call that ends its block comes the callee first. */
        if (last->kind == INSTRUCTION_CALL || last->kind == INSTRUCTION_ICALL)
            continue;
        *vec_push(steps) = (struct step_between){edge->from, edge->to, how};
    }
}

static void pieces_cut(struct building *building, const struct image *image,
                       struct steps_between *steps)
{
    const struct symbols *symbols = building->symbols;
    struct cfg_seen *targets = mem_alloc((building->seen.n + 1) * sizeof *targets);
    size_t n = 0;
    for (size_t i = 0; i < building->seen.n; i++) {
        const struct trail_seen *said = &building->seen.at[i];
        struct instruction from = {.kind = INSTRUCTION_CALL}; /* from elsewhere */
        bool known = !said->from.v || disasm_at(image, said->from, &from);
        /* Steps to the next instruction are no targets. */
        if (known && from.kind != INSTRUCTION_PLAIN && from.kind != INSTRUCTION_SYSCALL)
            targets[n++] = (struct cfg_seen){
                .from = said->from, .to = said->to, .returned = from.kind == INSTRUCTION_RETURN};
    }
    for (function_id f = 0; f < symbols->functions.n; f++) {
        struct cfg cfg;
        cfg_build(&cfg, image, symbols, f, targets, n);
        for (size_t b = 0; b < cfg.blocks.n; b++)
            block_cut(building, &cfg, &cfg.blocks.at[b], f);
        edges_note(&cfg, steps);
        cfg_release(&cfg);
    }
    mem_free(targets);
}

struct numbered {
    struct trail_piece piece;
    struct ending ending;
};

static int numbered_order(const void *a, const void *b)
{
    const struct trail_piece *x = &((const struct numbered *)a)->piece;
    const struct trail_piece *y = &((const struct numbered *)b)->piece;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->last.v < y->last.v ? -1 : x->last.v > y->last.v;
}

static void pieces_sort(struct building *building)
{
    size_t n = building->graph->pieces.n;
    struct numbered *all = mem_alloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct numbered){building->graph->pieces.at[i], building->endings.at[i]};
    if (n)
        qsort(all, n, sizeof *all, numbered_order);
    for (size_t i = 0; i < n; i++) {
        building->graph->pieces.at[i] = all[i].piece;
        building->endings.at[i] = all[i].ending;
    }
    mem_free(all);
}

/* ---- arcs */

static void arc_add(struct building *building, uint32_t to, struct trail_arc arc)
{
    const struct trail_piece *pieces = building->graph->pieces.at;
    arc.count = trail_seen_count(&building->seen, pieces[arc.from].last, pieces[to].start);
    *vec_push(&building->arcs) = (struct arc_to){to, arc};
}

static void steps_add(struct building *building, const struct steps_between *steps)
{
    for (size_t i = 0; i < steps->n; i++) {
        uint32_t from = trail_piece_find(building->graph, steps->at[i].from);
        uint32_t to = trail_piece_find(building->graph, steps->at[i].to);
        if (from != UINT32_MAX)
            building->endings.at[from].inside = true;
        if (from != UINT32_MAX && to != UINT32_MAX &&
            building->graph->pieces.at[to].start.v == steps->at[i].to.v)
            arc_add(building, to, (struct trail_arc){.from = from, .how = steps->at[i].how});
    }
}

static bool is_call(const struct ending *ending)
{
    return ending->kind == INSTRUCTION_CALL || ending->kind == INSTRUCTION_ICALL;
}

/* Control comes to that piece in a way that is not followed; 0: to none. */
static void place_cut(struct building *building, struct svma at)
{
    uint32_t piece = at.v ? trail_piece_find(building->graph, at) : UINT32_MAX;
    if (piece != UINT32_MAX && building->graph->pieces.at[piece].start.v == at.v)
        building->graph->pieces.at[piece].cut = true;
}

/* A jump out of the function: to another that is known, or who knows where to. */
static void tail_note(struct building *building, uint32_t piece, struct svma to)
{
    const struct ending *ending = &building->endings.at[piece];
    struct callable *callable = &building->callables[ending->function];
    function_id target = to.v ? function_entered(building, to) : FUNCTION_NONE;
    uint32_t entry = target == FUNCTION_NONE ? UINT32_MAX : building->callables[target].entry;
    if (entry == UINT32_MAX) {
        callable->leaks = true;
        place_cut(building, to);
        return;
    }
    *vec_push(&callable->tails) = target;
    arc_add(building, entry,
            (struct trail_arc){.from = piece,
                               .how = ending->kind == INSTRUCTION_COND ? TRAIL_TAKEN : TRAIL_ALONG,
                               .crosses = true});
}

static bool stays_inside(const struct building *building, const struct ending *ending)
{
    return symbols_find(building->symbols, ending->target) == ending->function;
}

/* An indirect jump: to what its table has, or to what was seen; if there is neither, as of stubs,
 * who knows where to. */
static void indirect_note(struct building *building, uint32_t piece)
{
    const struct ending *ending = &building->endings.at[piece];
    struct svma last = building->graph->pieces.at[piece].last;
    size_t n;
    const struct trail_seen *seen = trail_seen_from(&building->seen, last, &n);
    for (size_t s = 0; s < n; s++)
        if (symbols_find(building->symbols, seen[s].to) != ending->function)
            tail_note(building, piece, seen[s].to);
    if (!n && !ending->inside)
        building->callables[ending->function].leaks = true;
}

static void endings_note(struct building *building)
{
    for (uint32_t i = 0; i < building->endings.n; i++) {
        const struct ending *ending = &building->endings.at[i];
        struct callable *callable = &building->callables[ending->function];
        if (!ending->whole)
            continue;
        if (ending->kind == INSTRUCTION_RETURN)
            *vec_push(&callable->returns) = i;
        if ((ending->kind == INSTRUCTION_JUMP || ending->kind == INSTRUCTION_COND) &&
            !stays_inside(building, ending))
            tail_note(building, i, ending->target);
        if (ending->kind == INSTRUCTION_IJUMP)
            indirect_note(building, i);
    }
}

/* Returns of a function and of those that it jumps to at its end lead behind the call. */
static void returns_add(struct building *building, function_id function, uint32_t site,
                        uint32_t behind)
{
    struct callable *callable = &building->callables[function];
    if (callable->marked)
        return;
    callable->marked = true;
    for (size_t i = 0; i < callable->returns.n; i++)
        arc_add(building, behind,
                (struct trail_arc){
                    .from = callable->returns.at[i], .site = site, .how = TRAIL_RETURNED});
    building->graph->pieces.at[behind].cut |= callable->leaks;
    for (size_t i = 0; i < callable->tails.n; i++)
        returns_add(building, callable->tails.at[i], site, behind);
    callable->marked = false;
}

/* The piece behind a call, or UINT32_MAX. */
static uint32_t piece_behind(const struct building *building, uint32_t site)
{
    struct svma next = building->endings.at[site].next;
    uint32_t behind = next.v ? trail_piece_find(building->graph, next) : UINT32_MAX;
    return behind != UINT32_MAX && building->graph->pieces.at[behind].start.v == next.v
               ? behind
               : UINT32_MAX;
}

static void call_add(struct building *building, uint32_t site, struct svma target)
{
    function_id function = target.v ? function_entered(building, target) : FUNCTION_NONE;
    uint32_t entry = function == FUNCTION_NONE ? UINT32_MAX : building->callables[function].entry;
    uint32_t behind = piece_behind(building, site);
    if (entry == UINT32_MAX) {
        place_cut(building, building->endings.at[site].next);
        place_cut(building, target);
        return;
    }
    arc_add(building, entry, (struct trail_arc){.from = site, .how = TRAIL_CALLED});
    if (behind != UINT32_MAX)
        returns_add(building, function, site, behind);
}

static void calls_add(struct building *building)
{
    size_t n;
    for (uint32_t i = 0; i < building->endings.n; i++) {
        const struct ending *ending = &building->endings.at[i];
        if (!is_call(ending))
            continue;
        if (ending->kind == INSTRUCTION_CALL) {
            call_add(building, i, ending->target);
            continue;
        }
        const struct trail_seen *seen =
            trail_seen_from(&building->seen, building->graph->pieces.at[i].last, &n);
        if (!n)
            call_add(building, i, (struct svma){0});
        for (size_t s = 0; s < n; s++)
            call_add(building, i, seen[s].to);
    }
}

static int arc_order(const void *a, const void *b)
{
    const struct arc_to *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->arc.how != y->arc.how)
        return x->arc.how < y->arc.how ? -1 : 1;
    if (x->arc.from != y->arc.from)
        return x->arc.from < y->arc.from ? -1 : 1;
    return x->arc.site < y->arc.site ? -1 : x->arc.site > y->arc.site;
}

static void arcs_lay(struct building *building)
{
    struct trail_graph *graph = building->graph;
    size_t n = building->arcs.n, at = 0;
    if (n)
        qsort(building->arcs.at, n, sizeof *building->arcs.at, arc_order);
    *vec_push(&graph->pieces) = (struct trail_piece){0};
    for (uint32_t p = 0; p < graph->pieces.n; p++) {
        bool called = false;
        graph->pieces.at[p].first_arc = (uint32_t)graph->arcs.n;
        for (; at < n && building->arcs.at[at].to == p; at++) {
            if (at && arc_order(&building->arcs.at[at - 1], &building->arcs.at[at]) == 0)
                continue; /* an edge twice, as cases of a switch are */
            const struct trail_arc *arc = &building->arcs.at[at].arc;
            graph->taken += arc->how == TRAIL_TAKEN ? arc->count : 0;
            graph->passed += arc->how == TRAIL_PASSED ? arc->count : 0;
            *vec_push(&graph->arcs) = building->arcs.at[at].arc;
            called |=
                building->arcs.at[at].arc.how == TRAIL_CALLED || building->arcs.at[at].arc.crosses;
        }
        /* Somebody calls it, but nobody knows who. */
        if (graph->pieces.at[p].entry && !called)
            graph->pieces.at[p].cut = true;
    }
}

static void callables_make(struct building *building)
{
    size_t n = building->symbols->functions.n;
    building->callables = mem_alloc((n + 1) * sizeof *building->callables);
    for (function_id f = 0; f < n; f++) {
        struct svma start = building->symbols->functions.at[f].start;
        uint32_t piece = trail_piece_find(building->graph, start);
        bool there = piece != UINT32_MAX && building->graph->pieces.at[piece].start.v == start.v;
        building->callables[f].entry = there ? piece : UINT32_MAX;
        if (there)
            building->graph->pieces.at[piece].entry = true;
    }
}

/* A piece runs as often as control comes to its first instruction. */
static void pieces_count(struct building *building)
{
    for (size_t i = 0; i < building->seen.n; i++) {
        const struct trail_seen *seen = &building->seen.at[i];
        uint32_t piece = trail_piece_find(building->graph, seen->to);
        if (piece != UINT32_MAX && building->graph->pieces.at[piece].start.v == seen->to.v)
            building->graph->pieces.at[piece].count += seen->count;
    }
}

/* Profiles have no steps from one instruction to the next, and returns from nowhere: what ran on
 * without a branch went along, and what was called returned. Pieces that go on lie before those
 * that they go on to. */
static void counts_follow(struct building *building)
{
    struct trail_graph *graph = building->graph;
    for (uint32_t p = 0; p + 1 < graph->pieces.n; p++) {
        struct trail_piece *piece = &graph->pieces.at[p];
        uint64_t came = 0;
        bool known = false;
        for (uint32_t a = piece->first_arc; a < piece[1].first_arc; a++) {
            struct trail_arc *arc = &graph->arcs.at[a];
            enum instruction_kind kind = building->endings.at[arc->from].kind;
            bool goes_on = kind == INSTRUCTION_PLAIN || kind == INSTRUCTION_SYSCALL;
            if (!arc->count && arc->how == TRAIL_ALONG && goes_on && arc->from < p)
                arc->count = graph->pieces.at[arc->from].count;
            came += arc->count;
            known |= arc->how == TRAIL_RETURNED;
        }
        bool returned = p && is_call(&building->endings.at[p - 1]) &&
                        building->endings.at[p - 1].next.v == piece->start.v;
        piece->cut |= returned && !known; /* by another module, or nobody knows whom */
        uint64_t called = returned ? graph->pieces.at[p - 1].count : 0;
        came = came > called ? came : called;
        piece->count = piece->count > came ? piece->count : came;
    }
}

/* Which of a function's returns it was: in proportion to how often each ran. */
static void returns_follow(struct building *building)
{
    struct trail_graph *graph = building->graph;
    for (uint32_t p = 0; p + 1 < graph->pieces.n; p++) {
        const struct trail_piece *piece = &graph->pieces.at[p];
        uint64_t known = 0, ran = 0;
        for (uint32_t a = piece->first_arc; a < piece[1].first_arc; a++) {
            const struct trail_arc *arc = &graph->arcs.at[a];
            known += arc->count;
            ran += arc->how == TRAIL_RETURNED ? graph->pieces.at[arc->from].count : 0;
        }
        double left = piece->count > known ? (double)(piece->count - known) : 0;
        for (uint32_t a = piece->first_arc; ran && a < piece[1].first_arc; a++) {
            struct trail_arc *arc = &graph->arcs.at[a];
            if (arc->how == TRAIL_RETURNED && !arc->count)
                arc->count =
                    (uint64_t)(left * (double)graph->pieces.at[arc->from].count / (double)ran);
        }
    }
}

void trail_build(struct trail_graph *graph, const struct image *image,
                 const struct symbols *symbols, const struct trail_seen *seen, size_t n_seen)
{
    struct building building = {.graph = graph, .symbols = symbols};
    struct steps_between steps = {0};
    *graph = (struct trail_graph){0};
    trail_seen_make(&building.seen, seen, n_seen);
    pieces_cut(&building, image, &steps);
    pieces_sort(&building);
    /* The end of the pieces, which trail_piece_find looks for. */
    *vec_push(&graph->pieces) = (struct trail_piece){.start = {UINT64_MAX}};
    callables_make(&building);
    steps_add(&building, &steps);
    endings_note(&building);
    calls_add(&building);
    for (size_t i = 0; i < building.seen.n && !building.seen.at[i].from.v; i++)
        place_cut(&building, building.seen.at[i].to); /* called from elsewhere */
    pieces_count(&building);
    graph->pieces.n--;
    arcs_lay(&building);
    counts_follow(&building);
    returns_follow(&building);
    for (size_t f = 0; f < symbols->functions.n; f++) {
        vec_release(&building.callables[f].returns);
        vec_release(&building.callables[f].tails);
    }
    mem_free(building.callables);
    trail_seen_release(&building.seen);
    vec_release(&building.endings);
    vec_release(&building.arcs);
    vec_release(&steps);
}

void trail_graph_release(struct trail_graph *graph)
{
    vec_release(&graph->pieces);
    vec_release(&graph->arcs);
}
