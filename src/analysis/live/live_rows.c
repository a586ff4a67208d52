#include "analysis/live/live_rows.h"

#include "profile/sums.h"

#include <stdlib.h>
#include <string.h>

struct lister {
    struct live_rows *rows;
    const struct live *live;
    const struct live_query *query;
    struct map keys;     /* of rows; those of functions are found by row_of */
    uint32_t *row_of;    /* for each function: its row + 1; 0: none yet */
    struct map hot_keys; /* row and function */
    struct hot_weights {
        VEC(uint64_t);
    } hot;
    uint32_t *stamps; /* for each row: the last cell that was added to its total */
    size_t n_stamps;
    uint32_t cell; /* counts them from 1 */
};

static const struct live_function *function_of(const struct live *live, uint32_t node)
{
    uint32_t function = live->function_of.at[node];
    return function == LIVE_NONE ? NULL : &live->code.functions.at[function];
}

/* ---- which row */

static const char *module_name(const struct live *live, uint32_t module)
{
    return module < live->code.modules.n ? live->code.modules.at[module].name : "[unknown]";
}

static bool module_is_kernel(const struct live *live, uint32_t module)
{
    return module < live->code.modules.n && live->code.modules.at[module].kernel;
}

static uint32_t row_at(struct lister *lister, uint64_t key)
{
    uint32_t index = map_add(&lister->keys, &key);
    if (index == lister->rows->n)
        *vec_push(lister->rows) =
            (struct live_row){.function = LIVE_NONE, .module_id = LIVE_NONE, .hottest = LIVE_NONE};
    return index;
}

static uint32_t function_row(struct lister *lister, uint32_t function)
{
    const struct live_function *code = &lister->live->code.functions.at[function];
    if (lister->row_of[function])
        return lister->row_of[function] - 1;
    uint32_t index = (uint32_t)lister->rows->n;
    struct live_row *row = vec_push(lister->rows);
    lister->row_of[function] = index + 1;
    row->hottest = LIVE_NONE;
    row->name = code->readable;
    row->module = module_name(lister->live, code->module);
    row->module_id = code->module;
    row->kernel = module_is_kernel(lister->live, code->module);
    row->function = function;
    return index;
}

static uint32_t module_row(struct lister *lister, uint32_t module)
{
    uint32_t index = row_at(lister, module);
    struct live_row *row = &lister->rows->at[index];
    row->name = module_name(lister->live, module);
    row->module_id = module;
    row->kernel = module_is_kernel(lister->live, module);
    return index;
}

static uint32_t thread_row(struct lister *lister, uint32_t pid, uint32_t tid)
{
    bool process = lister->query->by == LIVE_PROCESS;
    uint32_t index = row_at(lister, process ? pid : stack_thread(pid, tid));
    struct live_row *row = &lister->rows->at[index];
    row->pid = pid;
    row->tid = process ? 0 : tid;
    return index;
}

/* ---- samples */

static bool wanted(const struct lister *lister, uint32_t pid, uint32_t tid)
{
    const struct live_query *query = lister->query;
    return (!query->pid || query->pid == pid) && (!query->tid || query->tid == tid);
}

static struct stack_key root_of(const struct live *live, uint32_t node)
{
    struct stack_key key = stacks_key(&live->nodes, node);
    while (key.parent != STACK_NONE)
        key = stacks_key(&live->nodes, key.parent);
    return key;
}

/* Adds to the total of a row, once for each cell. */
static void total_add(struct lister *lister, uint32_t row, const struct live_cell *cell)
{
    if (row >= lister->n_stamps) {
        size_t room = 2 * (size_t)row + 64;
        lister->stamps = mem_resize(lister->stamps, room * sizeof *lister->stamps);
        memset(lister->stamps + lister->n_stamps, 0,
               (room - lister->n_stamps) * sizeof *lister->stamps);
        lister->n_stamps = room;
    }
    if (lister->stamps[row] == lister->cell)
        return;
    lister->stamps[row] = lister->cell;
    groups_add(&lister->rows->at[row].total, cell->group, cell->weight);
}

static void hot_add(struct lister *lister, uint32_t row, uint32_t function, uint64_t weight)
{
    uint64_t key = (uint64_t)row << 32 | function;
    uint32_t index = map_add(&lister->hot_keys, &key);
    if (index == lister->hot.n)
        *vec_push(&lister->hot) = 0;
    sum_add(&lister->hot.at[index], weight);
}

static void functions_add(struct lister *lister, const struct live_cell *cell)
{
    const struct live *live = lister->live;
    uint32_t leaf = live->function_of.at[cell->node];
    if (leaf == LIVE_NONE)
        return;
    uint32_t row = function_row(lister, leaf); /* may move the rows */
    groups_add(&lister->rows->at[row].self, cell->group, cell->weight);
    for (uint32_t node = cell->node; live->function_of.at[node] != LIVE_NONE;
         node = stacks_key(&live->nodes, node).parent)
        total_add(lister, function_row(lister, live->function_of.at[node]), cell);
}

/* The caller of the innermost activation of the function; of the outermost function of a thread, it
 * is the thread itself, which has no row. */
static void callers_add(struct lister *lister, const struct live_cell *cell)
{
    const struct live *live = lister->live;
    uint32_t node = cell->node, wanted_function = lister->query->function;
    while (live->function_of.at[node] != LIVE_NONE && live->function_of.at[node] != wanted_function)
        node = stacks_key(&live->nodes, node).parent;
    if (live->function_of.at[node] == LIVE_NONE)
        return;
    groups_add(&lister->rows->all, cell->group, cell->weight);
    while (live->function_of.at[node] == wanted_function)
        node = stacks_key(&live->nodes, node).parent;
    if (live->function_of.at[node] == LIVE_NONE)
        return;
    uint32_t row = function_row(lister, live->function_of.at[node]);
    groups_add(&lister->rows->at[row].self, cell->group, cell->weight);
}

static void cell_add(struct lister *lister, const struct live_cell *cell)
{
    const struct live *live = lister->live;
    uint64_t thread = root_of(live, cell->node).address;
    const struct live_function *leaf = function_of(live, cell->node);
    uint32_t module = leaf ? leaf->module : LIVE_NONE;
    lister->cell++;
    if (!wanted(lister, (uint32_t)(thread >> 32), (uint32_t)thread) ||
        (lister->query->module != LIVE_NONE && lister->query->module != module))
        return;
    if (lister->query->by == LIVE_CALLER) {
        callers_add(lister, cell);
        return;
    }
    groups_add(&lister->rows->all, cell->group, cell->weight);
    if (lister->query->by == LIVE_FUNCTION) {
        functions_add(lister, cell);
        return;
    }
    uint32_t row = lister->query->by == LIVE_MODULE
                       ? module_row(lister, module)
                       : thread_row(lister, (uint32_t)(thread >> 32), (uint32_t)thread);
    groups_add(&lister->rows->at[row].self, cell->group, cell->weight);
    if (leaf)
        hot_add(lister, row, live->function_of.at[cell->node], cell->weight);
}

/* ---- threads */

/* A process is called like its first thread. */
static void time_add(struct lister *lister, const struct live_time *time)
{
    bool process = lister->query->by == LIVE_PROCESS;
    if (!wanted(lister, time->pid, time->tid))
        return;
    uint32_t index = thread_row(lister, time->pid, time->tid); /* may move the rows */
    struct live_row *row = &lister->rows->at[index];
    if (!row->name || !process || time->pid == time->tid)
        row->name = time->name;
    sum_add(&row->user_ns, time->user_ns);
    sum_add(&row->kernel_ns, time->kernel_ns);
}

/* ---- figures */

static void hottest_find(struct lister *lister)
{
    uint64_t *most = mem_alloc((lister->rows->n + 1) * sizeof *most);
    for (uint32_t i = 0; i < lister->hot.n; i++) {
        uint64_t key;
        memcpy(&key, map_key(&lister->hot_keys, i), sizeof key);
        if (lister->hot.at[i] <= most[key >> 32])
            continue;
        most[key >> 32] = lister->hot.at[i];
        lister->rows->at[key >> 32].hottest = (uint32_t)key;
    }
    mem_free(most);
}

static bool is_timed(const struct lister *lister)
{
    return lister->live->measured &&
           (lister->query->by == LIVE_PROCESS || lister->query->by == LIVE_THREAD);
}

static void row_figures(const struct lister *lister, struct live_row *row)
{
    const struct live_rows *rows = lister->rows;
    row->seconds = (double)row->self.sum / 1e9;
    row->share = groups_share(&row->self, &rows->all, rows->weight_ns);
    row->total_share = groups_share(&row->total, &rows->all, rows->weight_ns);
    if (!is_timed(lister))
        return;
    row->seconds = (double)(row->user_ns + row->kernel_ns) / 1e9;
    double share = rows->seconds > 0 ? row->seconds / rows->seconds : 0;
    row->share = (struct estimate){share, share, share};
}

static void figures_fill(struct lister *lister)
{
    struct live_rows *rows = lister->rows;
    struct live_sum sum = live_sum(lister->live);
    uint64_t weight = 0;
    for (size_t i = 0; i < lister->live->slices.n; i++)
        for (size_t k = 0; k < lister->live->slices.at[i].cells.n; k++)
            sum_add(&weight, lister->live->slices.at[i].cells.at[k].weight);
    rows->weight_ns = sum.samples ? (double)weight / (double)sum.samples : 0;
    rows->seconds = (double)rows->all.sum / 1e9;
    if (is_timed(lister)) {
        rows->seconds = 0;
        for (size_t i = 0; i < rows->n; i++)
            rows->seconds += (double)(rows->at[i].user_ns + rows->at[i].kernel_ns) / 1e9;
    }
    for (size_t i = 0; i < rows->n; i++)
        row_figures(lister, &rows->at[i]);
}

static int row_order(const void *a, const void *b)
{
    const struct live_row *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    if (x->total.sum != y->total.sum)
        return x->total.sum > y->total.sum ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

void live_rows_make(struct live_rows *rows, const struct live *live, const struct live_query *query)
{
    struct lister lister = {.rows = rows, .live = live, .query = query};
    *rows = (struct live_rows){0};
    lister.row_of = mem_alloc((live->code.functions.n + 1) * sizeof *lister.row_of);
    map_init(&lister.keys, sizeof(uint64_t));
    map_init(&lister.hot_keys, sizeof(uint64_t));
    for (size_t i = 0; i < live->slices.n; i++) {
        const struct live_slice *slice = &live->slices.at[i];
        for (size_t k = 0; k < slice->cells.n; k++)
            cell_add(&lister, &slice->cells.at[k]);
        for (size_t k = 0;
             (query->by == LIVE_PROCESS || query->by == LIVE_THREAD) && k < slice->times.n; k++)
            time_add(&lister, &slice->times.at[k]);
    }
    hottest_find(&lister);
    figures_fill(&lister);
    if (rows->n)
        qsort(rows->at, rows->n, sizeof *rows->at, row_order);
    mem_free(lister.row_of);
    mem_free(lister.stamps);
    vec_release(&lister.hot);
    map_release(&lister.hot_keys);
    map_release(&lister.keys);
}

void live_rows_release(struct live_rows *rows)
{
    vec_release(rows);
}
