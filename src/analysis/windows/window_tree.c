#include "analysis/windows/window_tree.h"

#include "base/err.h"

#include <stdlib.h>

/* A scope that has not ended. */
struct open_scope {
    uint32_t scope;
    bool returns; /* a call whose return address is known: */
    uint32_t back_module;
    uint64_t back;
};

/* An iteration of a loop, as it was met. */
struct met_iteration {
    uint32_t scope, at;
};

struct builder {
    struct window_tree *tree;
    const struct window_code *code;
    struct open_scopes {
        VEC(struct open_scope);
    } open; /* the outermost first */
    struct met_iterations {
        VEC(struct met_iteration);
    } met;
    uint32_t at; /* the instruction that runs now */
    /* Since the last break: the first scope and the first instruction. */
    uint32_t epoch, epoch_at;
};

static struct window_scope *scope_of(const struct builder *builder, size_t open)
{
    return &builder->tree->at[builder->open.at[open].scope];
}

/* ---- opening and closing */

static void close_to(struct builder *builder, size_t n)
{
    for (size_t i = n; i < builder->open.n; i++)
        scope_of(builder, i)->to = builder->at;
    builder->open.n = n;
}

/* The innermost open call: its place among those open. There is always one. */
static size_t call_top(const struct builder *builder)
{
    size_t i = builder->open.n - 1;
    while (scope_of(builder, i)->kind != SCOPE_CALL)
        i--;
    return i;
}

static struct window_scope *push(struct builder *builder, struct window_scope scope)
{
    scope.parent = builder->open.n ? builder->open.at[builder->open.n - 1].scope : SCOPE_NONE;
    *vec_push(&builder->open) = (struct open_scope){.scope = (uint32_t)builder->tree->n};
    struct window_scope *made = vec_push(builder->tree);
    *made = scope;
    return made;
}

/* A loop that is entered, but not at its head, began in its middle, unless the window did. */
static void loop_open(struct builder *builder, uint32_t loop, uint32_t from, bool at_head)
{
    const struct window_scope *call = scope_of(builder, call_top(builder));
    uint32_t index = (uint32_t)builder->tree->n;
    push(builder, (struct window_scope){.kind = SCOPE_LOOP,
                                        .before = !at_head && from == builder->epoch_at,
                                        .from = from,
                                        .depth = call->depth,
                                        .nest = builder->code->loops.at[loop].depth,
                                        .function = call->function,
                                        .loop = loop,
                                        .site = SCOPE_NONE});
    *vec_push(&builder->met) = (struct met_iteration){index, from};
}

/* The loops around `loop` that are not open yet, and it: the outermost first. */
static void loops_open(struct builder *builder, uint32_t loop, uint32_t from, bool at_head)
{
    const struct window_scope *top = scope_of(builder, builder->open.n - 1);
    uint32_t around = top->kind == SCOPE_LOOP ? top->loop : CODE_LOOP_NONE;
    if (loop == around || loop == CODE_LOOP_NONE)
        return;
    loops_open(builder, builder->code->loops.at[loop].parent, from, false);
    loop_open(builder, loop, from, at_head);
}

/* The call that was there before anything else of the window, or since a break. */
static void root_open(struct builder *builder, const struct window_insn *to, uint32_t from,
                      int32_t depth)
{
    push(builder, (struct window_scope){.kind = SCOPE_CALL,
                                        .before = true,
                                        .from = from,
                                        .depth = depth,
                                        .function = to->function,
                                        .site = SCOPE_NONE});
}

/* ---- from one instruction to the next */

static void call_open(struct builder *builder, const struct window_insn *from, uint32_t site,
                      const struct window_insn *to)
{
    int32_t depth = scope_of(builder, call_top(builder))->depth + 1;
    push(builder, (struct window_scope){.kind = SCOPE_CALL,
                                        .from = builder->at,
                                        .depth = depth,
                                        .function = to->function,
                                        .site = site});
    struct open_scope *open = &builder->open.at[builder->open.n - 1];
    open->returns = from->kind != CODE_OPAQUE;
    open->back_module = from->module;
    open->back = window_insn_end(from);
    builder->tree->calls++;
}

/* The open call that returns to there; open.n: none. */
static size_t call_returning(const struct builder *builder, const struct window_insn *to)
{
    for (size_t i = builder->open.n; i--;)
        if (builder->open.at[i].returns && builder->open.at[i].back == to->at &&
            builder->open.at[i].back_module == to->module)
            return i;
    return builder->open.n;
}

/* The innermost open call of that function; open.n: none. */
static size_t call_of(const struct builder *builder, uint32_t function)
{
    for (size_t i = builder->open.n; i--;)
        if (scope_of(builder, i)->kind == SCOPE_CALL && scope_of(builder, i)->function == function)
            return i;
    return builder->open.n;
}

/* Ends the loops of a call that is resumed elsewhere: what is inside of it ends. */
static void resume(struct builder *builder, size_t call)
{
    size_t n = call + 1;
    while (n < builder->open.n && scope_of(builder, n)->kind == SCOPE_LOOP)
        n++;
    close_to(builder, n);
}

/* Nothing that is open goes on there. */
static void begin_anew(struct builder *builder, const struct window_insn *to)
{
    int32_t depth = scope_of(builder, 0)->depth;
    builder->tree->breaks++;
    close_to(builder, 0);
    builder->epoch = (uint32_t)builder->tree->n;
    builder->epoch_at = builder->at;
    root_open(builder, to, builder->at, depth);
}

/* A return to who called before the window began: it is around all that was seen since. */
static void return_to_caller(struct builder *builder, const struct window_insn *to)
{
    uint32_t first = builder->epoch, made = (uint32_t)builder->tree->n, from = builder->epoch_at;
    int32_t depth = scope_of(builder, 0)->depth - 1;
    close_to(builder, 0);
    root_open(builder, to, from, depth);
    uint32_t loop = to->head ? builder->code->loops.at[to->loop].parent : to->loop;
    loops_open(builder, loop, from, false);
    uint32_t inner = builder->open.at[builder->open.n - 1].scope;
    for (uint32_t i = first; i < made; i++)
        if (builder->tree->at[i].parent == SCOPE_NONE)
            builder->tree->at[i].parent = inner;
}

static void go_back(struct builder *builder, const struct window_insn *to)
{
    size_t call = call_returning(builder, to), known = 0;
    if (call < builder->open.n) {
        close_to(builder, call);
        return;
    }
    for (size_t i = 0; i < builder->open.n; i++)
        known += builder->open.at[i].returns;
    if (!known)
        return_to_caller(builder, to);
    else if ((call = call_of(builder, to->function)) < builder->open.n)
        resume(builder, call);
    else
        begin_anew(builder, to);
}

/* One call ends, and another begins that returns to where it would have returned to. */
static void jump_on(struct builder *builder, const struct window_insn *to)
{
    size_t call = call_top(builder);
    struct open_scope ended = builder->open.at[call];
    const struct window_scope *was = scope_of(builder, call);
    struct window_scope next = {.kind = SCOPE_CALL,
                                .from = builder->at,
                                .tail = true,
                                .depth = was->depth,
                                .function = to->function,
                                .site = SCOPE_NONE};
    close_to(builder, call);
    push(builder, next);
    struct open_scope *open = &builder->open.at[builder->open.n - 1];
    open->returns = ended.returns;
    open->back_module = ended.back_module;
    open->back = ended.back;
}

static bool starts_function(const struct builder *builder, const struct window_insn *to)
{
    return builder->code->functions.at[to->function].start == to->at;
}

/* Without a call or return, from one function to another. */
static void cross(struct builder *builder, const struct window_insn *to)
{
    struct window_scope *call = scope_of(builder, call_top(builder));
    if (call->function == to->function)
        return;
    if (builder->code->functions.at[call->function].stub && !call->before) {
        call->function = to->function;
        return;
    }
    size_t outer = call_of(builder, to->function);
    if (!starts_function(builder, to) && outer < builder->open.n)
        resume(builder, outer);
    else
        jump_on(builder, to);
}

/* What runs there is not known: whether it was called or has returned shows where it leads to. */
static void cross_opaque(struct builder *builder, const struct window_insn *from, uint32_t site,
                         const struct window_insn *to)
{
    size_t call = call_returning(builder, to);
    if (call < builder->open.n)
        close_to(builder, call);
    else if (from->function == to->function)
        return;
    else if ((call = call_of(builder, to->function)) < builder->open.n)
        resume(builder, call);
    else
        call_open(builder, from, site, to);
}

/* Whether the one instruction can be followed by the other. */
static bool leads_to(const struct window_insn *from, const struct window_insn *to)
{
    bool same = from->module == to->module;
    bool next = same && to->at == window_insn_end(from);
    switch ((enum instruction_kind)from->kind) {
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_SYSCALL: return next;
    case INSTRUCTION_COND: return next || (same && to->at == from->target);
    case INSTRUCTION_JUMP:
    case INSTRUCTION_CALL: return same && to->at == from->target;
    case INSTRUCTION_TRAP: return false;
    default: return true;
    }
}

static void transit(struct builder *builder, uint32_t site, const struct window_insn *to)
{
    const struct window_insn *from = &builder->code->insns.at[site];
    bool calls = from->kind == INSTRUCTION_CALL || from->kind == INSTRUCTION_ICALL;
    if (from->kind == CODE_OPAQUE)
        cross_opaque(builder, from, site, to);
    else if (!leads_to(from, to)) {
        size_t call = call_of(builder, to->function);
        if (call < builder->open.n) {
            builder->tree->breaks++;
            resume(builder, call);
        } else
            begin_anew(builder, to);
    } else if (calls && to->at != window_insn_end(from))
        call_open(builder, from, site, to);
    else if (from->kind == INSTRUCTION_RETURN)
        go_back(builder, to);
    else
        cross(builder, to);
}

/* Loops that this instruction is not in end; those that it is in have begun. */
static void loops_follow(struct builder *builder, const struct window_insn *insn)
{
    const struct window_code *code = builder->code;
    bool iterates = insn->head;
    for (;;) {
        const struct window_scope *top = scope_of(builder, builder->open.n - 1);
        if (top->kind != SCOPE_LOOP || window_loop_holds(code, top->loop, insn->loop))
            break;
        close_to(builder, builder->open.n - 1);
    }
    if (insn->loop == CODE_LOOP_NONE)
        return;
    const struct window_scope *top = scope_of(builder, builder->open.n - 1);
    if (top->kind == SCOPE_LOOP && top->loop == insn->loop && iterates)
        *vec_push(&builder->met) =
            (struct met_iteration){builder->open.at[builder->open.n - 1].scope, builder->at};
    loops_open(builder, insn->loop, builder->at, insn->head);
}

static void step(struct builder *builder, uint32_t index)
{
    struct window_tree *tree = builder->tree;
    const struct window_insn *insn = &builder->code->insns.at[index];
    if (!builder->at)
        root_open(builder, insn, 0, 0);
    else
        transit(builder, tree->steps.at[builder->at - 1], insn);
    if (insn->kind != CODE_OPAQUE)
        loops_follow(builder, insn);
    else
        tree->opaque++;
    scope_of(builder, builder->open.n - 1)->own++;
    *vec_push(&tree->steps) = index;
    *vec_push(&tree->depths) = scope_of(builder, builder->open.n - 1)->depth;
    builder->at++;
}

/* ---- in order */

struct ranked {
    struct window_scope scope;
    uint32_t was;
};

/* Outer ones first. */
static int by_place(const void *a, const void *b)
{
    const struct window_scope *x = &((const struct ranked *)a)->scope;
    const struct window_scope *y = &((const struct ranked *)b)->scope;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->nest < y->nest ? -1 : x->nest > y->nest;
}

static void scopes_sort(struct window_tree *tree, uint32_t *place)
{
    struct ranked *ranked = mem_alloc((tree->n + 1) * sizeof *ranked);
    for (uint32_t i = 0; i < tree->n; i++)
        ranked[i] = (struct ranked){tree->at[i], i};
    qsort(ranked, tree->n, sizeof *ranked, by_place);
    for (uint32_t i = 0; i < tree->n; i++) {
        tree->at[i] = ranked[i].scope;
        place[ranked[i].was] = i;
    }
    mem_free(ranked);
    for (uint32_t i = 0; i < tree->n; i++)
        if (tree->at[i].parent != SCOPE_NONE)
            tree->at[i].parent = place[tree->at[i].parent];
}

/* They were met in order of time; now those of each loop stand together. */
static void iterations_sort(struct builder *builder, const uint32_t *place)
{
    struct window_tree *tree = builder->tree;
    uint32_t first = 0;
    for (size_t i = 0; i < builder->met.n; i++)
        tree->at[place[builder->met.at[i].scope]].iterations++;
    for (uint32_t i = 0; i < tree->n; i++) {
        tree->at[i].first_iteration = first;
        first += tree->at[i].iterations;
        tree->at[i].iterations = 0;
    }
    vec_reserve(&tree->iterations, first);
    tree->iterations.n = first;
    for (size_t i = 0; i < builder->met.n; i++) {
        struct window_scope *loop = &tree->at[place[builder->met.at[i].scope]];
        tree->iterations.at[loop->first_iteration + loop->iterations++] = builder->met.at[i].at;
    }
}

static void settle(struct builder *builder)
{
    struct window_tree *tree = builder->tree;
    uint32_t *place = mem_alloc((tree->n + 1) * sizeof *place);
    int32_t least = 0, most = 0;
    for (size_t i = 0; i < builder->open.n; i++)
        scope_of(builder, i)->after = true;
    close_to(builder, 0);
    for (uint32_t i = 0; i < tree->n; i++) {
        least = tree->at[i].depth < least ? tree->at[i].depth : least;
        most = tree->at[i].depth > most ? tree->at[i].depth : most;
    }
    for (uint32_t i = 0; i < tree->n; i++)
        tree->at[i].depth -= least;
    for (size_t i = 0; i < tree->depths.n; i++)
        tree->depths.at[i] -= least;
    tree->levels = tree->n ? (uint32_t)(most - least + 1) : 0;
    scopes_sort(tree, place);
    iterations_sort(builder, place);
    mem_free(place);
}

void window_tree_build(struct window_tree *tree, struct window_code *code,
                       const struct windows *windows, size_t index)
{
    struct window_reader *reader = mem_alloc(sizeof *reader);
    const struct window_run *run;
    *tree = (struct window_tree){.code = code};
    struct builder builder = {.tree = tree, .code = code};
    window_open(reader, windows, index);
    while (!tree->broken && window_read(reader, &run)) {
        uint32_t known = window_code_run(code, run); /* the first time, this moves the runs */
        struct window_code_run made = code->runs.at[known];
        tree->broken = tree->steps.n + made.n > WINDOW_MOST;
        for (uint32_t i = 0; i < made.n && !tree->broken; i++)
            step(&builder, made.first + (made.opaque ? 0 : i));
    }
    tree->broken |= reader->broken;
    settle(&builder);
    vec_release(&builder.open);
    vec_release(&builder.met);
    mem_free(reader);
}

void window_tree_release(struct window_tree *tree)
{
    vec_release(&tree->steps);
    vec_release(&tree->depths);
    vec_release(&tree->iterations);
    vec_release(tree);
}
