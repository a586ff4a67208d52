#include "analysis/waits/wait_view.h"

#include "analysis/counts/code_owner.h"
#include "analysis/counts/labels.h"
#include "analysis/counts/scene.h"
#include "base/err.h"
#include "base/memory.h"
#include "profile/waits.h"
#include "program/names/match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_FRAMES_MAX = 128 };

const char *wait_by_name(enum wait_by by)
{
    static const char *const names[] = {"reason", "thread", "stack"};
    return names[by];
}

/* What the nodes of the profile become. */
struct folding {
    struct wait_view *view;
    const struct profile *profile;
    const struct stacks *stacks;
    uint32_t *root_of; /* node of the thread */
    uint32_t *node_of; /* of view->nodes: the user code above it, itself included */
    uint32_t *user_of; /* the innermost node of user code above it, itself included; or its root */
    bool *wanted;      /* it or a caller has the name that is asked for */
    uint32_t calls;    /* module of system calls; MODULE_NONE: none */
};

/* ---- stacks */

/* Key: no padding, compared by bytes. Names are known by their places in memory. */
struct node_key {
    uint64_t parent;
    const char *linkage, *line;
};

/* `any`: at whatever line of the function. */
static uint32_t node_add(struct wait_view *view, uint32_t parent, const struct stack_key *key,
                         const struct code_owner *code, bool any)
{
    const char *line = any ? "" : line_text(view->scene, code->module, key->address);
    struct node_key name = {parent, code->linkage, intern_text(&view->texts, line)};
    uint32_t index = map_add(&view->node_keys, &name) + 1;
    if (index == view->nodes.n)
        *vec_push(&view->nodes) =
            (struct wait_node){.parent = parent,
                               .module = code->module,
                               .start = code->start,
                               .site = any && code->start ? code->start : key->address,
                               .linkage = code->linkage,
                               .line = name.line};
    return index;
}

static bool name_wanted(const struct wait_view *view, const char *linkage)
{
    const char *wanted = view->filter.function;
    return wanted && name_matches(wanted, linkage, scene_readable(view->scene, linkage));
}

static void node_fold(struct folding *fold, uint32_t node)
{
    struct stack_key key = stacks_key(fold->stacks, node);
    if (key.parent == STACK_NONE) {
        fold->root_of[node] = fold->user_of[node] = node;
        fold->wanted[node] = !fold->view->filter.function;
        return;
    }
    fold->root_of[node] = fold->root_of[key.parent];
    fold->node_of[node] = fold->node_of[key.parent];
    fold->user_of[node] = fold->user_of[key.parent];
    fold->wanted[node] = fold->wanted[key.parent];
    if (key.module == fold->calls || profile_module_is_kernel(fold->profile, key.module))
        return;
    struct code_owner code = code_owner_find(fold->view->scene, 0, key.module, key.address);
    fold->node_of[node] = node_add(fold->view, fold->node_of[key.parent], &key, &code, false);
    fold->user_of[node] = node;
    fold->wanted[node] |= name_wanted(fold->view, code.linkage);
}

/* A thread that waits does so at a line. One that lost its CPU was anywhere in the function: it is
 * that of any line. */
static uint32_t stack_of(struct folding *fold, uint32_t node, bool runnable)
{
    uint32_t user = fold->user_of[node];
    struct stack_key key = stacks_key(fold->stacks, user);
    if (!runnable || key.parent == STACK_NONE)
        return fold->node_of[node];
    struct code_owner code = code_owner_find(fold->view->scene, 0, key.module, key.address);
    return node_add(fold->view, fold->node_of[key.parent], &key, &code, true);
}

/* A root is of no module, and so may be that of system calls. */
static uint64_t holder_of(const struct folding *fold, uint32_t node, bool runnable)
{
    struct stack_key leaf = stacks_key(fold->stacks, node);
    bool call = leaf.parent != STACK_NONE && leaf.module == fold->calls;
    return call && !runnable ? leaf.address >> WAIT_HOLDER_SHIFT : 0;
}

static uint32_t calls_module(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (strcmp(profile->modules.at[i].path, WAIT_MODULE) == 0)
            return i;
    return MODULE_NONE;
}

static struct wait_reason reason_of(const struct folding *fold, uint32_t node, bool runnable)
{
    const char *names[KERNEL_FRAMES_MAX];
    size_t n = 0;
    struct stack_key key = stacks_key(fold->stacks, node);
    if (key.parent == STACK_NONE)
        return wait_reason_unseen(runnable);
    if (key.module == fold->calls) {
        struct stack_key above = stacks_key(fold->stacks, key.parent);
        if (!profile_module_is_kernel(fold->profile, above.module))
            return wait_reason_of_call(key.address & UINT32_MAX);
        key = above;
    }
    while (key.parent != STACK_NONE && n < KERNEL_FRAMES_MAX &&
           profile_module_is_kernel(fold->profile, key.module)) {
        names[n++] = code_owner_find(fold->view->scene, 0, key.module, key.address).linkage;
        key = stacks_key(fold->stacks, key.parent);
    }
    return wait_reason_find(names, n, runnable);
}

/* ---- rows */

/* Of one node, kind by kind. */
struct weights {
    uint64_t at[STACK_GROUPS];
};

/* Key: no padding, compared by bytes. */
struct row_key {
    uint64_t reason, syscall, what; /* 0: not a part of it; thread or stack */
};
struct thread_key {
    uint32_t by, row, root;
};

static struct wait_row *row_of(struct wait_view *view, enum wait_by by, struct row_key key,
                               uint32_t root)
{
    struct wait_rows *rows = &view->rows[by];
    uint32_t index = map_add(&rows->keys, &key), known = view->thread_keys.n;
    struct thread_key thread = {by, index, root};
    if (index == rows->n)
        *vec_push(rows) = (struct wait_row){.reason = "", .syscall = ""};
    rows->at[index].threads += map_add(&view->thread_keys, &thread) == known;
    return &rows->at[index];
}

static void row_add(struct wait_row *row, const uint64_t *weights, bool runnable)
{
    row->ns += weights[WAIT_NS];
    row->n += weights[WAIT_COUNT];
    row->seen += weights[WAIT_SEEN];
    row->runnable_ns += runnable ? weights[WAIT_NS] : 0;
    if (weights[WAIT_LONGEST] > row->longest_ns)
        row->longest_ns = weights[WAIT_LONGEST];
}

static bool reason_wanted(const struct wait_view *view, const char *reason, const char *syscall)
{
    const char *wanted = view->filter.reason;
    return !wanted || strcmp(wanted, reason) == 0 || strcmp(wanted, syscall) == 0 ||
           (strncmp(wanted, reason, strlen(wanted)) == 0 && reason[strlen(wanted)] == ' ');
}

static void wait_add(struct folding *fold, uint32_t node, const uint64_t *weights, bool runnable)
{
    struct wait_view *view = fold->view;
    struct wait_reason reason = reason_of(fold, node, runnable);
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)reason.syscall_bytes, reason.syscall);
    const char *what = intern_text(&view->texts, reason.what);
    const char *syscall = intern_text(&view->texts, text);
    uint64_t thread = stacks_key(fold->stacks, fold->root_of[node]).address;
    uint64_t holder = holder_of(fold, node, runnable);
    uint32_t root = fold->root_of[node], stack = stack_of(fold, node, runnable);
    if (!reason_wanted(view, what, syscall))
        return;
    uint64_t why = (uintptr_t)what, call = (uintptr_t)syscall;
    struct row_key keys[WAIT_BYS] = {[WAIT_BY_REASON] = {why, call, 0},
                                     [WAIT_BY_THREAD] = {0, 0, thread},
                                     [WAIT_BY_STACK] = {why, call, stack | holder << 32}};
    for (uint32_t by = 0; by < WAIT_BYS; by++) {
        struct wait_row *row = row_of(view, (enum wait_by)by, keys[by], root);
        row->thread = thread;
        row->stack = stack;
        row->holder = by == WAIT_BY_STACK && holder ? thread >> 32 << 32 | holder : 0;
        if (by != WAIT_BY_THREAD) {
            row->reason = what;
            row->syscall = syscall;
        }
        row_add(row, weights, runnable);
    }
    view->ns += weights[WAIT_NS];
    view->n += weights[WAIT_COUNT];
    view->seen += weights[WAIT_SEEN];
    if (weights[WAIT_LONGEST] > view->longest_ns)
        view->longest_ns = weights[WAIT_LONGEST];
}

static bool thread_wanted(const struct wait_view *view, uint64_t thread)
{
    return (!view->filter.pid || view->filter.pid == thread >> 32) &&
           (!view->filter.tid || view->filter.tid == (uint32_t)thread);
}

static void waits_add(struct folding *fold)
{
    const struct stacks *stacks = fold->stacks;
    struct weights *all = mem_alloc((stacks->nodes.n + 1) * sizeof *all);
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&stacks->cells, i), sizeof cell);
        all[cell.node].at[cell.group] = stacks->weights.at[i];
    }
    for (uint32_t node = 0; node < stacks->nodes.n; node++) {
        uint64_t thread = stacks_key(stacks, fold->root_of[node]).address;
        for (uint32_t kind = 0; kind < WAIT_KINDS; kind++) {
            const uint64_t *weights = &all[node].at[kind * WAIT_KIND_GROUPS];
            bool any = weights[WAIT_NS] || weights[WAIT_COUNT] || weights[WAIT_LONGEST];
            if (any && fold->wanted[node] && thread_wanted(fold->view, thread))
                wait_add(fold, node, weights, kind);
        }
    }
    mem_free(all);
}

/* The longest first; equal ones as they came. */
static int row_order(const void *a, const void *b)
{
    const struct wait_row *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static void rows_sort(struct wait_rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->n;
         i++) /* rows that only have a longest wait, of all of a thread */
        if (rows->at[i].ns || rows->at[i].n)
            rows->at[kept++] = rows->at[i];
    rows->n = kept;
    if (kept)
        qsort(rows->at, kept, sizeof *rows->at, row_order);
}

bool wait_view_make(struct wait_view *view, struct scene *scene, struct wait_filter filter,
                    struct err *err)
{
    const struct profile *profile = scene->sides[0];
    size_t n = profile->waits.nodes.n;
    struct folding fold = {.view = view,
                           .profile = profile,
                           .stacks = &profile->waits,
                           .calls = calls_module(profile),
                           .root_of = mem_alloc((n + 1) * sizeof *fold.root_of),
                           .node_of = mem_alloc((n + 1) * sizeof *fold.node_of),
                           .user_of = mem_alloc((n + 1) * sizeof *fold.user_of),
                           .wanted = mem_alloc((n + 1) * sizeof *fold.wanted)};
    *view = (struct wait_view){.scene = scene, .filter = filter};
    map_init(&view->node_keys, sizeof(struct node_key));
    map_init(&view->thread_keys, sizeof(struct thread_key));
    intern_init(&view->texts);
    for (int by = 0; by < WAIT_BYS; by++)
        map_init(&view->rows[by].keys, sizeof(struct row_key));
    *vec_push(&view->nodes) = (struct wait_node){.module = MODULE_NONE, .linkage = "", .line = ""};
    for (uint32_t node = 0; node < n; node++)
        node_fold(&fold, node);
    waits_add(&fold);
    for (int by = 0; by < WAIT_BYS; by++)
        rows_sort(&view->rows[by]);
    view->threads = (uint32_t)view->rows[WAIT_BY_THREAD].n;
    mem_free(fold.root_of);
    mem_free(fold.node_of);
    mem_free(fold.user_of);
    mem_free(fold.wanted);
    if (view->n || view->ns) /* of a part of the run: one that ended later */
        return true;
    wait_view_release(view);
    return err_set(err, ERR_MISSING,
                   "no wait is left of those asked for; gait waits without options shows all");
}

void wait_view_release(struct wait_view *view)
{
    for (int by = 0; by < WAIT_BYS; by++) {
        map_release(&view->rows[by].keys);
        vec_release(&view->rows[by]);
    }
    map_release(&view->node_keys);
    map_release(&view->thread_keys);
    vec_release(&view->nodes);
    intern_release(&view->texts);
}

/* ---- figures */

const char *wait_thread_name(const struct wait_view *view, uint64_t thread)
{
    const char *name =
        threads_name(&view->scene->sides[0]->threads, (uint32_t)(thread >> 32), (uint32_t)thread);
    return name ? name : "";
}

/* Waits with a stack are taken to be a random part of all. */
static struct estimate scaled(double value, const struct wait_row *row, enum wait_by by)
{
    double half = 0;
    if (by != WAIT_BY_THREAD && row->seen && row->seen < row->n)
        half = 1.96 * value * sqrt((1 - (double)row->seen / (double)row->n) / (double)row->seen);
    return (struct estimate){value, fmax(value - half, 0), value + half};
}

struct estimate wait_row_time(const struct wait_row *row, enum wait_by by)
{
    return scaled((double)row->ns / 1e9, row, by);
}

struct estimate wait_row_count(const struct wait_row *row, enum wait_by by)
{
    return scaled((double)row->n, row, by);
}
