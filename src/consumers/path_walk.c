#include "consumers/path_walk.h"

#include "profile/batch.h"

void path_walks_init(struct path_walks *walks, struct units *units, struct path_book *book,
                     struct batch *batch)
{
    *walks = (struct path_walks){.units = units, .book = book, .batch = batch};
    path_series_init(&walks->series);
}

void path_walks_release(struct path_walks *walks)
{
    vec_release(&walks->stretches);
    vec_release(&walks->rests);
    path_series_release(&walks->series);
}

void path_walk_release(struct path_walk *walk)
{
    vec_release(&walk->frames);
}

void path_walk_begin(struct path_walk *walk, uint64_t weight, uint32_t instructions)
{
    walk->frames.n = 0;
    walk->fresh = true;
    walk->ran = 0;
    walk->weight = weight;
    walk->instructions = instructions;
}

/* ---- counting */

static struct path_frame *top(struct path_walk *walk)
{
    return &walk->frames.at[walk->frames.n - 1];
}

static void function_tell(struct path_walks *walks, struct book_function *function)
{
    struct path_key key = {.module = function->module,
                           .kind = PATH_FUNCTION,
                           .function = function->start,
                           .path = function->reading.numbering.total};
    batch_add_path_at(walks->batch, batch_path_index(walks->batch, &key), 0, 1);
    function->told = true;
    function->series =
        path_series_root(&walks->series, (struct place){function->module, function->start});
    function->last_index = MAP_NONE;
}

/* What takes l instructions, those of functions that it calls among them, is whole in a window of n
 * at n - l + 1 of n places. */
static uint64_t weight_since(const struct path_walk *walk, uint64_t begin)
{
    uint64_t length = walk->ran - begin;
    if (!walk->instructions || length >= walk->instructions)
        return walk->weight;
    double places = (double)(walk->instructions - length + 1);
    return (uint64_t)((double)walk->weight * (double)walk->instructions / places);
}

/* The function's last path is mostly its next. */
static uint32_t path_index(struct path_walks *walks, struct book_function *function, uint64_t path)
{
    if (function->last_index == MAP_NONE || function->last_path != path) {
        struct path_key key = {.module = function->module,
                               .kind = PATH_RAN,
                               .function = function->start,
                               .path = path};
        function->last_index = batch_path_index(walks->batch, &key);
        function->last_path = path;
    }
    return function->last_index;
}

/* What a model says of all its passages; given out by trace_paths_give like their number. */
static void costs_count(struct path_walks *walks, const struct path_frame *frame, uint64_t path)
{
    struct path_key key = {
        .module = frame->function->module, .function = frame->function->start, .path = path};
    for (uint32_t i = 0; i < MODEL_COSTS; i++) {
        if (!frame->costs.of[i])
            continue;
        key.kind = PATH_MODELLED_L1D + i;
        batch_add_path_at(walks->batch, batch_path_index(walks->batch, &key), 0,
                          frame->costs.of[i]);
        walks->told.of[i] += frame->costs.of[i];
    }
}

static void path_count(struct path_walks *walks, const struct path_walk *walk,
                       struct path_frame *frame, uint64_t value)
{
    if (!frame->known) {
        frame->ended.n = 0;
        return;
    }
    if (!frame->function->told)
        function_tell(walks, frame->function);
    struct book_function *function = frame->function;
    struct series_ended *ended = &frame->ended;
    uint64_t path = frame->sum + value;
    batch_add_path_at(walks->batch, path_index(walks, function, path), 0,
                      weight_since(walk, frame->begin));
    if (walk->costs)
        costs_count(walks, frame, path);
    if (walks->in_contexts && frame->context) {
        struct context_path_key key = {frame->context, function->module, function->start.v, path};
        context_paths_count(walks->in_contexts, &key, &frame->costs);
    }
    path_series_step(&walks->series, ended, function->series, path, frame->begin);
    for (uint32_t i = 1; i < ended->n; i++)
        path_series_count(&walks->series, ended->nodes[i], weight_since(walk, ended->begins[i]));
}

/* ---- along arcs */

/* A path begins at the node, if one may. */
static void frame_begin(struct path_frame *frame, const struct path_walk *walk, uint32_t node,
                        bool first)
{
    const struct path_reading *reading = &frame->function->reading;
    uint32_t begin = reading->numbering.begins[node];
    frame->node = node;
    frame->known = first && begin != ARC_NONE;
    frame->sum = frame->known ? reading->numbering.arcs.at[begin].value : 0;
    frame->begin = walk->ran;
    frame->costs = (struct step_cost_sum){0};
}

/* The same, and nothing is known of what came before it. */
static void frame_anew(struct path_frame *frame, const struct path_walk *walk, uint32_t node,
                       bool first)
{
    frame->ended.n = 0;
    frame_begin(frame, walk, node, first);
}

static void arc_take(struct path_walks *walks, const struct path_walk *walk,
                     struct path_frame *frame, uint32_t index)
{
    const struct path_reading *reading = &frame->function->reading;
    const struct arc *arc = &reading->numbering.arcs.at[index];
    if (arc->kind == ARC_STEP) {
        frame->sum += arc->value;
        frame->node = arc->to;
        return;
    }
    path_count(walks, walk, frame, arc->value);
    if (arc->kind == ARC_BREAK)
        frame_begin(frame, walk, reading->ground.graph.edges.at[arc->of].to, true);
    else
        frame->known = false;
}

/* Without a branch to the node; ARC_NONE: that is not so. */
static uint32_t arc_next(const struct path_frame *frame, uint32_t node)
{
    const struct path_reading *reading = &frame->function->reading;
    const struct path_numbering *numbering = &reading->numbering;
    for (uint32_t a = numbering->first[frame->node]; a < numbering->first[frame->node + 1]; a++) {
        const struct arc *arc = &numbering->arcs.at[a];
        if (arc->kind == ARC_END || reading->ground.graph.edges.at[arc->of].to != node)
            continue;
        uint32_t edge = reading->ground.edges.at[arc->of].edge;
        if (edge == EDGE_NONE || reading->cfg.edges.at[edge].kind == CFG_NEXT)
            return a;
    }
    return ARC_NONE;
}

/* By a branch to the place; ARC_NONE: the function is left for good, but no end of it says so. */
static uint32_t arc_to(const struct path_frame *frame, struct svma to, bool inside)
{
    const struct path_reading *reading = &frame->function->reading;
    const struct path_numbering *numbering = &reading->numbering;
    uint32_t end = ARC_NONE;
    for (uint32_t a = numbering->first[frame->node]; a < numbering->first[frame->node + 1]; a++) {
        const struct arc *arc = &numbering->arcs.at[a];
        if (arc->kind == ARC_END) {
            struct svma only = reading->ground.ends.at[arc->of].to;
            if (!only.v || only.v == to.v)
                end = a;
            continue;
        }
        uint32_t edge = reading->ground.edges.at[arc->of].edge;
        if (inside && edge != EDGE_NONE && reading->cfg.edges.at[edge].to.v == to.v)
            return a;
    }
    return end;
}

/* ---- frames */

static const struct path_stretch *stretch_of(struct path_walks *walks, uint32_t index);

/* The function there; the segment that goes on knows it without a search. */
static struct book_function *function_at(struct path_walks *walks, const struct path_end *to)
{
    if (to->segment)
        return stretch_of(walks, to->segment - 1)->function;
    return path_book_find(walks->book, walks->units->mappings, to->place);
}

static uint32_t node_at(struct path_walks *walks, const struct path_end *to,
                        const struct book_function *function, bool *ret_first)
{
    if (!to->segment)
        return book_function_node(function, to->place.address, ret_first);
    const struct path_stretch *stretch = stretch_of(walks, to->segment - 1);
    *ret_first = stretch->begins;
    return stretch->node;
}

static void frame_push(struct path_walks *walks, struct path_walk *walk, const struct path_end *to,
                       uint64_t back)
{
    struct path_frame frame = {.back = back};
    bool first = false;
    frame.function = function_at(walks, to);
    uint32_t node = frame.function ? node_at(walks, to, frame.function, &first) : UINT32_MAX;
    if (node == UINT32_MAX)
        frame.function = NULL;
    else
        frame_anew(&frame, walk, node,
                   first && frame.function->reading.ground.graph.nodes.at[node].start);
    *vec_push(&walk->frames) = frame;
}

/* Control is somewhere that nobody waits for: in the innermost frame of that function, if there is
 * one and it is not entered anew; else in one that returns to `back`. */
static void frame_elsewhere(struct path_walks *walks, struct path_walk *walk,
                            const struct path_end *to, uint64_t back)
{
    const struct book_function *function = function_at(walks, to);
    size_t n = function && function->start.v != to->place.address.v ? walk->frames.n : 0;
    while (n && walk->frames.at[n - 1].function != function)
        n--;
    if (n) {
        back = walk->frames.at[n - 1].back;
        walk->frames.n = n - 1;
    }
    frame_push(walks, walk, to, back);
}

static void frame_return(struct path_walks *walks, struct path_walk *walk,
                         const struct path_end *to)
{
    size_t n = walk->frames.n;
    while (n && walk->frames.at[n - 1].back != to->avma)
        n--;
    if (n > 1) {
        walk->frames.n = n - 1;
        return;
    }
    walk->frames.n -= walk->frames.n != 0;
    frame_elsewhere(walks, walk, to, 0);
}

void path_walk_jump(struct path_walks *walks, struct path_walk *walk, struct place place)
{
    const struct path_end end = {.place = place}, *to = &end;
    const struct book_function *function = function_at(walks, to);
    if (walk->fresh)
        return;
    if (function && function->start.v == place.address.v) {
        top(walk)->signal = true;
        frame_push(walks, walk, to, 0);
        return;
    }
    size_t n = walk->frames.n;
    while (n && !walk->frames.at[n - 1].signal)
        n--;
    if (!n) {
        frame_elsewhere(walks, walk, to, 0);
        return;
    }
    walk->frames.n = n;
    top(walk)->signal = false;
}

/* ---- segments */

/* Of the instructions from `at` on, up to `last`: as much as lies in one function. */
static struct path_stretch stretch_make(struct path_walks *walks, struct place at, struct svma last)
{
    struct path_stretch stretch = {.version = 1};
    struct book_function *function = path_book_find(walks->book, walks->units->mappings, at);
    bool ignored;
    if (!function)
        return stretch;
    stretch.node = book_function_node(function, at.address, &stretch.begins);
    stretch.last_node = book_function_node(function, last, &ignored);
    const struct path_reading *reading = &function->reading;
    if (stretch.node != UINT32_MAX && stretch.last_node == UINT32_MAX) {
        uint32_t i = cfg_find(&reading->cfg, at.address), next;
        struct svma end = instruction_next(&reading->cfg.instructions.at[i]);
        for (; (next = cfg_find(&reading->cfg, end)) != INSTRUCTION_NONE && end.v < last.v;
             i = next)
            end = instruction_next(&reading->cfg.instructions.at[next]);
        stretch.last_node = function->node_of[i];
        if (end.v <= last.v && end.v > at.address.v) {
            struct path_stretch rest = stretch_make(walks, (struct place){at.module, end}, last);
            *vec_push(&walks->rests) = rest;
            stretch.rest = (uint32_t)walks->rests.n;
        }
    }
    if (stretch.node != UINT32_MAX && stretch.last_node != UINT32_MAX) {
        stretch.function = function;
        stretch.ends =
            ground_last(&reading->ground, &reading->cfg, stretch.last_node)->at.v == last.v;
    }
    return stretch;
}

static const struct path_stretch *stretch_of(struct path_walks *walks, uint32_t index)
{
    while (walks->stretches.n < walks->units->segments.n)
        *vec_push(&walks->stretches) = (struct path_stretch){0};
    const struct unit_segment *segment = &walks->units->segments.at[index];
    if (!walks->stretches.at[index].version)
        walks->stretches.at[index] =
            stretch_make(walks, segment->at, segment_last(segment).address);
    return &walks->stretches.at[index];
}

static bool is_start(const struct path_stretch *stretch)
{
    return stretch->begins && stretch->function->reading.ground.graph.nodes.at[stretch->node].start;
}

/* To the first node of the stretch, from wherever control was. */
static void stretch_enter(struct path_walks *walks, const struct path_walk *walk,
                          struct path_frame *frame, const struct path_stretch *stretch)
{
    if (frame->function != stretch->function) {
        frame->function = stretch->function;
        frame->known = false;
        if (frame->function)
            frame_anew(frame, walk, stretch->node, is_start(stretch));
    } else if (frame->function && frame->node != stretch->node) {
        uint32_t arc = stretch->begins ? arc_next(frame, stretch->node) : ARC_NONE;
        if (arc != ARC_NONE)
            arc_take(walks, walk, frame, arc);
        else
            frame_anew(frame, walk, stretch->node, is_start(stretch));
    }
}

/* Along all its nodes; returns the one in which the last instruction lies. */
static const struct path_stretch *stretch_run(struct path_walks *walks, struct path_walk *walk,
                                              const struct path_stretch *stretch)
{
    struct path_frame *frame = top(walk);
    stretch_enter(walks, walk, frame, stretch);
    while (frame->function && frame->node != stretch->last_node) {
        uint32_t arc = arc_next(frame, frame->node + 1);
        if (arc != ARC_NONE) {
            arc_take(walks, walk, frame, arc);
        } else {
            frame->known = false;
            frame->node = stretch->last_node;
        }
    }
    if (!stretch->rest)
        return stretch;
    uint32_t end = frame->function ? arc_to(frame, (struct svma){0}, false) : ARC_NONE;
    if (end != ARC_NONE)
        arc_take(walks, walk, frame, end);
    return stretch_run(walks, walk, &walks->rests.at[stretch->rest - 1]);
}

static void branch_take(struct path_walks *walks, struct path_walk *walk,
                        const struct path_stretch *stretch, const struct path_end *to)
{
    struct path_frame *frame = top(walk);
    uint64_t back = frame->back;
    uint32_t arc = ARC_NONE;
    if (frame->function && stretch->ends) {
        bool inside = to->place.module == frame->function->module;
        arc = arc_to(frame, to->place.address, inside);
        if (arc != ARC_NONE) {
            enum arc_kind kind =
                (enum arc_kind)frame->function->reading.numbering.arcs.at[arc].kind;
            arc_take(walks, walk, frame, arc);
            if (kind != ARC_END)
                return;
        }
    }
    bool first = false;
    uint32_t node = frame->function && to->place.module == frame->function->module
                        ? book_function_node(frame->function, to->place.address, &first)
                        : UINT32_MAX;
    if (node != UINT32_MAX) { /* by a jump that no edge stands for */
        if (arc == ARC_NONE)
            frame->ended.n = 0;
        frame_begin(frame, walk, node,
                    first && frame->function->reading.ground.graph.nodes.at[node].start);
        return;
    }
    walk->frames.n--;
    frame_elsewhere(walks, walk, to, back);
}

static void call_take(struct path_walks *walks, struct path_walk *walk,
                      const struct unit_segment *segment, const struct path_stretch *stretch,
                      const struct path_end *to)
{
    struct path_frame *frame = top(walk);
    if (frame->function && stretch->ends) { /* one that does not come back is an end */
        uint32_t arc = arc_to(frame, (struct svma){0}, false);
        if (arc != ARC_NONE)
            arc_take(walks, walk, frame, arc);
    }
    frame_push(walks, walk, to, segment->start + segment->bytes);
}

static void segment_leave(struct path_walks *walks, struct path_walk *walk,
                          const struct unit_segment *segment, const struct path_stretch *stretch,
                          const struct path_end *to)
{
    switch (segment->end) {
    case SEGMENT_COND:
    case SEGMENT_JUMP:
    case SEGMENT_IJUMP: branch_take(walks, walk, stretch, to); return;
    case SEGMENT_CALL:
    case SEGMENT_ICALL: call_take(walks, walk, segment, stretch, to); return;
    case SEGMENT_RETURN: {
        struct path_frame *frame = top(walk);
        uint32_t arc =
            frame->function && stretch->ends ? arc_to(frame, (struct svma){0}, false) : ARC_NONE;
        if (arc != ARC_NONE)
            arc_take(walks, walk, frame, arc);
        frame_return(walks, walk, to);
        return;
    }
    default: return; /* goes on behind: what comes next tells where */
    }
}

/* ---- exits */

/* A straight run belongs to the path that it ends in. */
static void segment_cost(struct path_walks *walks, struct path_walk *walk, uint32_t instructions)
{
    struct step_cost_sum sum = step_costs_take(walk->costs, instructions);
    step_cost_add(&top(walk)->costs, &sum);
    step_cost_add(&walks->costs, &sum);
}

/* A function that has just begun learns its context from its first segment. */
static void context_take(struct path_walk *walk)
{
    uint32_t context = *walk->contexts++;
    if (!top(walk)->context)
        top(walk)->context = context;
}

static void exit_walk(struct path_walks *walks, struct path_walk *walk, uint32_t id,
                      const struct path_end *to)
{
    const struct units *units = walks->units;
    int32_t owner = units_owner(units, id);
    if (owner == UNIT_NONE)
        return;
    const struct superblock *superblock = &units->superblocks.at[owner];
    uint32_t last = superblock_last_segment(superblock, id - superblock->first_exit);
    if (walk->fresh)
        *vec_push(&walk->frames) = (struct path_frame){0};
    walk->fresh = false;
    for (uint32_t i = 0; i <= last; i++) {
        uint32_t index = superblock->first_segment + i;
        const struct unit_segment *segment = &units->segments.at[index];
        if (!segment->instructions)
            continue;
        const struct path_stretch *stretch = stretch_run(walks, walk, stretch_of(walks, index));
        walk->ran += segment->instructions;
        if (walk->costs)
            segment_cost(walks, walk, segment->instructions);
        if (walk->contexts)
            context_take(walk);
        struct path_end next = *to;
        if (i < last)
            next = (struct path_end){segment[1].start, segment[1].at,
                                     segment[1].instructions ? index + 2 : 0};
        if (next.avma)
            segment_leave(walks, walk, segment, stretch, &next);
    }
}

void path_walk_exits(struct path_walks *walks, struct path_walk *walk, const uint32_t *exits,
                     size_t n, const struct path_end *end)
{
    const struct units *units = walks->units;
    for (size_t i = 0; i < n; i++) {
        int32_t next = i + 1 < n ? units_owner(units, exits[i + 1]) : UNIT_NONE;
        struct path_end to = *end;
        if (next != UNIT_NONE) {
            uint32_t index = units->superblocks.at[next].first_segment;
            const struct unit_segment *first = &units->segments.at[index];
            to = (struct path_end){first->start, first->at, first->instructions ? index + 1 : 0};
        }
        exit_walk(walks, walk, exits[i], &to);
    }
}
