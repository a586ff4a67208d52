#include "analysis/loops/loop_fold.h"

#include "analysis/loops/loop_memory.h"
#include "base/memory.h"

#include <string.h>

enum { NO_ADDRESS = 0 };

/* One window on its way into the rows. */
struct pass {
    struct loop_fold *fold;
    struct window_tree tree;
    struct loop_memory memory;
    uint64_t *addresses; /* of each step; NO_ADDRESS: none */
    uint32_t *scope_of;  /* of each step */
    uint32_t *row_of;    /* of each scope that is a loop */
    uint64_t *entry_of;
    uint32_t *cursor; /* iterations of each scope that have begun */
};

void loop_fold_init(struct loop_fold *fold, struct window_code *code, const struct windows *windows)
{
    *fold = (struct loop_fold){.code = code, .windows = windows};
    map_init(&fold->keys, sizeof(uint32_t));
    map_init(&fold->places, 2 * sizeof(uint64_t));
    map_init(&fold->access_keys, 2 * sizeof(uint32_t));
    map_init(&fold->carried_keys, 3 * sizeof(uint32_t));
    map_init(&fold->call_keys, 2 * sizeof(uint32_t));
}

void loop_fold_release(struct loop_fold *fold)
{
    for (size_t i = 0; i < fold->rows.n; i++) {
        vec_release(&fold->rows.at[i].accesses);
        vec_release(&fold->rows.at[i].runs);
        vec_release(&fold->rows.at[i].carried);
        vec_release(&fold->rows.at[i].calls);
    }
    vec_release(&fold->rows);
    vec_release(&fold->sums);
    vec_release(&fold->insns);
    vec_release(&fold->firsts);
    vec_release(&fold->same);
    vec_release(&fold->access_index);
    vec_release(&fold->carried_index);
    vec_release(&fold->call_index);
    vec_release(&fold->window_sizes);
    vec_release(&fold->window_weights);
    map_release(&fold->keys);
    map_release(&fold->places);
    map_release(&fold->access_keys);
    map_release(&fold->carried_keys);
    map_release(&fold->call_keys);
}

/* ---- rows and what is in them */

static uint32_t row_get(struct loop_fold *fold, uint32_t loop)
{
    uint32_t n = fold->keys.n, row = map_add(&fold->keys, &loop);
    const struct window_loop *its = &fold->code->loops.at[loop];
    if (row == n)
        *vec_push(&fold->rows) =
            (struct loop_row){.loop = loop,
                              .module = fold->code->functions.at[its->function].module,
                              .head = its->head,
                              .least = UINT32_MAX};
    return row;
}

/* Reads those that are new. */
static void insns_follow(struct loop_fold *fold)
{
    while (fold->insns.n < fold->code->insns.n) {
        uint32_t index = (uint32_t)fold->insns.n;
        const struct window_insn *insn = &fold->code->insns.at[index];
        const struct binary *binary = scene_binary(fold->code->scene, insn->module);
        const uint64_t key[] = {insn->module, insn->at};
        uint32_t n = fold->places.n, place = map_add(&fold->places, key);
        if (place == n)
            *vec_push(&fold->firsts) = index;
        *vec_push(&fold->same) = fold->firsts.at[place];
        loop_insn_read(vec_push(&fold->insns), binary ? &binary->image : NULL,
                       (struct svma){insn->at});
    }
}

static struct loop_access *access_get(struct loop_fold *fold, uint32_t row, uint32_t insn)
{
    const uint32_t key[] = {row, insn};
    struct loop_row *its = &fold->rows.at[row];
    uint32_t n = fold->access_keys.n, index = map_add(&fold->access_keys, key);
    if (index == n) {
        *vec_push(&fold->access_index) = (uint32_t)its->accesses.n;
        *vec_push(&its->accesses) = (struct loop_access){
            .insn = insn, .at = fold->code->insns.at[insn].at, .what = fold->insns.at[insn]};
    }
    return &its->accesses.at[fold->access_index.at[index]];
}

static void carried_add(struct loop_fold *fold, uint32_t row, uint32_t from, uint32_t to,
                        uint32_t iterations)
{
    const uint32_t key[] = {row, from, to};
    struct loop_row *its = &fold->rows.at[row];
    const struct window_insn *insns = fold->code->insns.at;
    uint32_t n = fold->carried_keys.n, index = map_add(&fold->carried_keys, key);
    if (index == n) {
        *vec_push(&fold->carried_index) = (uint32_t)its->carried.n;
        *vec_push(&its->carried) = (struct loop_carried){.module_from = insns[from].module,
                                                         .module = insns[to].module,
                                                         .from = insns[from].at,
                                                         .at = insns[to].at,
                                                         .least = UINT32_MAX};
    }
    struct loop_carried *carried = &its->carried.at[fold->carried_index.at[index]];
    carried->n++;
    carried->least = iterations < carried->least ? iterations : carried->least;
    carried->distances[loop_distance_bin(iterations)]++;
}

static void call_add(struct loop_fold *fold, uint32_t row, const struct window_scope *call)
{
    bool pointer =
        call->site != SCOPE_NONE && fold->code->insns.at[call->site].kind == INSTRUCTION_ICALL;
    const uint32_t key[] = {row, call->function};
    struct loop_row *its = &fold->rows.at[row];
    uint32_t n = fold->call_keys.n, index = map_add(&fold->call_keys, key);
    if (index == n) {
        *vec_push(&fold->call_index) = (uint32_t)its->calls.n;
        *vec_push(&its->calls) = (struct loop_call){.function = call->function};
    }
    its->calls.at[fold->call_index.at[index]].n++;
    its->calls.at[fold->call_index.at[index]].pointer |= pointer;
}

/* The rarest makes room for a new one, which stays behind by its count (as space-saving lists do).
 */
static void stride_add(struct loop_access *access, int64_t bytes)
{
    struct loop_stride *rarest = &access->strides[0];
    access->steps++;
    for (size_t i = 0; i < LOOP_STRIDES; i++) {
        struct loop_stride *stride = &access->strides[i];
        if (stride->n && stride->bytes == bytes) {
            stride->n++;
            return;
        }
        if (stride->n + stride->over < rarest->n + rarest->over)
            rarest = stride;
    }
    *rarest = (struct loop_stride){bytes, 1, rarest->n + rarest->over};
}

/* ---- a window: scopes */

static void scope_sum(struct pass *pass, uint32_t index, struct loop_sum *sum)
{
    const struct window_scope *scope = &pass->tree.at[index];
    struct loop_row *row = &pass->fold->rows.at[pass->row_of[index]];
    row->entries += !scope->before;
    if (!scope->before)
        *vec_push(&row->runs) = (struct loop_run){
            scope->iterations, (uint16_t)(sum->window % LOOP_GROUPS), scope->after};
    row->iterations += scope->iterations;
    row->instructions += scope->own;
    if (!scope->before && !scope->after) {
        row->whole++;
        row->least = scope->iterations < row->least ? scope->iterations : row->least;
    }
    row->most = scope->iterations > row->most ? scope->iterations : row->most;
    sum->own += scope->own;
}

/* The sum of the row in this window. */
static struct loop_sum *sum_get(struct loop_fold *fold, uint32_t row, uint32_t window, size_t first)
{
    for (size_t i = first; i < fold->sums.n; i++)
        if (fold->sums.at[i].row == row)
            return &fold->sums.at[i];
    struct loop_sum *sum = vec_push(&fold->sums);
    *sum = (struct loop_sum){.row = row, .window = window};
    return sum;
}

static void scopes_take(struct pass *pass, uint32_t window)
{
    struct loop_fold *fold = pass->fold;
    const struct window_tree *tree = &pass->tree;
    size_t first = fold->sums.n;
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct window_scope *scope = &tree->at[i];
        pass->row_of[i] = SCOPE_NONE;
        for (uint32_t s = scope->from; s < scope->to; s++)
            pass->scope_of[s] = i;
        if (scope->kind == SCOPE_LOOP) {
            pass->row_of[i] = row_get(fold, scope->loop);
            pass->entry_of[i] = ++fold->entries;
            scope_sum(pass, i, sum_get(fold, pass->row_of[i], window, first));
        } else if (scope->parent != SCOPE_NONE && tree->at[scope->parent].kind == SCOPE_LOOP &&
                   !scope->tail) {
            call_add(fold, pass->row_of[scope->parent], scope);
        }
    }
}

/* ---- a window: steps */

/* Which iteration of the scope the step is in, from 1; 0: of one that began before. */
static uint32_t iteration_of(const struct window_tree *tree, uint32_t scope, uint32_t step)
{
    const struct window_scope *its = &tree->at[scope];
    const uint32_t *firsts = &tree->iterations.at[its->first_iteration];
    uint32_t low = 0, high = its->iterations;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (firsts[middle] <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t iteration_now(struct pass *pass, uint32_t scope, uint32_t step)
{
    const struct window_scope *its = &pass->tree.at[scope];
    const uint32_t *firsts = &pass->tree.iterations.at[its->first_iteration];
    while (pass->cursor[scope] < its->iterations && firsts[pass->cursor[scope]] <= step)
        pass->cursor[scope]++;
    return pass->cursor[scope];
}

static void branch_take(const struct pass *pass, struct loop_access *access, uint32_t scope,
                        uint32_t step)
{
    const struct window_tree *tree = &pass->tree;
    const struct window_insn *insns = pass->fold->code->insns.at;
    const struct window_insn *insn = &insns[tree->steps.at[step]];
    if (insn->kind != INSTRUCTION_COND || step + 1 >= tree->steps.n)
        return;
    const struct window_insn *next = &insns[tree->steps.at[step + 1]];
    access->taken += next->module == insn->module && next->at == insn->target;
    if (tree->at[scope].to == step + 1)
        access->leaves++;
    else
        access->back += next->head && next->loop == insn->loop;
}

/* An instruction of the innermost loop itself. */
static void own_take(struct pass *pass, uint32_t scope, uint32_t step)
{
    uint32_t index = pass->fold->same.at[pass->tree.steps.at[step]];
    struct loop_access *access = access_get(pass->fold, pass->row_of[scope], index);
    uint64_t address = pass->addresses[step], entry = pass->entry_of[scope];
    access->n++;
    branch_take(pass, access, scope, step);
    if (address == NO_ADDRESS || !(access->what.loads | access->what.stores))
        return;
    uint32_t iteration = iteration_now(pass, scope, step);
    if (access->last_entry == entry && access->last_iteration + 1 == iteration)
        stride_add(access, (int64_t)(address - access->last));
    access->last = address;
    access->last_iteration = iteration;
    access->last_entry = entry;
}

/* A load belongs to the innermost loop that was entered before the store: if their iterations of it
 * differ, it carries the value. */
static void load_take(struct pass *pass, uint32_t step, uint32_t stored)
{
    const struct window_tree *tree = &pass->tree;
    const uint32_t *same = pass->fold->same.at;
    for (uint32_t i = pass->scope_of[step]; i != SCOPE_NONE; i = tree->at[i].parent) {
        if (tree->at[i].kind != SCOPE_LOOP || tree->at[i].from > stored)
            continue;
        uint32_t now = iteration_of(tree, i, step), then = iteration_of(tree, i, stored);
        if (now > then)
            carried_add(pass->fold, pass->row_of[i], same[tree->steps.at[stored]],
                        same[tree->steps.at[step]], now - then);
        return;
    }
}

static void memory_take(struct pass *pass, uint32_t step)
{
    const struct loop_insn *insn = &pass->fold->insns.at[pass->tree.steps.at[step]];
    uint64_t address = pass->addresses[step];
    if (address == NO_ADDRESS)
        return;
    if (insn->loads) {
        uint32_t stored = loop_memory_load(&pass->memory, address, insn->loads);
        if (stored != LOOP_NOT_STORED)
            load_take(pass, step, stored);
    }
    if (insn->stores)
        loop_memory_store(&pass->memory, address, insn->stores, step);
}

static void steps_take(struct pass *pass)
{
    const struct window_tree *tree = &pass->tree;
    for (uint32_t s = 0; s < tree->steps.n; s++) {
        uint32_t scope = pass->scope_of[s];
        const struct window_insn *insn = &pass->fold->code->insns.at[tree->steps.at[s]];
        if (insn->kind == CODE_OPAQUE)
            continue;
        if (scope != SCOPE_NONE && tree->at[scope].kind == SCOPE_LOOP &&
            insn->loop == tree->at[scope].loop)
            own_take(pass, scope, s);
        memory_take(pass, s);
    }
}

/* The addresses of the steps, read again. */
static void addresses_read(struct pass *pass, size_t index)
{
    struct window_reader *reader = mem_alloc(sizeof *reader);
    const struct window_run *run;
    size_t step = 0, n = pass->tree.steps.n;
    window_open(reader, pass->fold->windows, index);
    while (step < n && window_read(reader, &run)) {
        uint32_t known = window_code_run(pass->fold->code, run);
        struct window_code_run made = pass->fold->code->runs.at[known];
        for (uint32_t i = 0; i < reader->n && !made.opaque; i++)
            if (reader->instructions[i] < made.n && step + reader->instructions[i] < n)
                pass->addresses[step + reader->instructions[i]] = reader->addresses[i];
        step += made.n;
    }
    mem_free(reader);
}

void loop_fold_window(struct loop_fold *fold, size_t index)
{
    struct pass pass = {.fold = fold};
    const struct window *window = &fold->windows->at[index];
    window_tree_build(&pass.tree, fold->code, fold->windows, index);
    size_t steps = pass.tree.steps.n, scopes = pass.tree.n;
    pass.addresses = mem_alloc((steps + 1) * sizeof *pass.addresses);
    pass.scope_of = mem_alloc((steps + 1) * sizeof *pass.scope_of);
    pass.row_of = mem_alloc((scopes + 1) * sizeof *pass.row_of);
    pass.entry_of = mem_alloc((scopes + 1) * sizeof *pass.entry_of);
    pass.cursor = mem_alloc((scopes + 1) * sizeof *pass.cursor);
    memset(pass.scope_of, 0xff, (steps + 1) * sizeof *pass.scope_of);
    loop_memory_init(&pass.memory);
    fold->addressed += window->addressed;
    if (window->addressed)
        addresses_read(&pass, index);
    insns_follow(fold);
    scopes_take(&pass, (uint32_t)fold->window_sizes.n);
    steps_take(&pass);
    *vec_push(&fold->window_sizes) = (double)steps;
    *vec_push(&fold->window_weights) = (double)window->weight_ns;
    loop_memory_release(&pass.memory);
    window_tree_release(&pass.tree);
    mem_free(pass.addresses);
    mem_free(pass.scope_of);
    mem_free(pass.row_of);
    mem_free(pass.entry_of);
    mem_free(pass.cursor);
}
