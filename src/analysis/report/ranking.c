#include "analysis/report/ranking.h"

#include "analysis/counts/code_owner.h"
#include "base/err.h"
#include "profile/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys */

static const char *const key_names[RANK_KEYS] = {
    [RANK_PROCESS] = "process", [RANK_THREAD] = "thread",    [RANK_CPU] = "cpu",
    [RANK_MODULE] = "module",   [RANK_FILE] = "source-file", [RANK_FUNCTION] = "function",
    [RANK_PYTHON] = "python",   [RANK_LINE] = "line"};

const char *rank_key_name(enum rank_key key)
{
    return key_names[key];
}

bool rank_keys_have(const struct rank_keys *keys, enum rank_key key)
{
    for (uint32_t i = 0; i < keys->n; i++)
        if (keys->at[i] == key)
            return true;
    return false;
}

bool rank_keys_parse(const char *text, struct rank_keys *ret_keys)
{
    struct rank_keys keys = {0};
    for (;; text++) {
        size_t bytes = strcspn(text, ",");
        enum rank_key key = 0;
        while (key < RANK_KEYS &&
               (strlen(key_names[key]) != bytes || strncmp(key_names[key], text, bytes) != 0))
            key++;
        if (key == RANK_KEYS || rank_keys_have(&keys, key))
            return false;
        keys.at[keys.n++] = key;
        text += bytes;
        if (!*text)
            break;
    }
    *ret_keys = keys;
    return true;
}

/* Whether rows are of code, which is called, and not of threads alone. */
static bool of_code(const struct rank_keys *keys)
{
    return rank_keys_have(keys, RANK_MODULE) || rank_keys_have(keys, RANK_FILE) ||
           rank_keys_have(keys, RANK_FUNCTION) || rank_keys_have(keys, RANK_PYTHON) ||
           rank_keys_have(keys, RANK_LINE);
}

static bool of_lines(const struct rank_keys *keys)
{
    return rank_keys_have(keys, RANK_FILE) || rank_keys_have(keys, RANK_LINE) ||
           rank_keys_have(keys, RANK_PYTHON);
}

static bool of_threads(const struct rank_keys *keys)
{
    return rank_keys_have(keys, RANK_PROCESS) || rank_keys_have(keys, RANK_THREAD);
}

/* ---- rows */

/* No padding: compared by bytes. What is no key is 0. */
struct place_key {
    uint32_t pid, tid, module, line, cpu, unused;
    uint64_t name, at, file; /* pointers of names that are stored once */
};

/* Of all that is known of a place, what the keys ask for. */
static uint32_t row_at(struct ranking *ranking, struct map *places, const struct rank_row *known)
{
    const struct rank_keys *keys = &ranking->keys;
    struct rank_row row = {.module = MODULE_NONE};
    if (of_threads(keys))
        row.pid = known->pid;
    if (rank_keys_have(keys, RANK_THREAD))
        row.tid = known->tid;
    if (rank_keys_have(keys, RANK_CPU))
        row.cpu = known->cpu;
    bool function = rank_keys_have(keys, RANK_FUNCTION) || rank_keys_have(keys, RANK_PYTHON);
    if (function) {
        row.name = known->name;
        row.at = known->at;
    }
    if (of_lines(keys))
        row.file = known->file;
    if (rank_keys_have(keys, RANK_LINE) || rank_keys_have(keys, RANK_PYTHON))
        row.line = known->line;
    /* Functions of one name are several; and what has no file is told apart by its module. */
    bool module = rank_keys_have(keys, RANK_MODULE) || function;
    if (module || (of_lines(keys) && !known->file))
        row.module = known->module;
    struct place_key key = {.pid = row.pid,
                            .tid = row.tid,
                            .module = row.module,
                            .line = row.line,
                            .cpu = row.cpu,
                            .name = (uintptr_t)row.name,
                            .at = row.at,
                            .file = (uintptr_t)row.file};
    uint32_t i = map_add(places, &key);
    if (i == ranking->n)
        *vec_push(ranking) = row;
    return i;
}

static void line_find(struct ranking *ranking, struct rank_row *row, uint64_t at)
{
    const char *file = NULL;
    struct binary *binary = scene_binary(ranking->scene, row->module);
    if (!of_lines(&ranking->keys) || !binary)
        return;
    if (lines_find(binary_lines(binary), (struct svma){at}, &file, &row->line) && file)
        row->file = intern_text(&ranking->scene->names, file);
}

/* ---- samples */

/* The place that a node counts for: its own or, if Python functions are asked for, that of the
 * nearest of them. UINT32_MAX: there is none. */
static uint32_t place_of(const struct ranking *ranking, const uint32_t *places, uint32_t node)
{
    const struct plain *plain = &ranking->plain;
    struct stack_key key = stacks_key(&plain->profile->stacks, node);
    if (!rank_keys_have(&ranking->keys, RANK_PYTHON) ||
        profile_module_is_python(plain->profile, key.module))
        return node;
    return key.parent == STACK_NONE ? UINT32_MAX : places[key.parent];
}

/* Where a Python function begins, unless lines are asked for. */
static uint64_t line_at(const struct ranking *ranking, const struct plain_function *of, uint64_t at)
{
    bool start =
        rank_keys_have(&ranking->keys, RANK_PYTHON) && !rank_keys_have(&ranking->keys, RANK_LINE);
    return start ? of->start : at;
}

/* The row of each node, UINT32_MAX: none. */
static uint32_t *nodes_place(struct ranking *ranking, struct map *places)
{
    const struct plain *plain = &ranking->plain;
    const struct stacks *stacks = &plain->profile->stacks;
    bool code = of_code(&ranking->keys);
    uint32_t *row_of = mem_alloc((stacks->nodes.n + 1) * sizeof *row_of);
    uint64_t *thread_of = mem_alloc((stacks->nodes.n + 1) * sizeof *thread_of);
    uint32_t *place = mem_alloc((stacks->nodes.n + 1) * sizeof *place);
    uint32_t *cpu_of = mem_alloc((stacks->nodes.n + 1) * sizeof *cpu_of);
    for (uint32_t node = 0; node < stacks->nodes.n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        place[node] = place_of(ranking, place, node);
        uint32_t function =
            place[node] == UINT32_MAX ? PLAIN_NONE : plain->function_of[place[node]];
        thread_of[node] = key.parent == STACK_NONE ? key.address : thread_of[key.parent];
        cpu_of[node] = key.parent == STACK_NONE ? key.module : cpu_of[key.parent];
        row_of[node] = UINT32_MAX;
        const struct plain_function *of =
            function == PLAIN_NONE ? NULL : &plain->functions.at[function];
        bool outside = place[node] == UINT32_MAX && plain->function_of[node] != PLAIN_NONE;
        if (!(plain->flags[node] & PLAIN_KEPT) || (of && !of->shown) || (!of && code && !outside))
            continue;
        struct rank_row row = {.pid = (uint32_t)(thread_of[node] >> 32),
                               .tid = (uint32_t)thread_of[node],
                               .cpu = cpu_of[node],
                               .module = of ? of->module : MODULE_NONE,
                               .name = of ? of->name : NULL,
                               .at = of ? of->start : 0};
        if (of)
            line_find(ranking, &row, line_at(ranking, of, stacks_key(stacks, place[node]).address));
        row_of[node] = row_at(ranking, places, &row);
    }
    mem_free(cpu_of);
    mem_free(place);
    mem_free(thread_of);
    return row_of;
}

/* Up the stack, each row once: `stamps` has, for each row, the last cell that was added to it. */
static void cell_add(struct ranking *ranking, const uint32_t *row_of, uint32_t *stamps, uint32_t i)
{
    const struct plain *plain = &ranking->plain;
    const struct stacks *stacks = &plain->profile->stacks;
    const struct stack_cell *cell = map_key(&stacks->cells, i);
    uint64_t weight = stacks->weights.at[i];
    bool kernel = plain->flags[cell->node] & PLAIN_KERNEL;
    if (!(plain->flags[cell->node] & PLAIN_KEPT))
        return;
    uint32_t own = row_of[cell->node];
    bool python = rank_keys_have(&ranking->keys, RANK_PYTHON);
    if (own != UINT32_MAX) {
        struct rank_row *row = &ranking->at[own];
        groups_add(kernel ? &row->kernel : &row->user, cell->group, weight);
    }
    for (uint32_t node = cell->node; node != STACK_NONE; node = plain->parent_of[node]) {
        uint32_t r = row_of[node];
        if (r == UINT32_MAX || stamps[r] == i + 1 || (python && !ranking->at[r].name && r != own))
            continue; /* what is outside Python calls nobody */
        stamps[r] = i + 1;
        struct rank_row *row = &ranking->at[r];
        groups_add(kernel ? &row->kernel_below : &row->user_below, cell->group, weight);
    }
}

static void unsampled_row(struct ranking *ranking, struct map *places, struct rank_row known)
{
    known.module = MODULE_NONE;
    known.name = "[kernel]";
    known.cpu = SLICE_CPU_NONE;
    uint32_t place = row_at(ranking, places, &known);
    struct rank_row *row = &ranking->at[place];
    row->name = known.name;
    row->cpu = known.cpu;
    row->counted = true;
    row->kernel_ns += known.kernel_ns;
}

/* Time in a kernel that nobody sampled is a row, or one of each thread, whose kernel time is known,
 * so that shares are still of all. */
static void unsampled_add(struct ranking *ranking, struct map *places)
{
    const struct profile *profile = ranking->plain.profile;
    const struct plain_filter *filter = &ranking->plain.filter;
    uint64_t left = profile->totals.kernel_ns;
    bool filtered =
        filter->pid || filter->tid || ranking->scene->only_function || ranking->scene->only_module;
    if (filtered || ranking->plain.beside.sum || plain_counts_events(profile))
        return;
    ranking->kernel = (double)left / 1e9;
    for (size_t i = 0; of_threads(&ranking->keys) && i < profile->threads.n; i++) {
        const struct thread_times *thread = &profile->threads.at[i];
        uint64_t ns = thread->kernel_ns < left ? thread->kernel_ns : left; /* clocks differ */
        if (ns)
            unsampled_row(
                ranking, places,
                (struct rank_row){.pid = thread->pid, .tid = thread->tid, .kernel_ns = ns});
        left -= ns;
    }
    if (left)
        unsampled_row(ranking, places, (struct rank_row){.kernel_ns = left});
}

static void samples_rank(struct ranking *ranking)
{
    const struct plain *plain = &ranking->plain;
    struct map places;
    map_init(&places, sizeof(struct place_key));
    uint32_t *row_of = nodes_place(ranking, &places);
    uint32_t *stamps = mem_alloc((ranking->n + 1) * sizeof *stamps);
    for (uint32_t i = 0; i < plain->profile->stacks.cells.n; i++)
        cell_add(ranking, row_of, stamps, i);
    mem_free(stamps);
    mem_free(row_of);
    ranking->user = plain_amount(plain, &plain->kept).value;
    ranking->kernel = plain_beside(plain, &plain->beside);
    unsampled_add(ranking, &places);
    map_release(&places);
}

/* ---- what the kernel counted */

static bool threads_known(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.n; i++)
        if (thread_times_known(&profile->threads.at[i]))
            return true;
    return false;
}

/* A process that ended before its first sample, or what ran after the kernel was not asked any
 * more, has no row: what the rows lack of the recording's totals is one of its own. Clocks differ a
 * little: a hundredth is nothing. */
static void rest_add(struct ranking *ranking)
{
    const struct totals *totals = &ranking->plain.profile->totals;
    struct rank_row rest = {.module = MODULE_NONE, .counted = true, .rest = true};
    uint64_t user = 0, kernel = 0, off = 0;
    for (size_t i = 0; i < ranking->n; i++) {
        sum_add(&user, ranking->at[i].user_ns);
        sum_add(&kernel, ranking->at[i].kernel_ns);
        sum_add(&off, ranking->at[i].off_ns);
    }
    uint64_t known = user + kernel, all = totals->user_ns + totals->kernel_ns;
    uint64_t more_user = totals->user_ns > user ? totals->user_ns - user : 0;
    uint64_t more_kernel = totals->kernel_ns > kernel ? totals->kernel_ns - kernel : 0;
    if (all > known + all / 100) { /* what one mode has too much, the other lacks */
        u128 missing = all - known, of = (u128)more_user + more_kernel;
        rest.user_ns = (uint64_t)(missing * more_user / of);
        rest.kernel_ns = (uint64_t)missing - rest.user_ns;
    }
    if (totals->off_ns > off + totals->off_ns / 100)
        rest.off_ns = totals->off_ns - off;
    ranking->user += (double)rest.user_ns / 1e9;
    ranking->kernel += (double)rest.kernel_ns / 1e9;
    if (rest.user_ns || rest.kernel_ns || rest.off_ns)
        *vec_push(ranking) = rest;
}

/* Samples divide a thread's time; of the only process, the kernel's own account does so better. */
static void only_divide(struct ranking *ranking)
{
    const struct totals *totals = &ranking->plain.profile->totals;
    uint64_t all = totals->user_ns + totals->kernel_ns;
    if (ranking->n != 1 || !all)
        return;
    struct rank_row *row = &ranking->at[0];
    uint64_t time = row->user_ns + row->kernel_ns;
    row->user_ns = (uint64_t)((u128)time * totals->user_ns / all);
    row->kernel_ns = time - row->user_ns;
    ranking->user = (double)row->user_ns / 1e9;
    ranking->kernel = (double)row->kernel_ns / 1e9;
}

/* The times of threads are known without any sample. */
static void threads_rank(struct ranking *ranking, struct rank_filter filter)
{
    const struct profile *profile = ranking->scene->sides[0];
    struct map places;
    map_init(&places, sizeof(struct place_key));
    ranking->counted = true;
    ranking->user = ranking->kernel = 0;
    for (size_t i = 0; i < profile->threads.n; i++) {
        const struct thread_times *thread = &profile->threads.at[i];
        struct rank_row known = {.pid = thread->pid, .tid = thread->tid};
        if ((filter.pid && filter.pid != thread->pid) || (filter.tid && filter.tid != thread->tid))
            continue;
        uint32_t place = row_at(ranking, &places, &known);
        struct rank_row *row = &ranking->at[place];
        row->counted = true;
        row->user_ns += thread->user_ns;
        row->kernel_ns += thread->kernel_ns;
        row->off_ns += thread->off_ns;
        ranking->user += (double)thread->user_ns / 1e9;
        ranking->kernel += (double)thread->kernel_ns / 1e9;
    }
    map_release(&places);
    if (!filter.pid && !filter.tid) {
        rest_add(ranking);
        only_divide(ranking);
    }
}

const char *rank_thread_name(const struct profile *profile, uint32_t pid, uint32_t tid)
{
    const char *name = threads_name(&profile->threads, pid, tid);
    return name ? name : "";
}

/* ---- what was counted */

static void counts_rank(struct ranking *ranking)
{
    struct items items;
    struct map places;
    struct scene *scene = ranking->scene;
    map_init(&places, sizeof(struct place_key));
    items_list(&items, scene, of_lines(&ranking->keys) ? BY_LINE : BY_FUNCTION);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        struct rank_row row = {.module = item->module,
                               .name = scene_function_name(scene, item->module, item->function)};
        const struct binary *binary = scene_binary(scene, item->module);
        if (binary && item->function != FUNCTION_NONE)
            row.at = binary->symbols.functions.at[item->function].start.v;
        line_find(ranking, &row, item->at);
        uint32_t place = row_at(ranking, &places, &row);
        quantity_add(&ranking->at[place].body, &item->body[0]);
    }
    items_release(&items);
    map_release(&places);
}

/* ---- figures */

static const struct estimate unknown = {NAN, NAN, NAN};

static struct estimate certain(double value)
{
    return (struct estimate){value, value, value};
}

/* Two amounts that vary apart from each other. */
static struct estimate sum_of(struct estimate a, struct estimate b)
{
    double value = a.value + b.value;
    return (struct estimate){value, value - hypot(a.value - a.lo, b.value - b.lo),
                             value + hypot(a.hi - a.value, b.hi - b.value)};
}

static struct estimate scaled(struct estimate share, double by)
{
    return by > 0 ? (struct estimate){share.value * by, share.lo * by, share.hi * by} : certain(0);
}

/* Code is either the kernel's or not: that none of the other was seen is no chance. */
static bool is_none(const struct ranking *ranking, const struct groups *own,
                    const struct groups *other)
{
    return of_code(&ranking->keys) && !own->sum && other->sum;
}

struct estimate ranking_user(const struct ranking *ranking, const struct rank_row *row)
{
    if (row->counted)
        return certain((double)row->user_ns / 1e9);
    if (ranking->exact)
        return unknown;
    if (is_none(ranking, &row->user, &row->kernel))
        return certain(0);
    return scaled(plain_share(&ranking->plain, &row->user), ranking->user);
}

struct estimate ranking_kernel(const struct ranking *ranking, const struct rank_row *row)
{
    if (row->counted)
        return certain((double)row->kernel_ns / 1e9);
    if (ranking->exact)
        return unknown;
    if (is_none(ranking, &row->kernel, &row->user) || !ranking->plain.beside.sum)
        return certain(0); /* a kernel that was not sampled has a row of its own */
    return scaled(plain_beside_share(&ranking->plain, &row->kernel), ranking->kernel);
}

struct estimate ranking_total(const struct ranking *ranking, const struct rank_row *row)
{
    if (ranking->exact || row->counted || !of_code(&ranking->keys) ||
        !(ranking->plain.profile->mode == PROFILE_PLAIN ||
          stacks_have_callers(&ranking->plain.profile->stacks)))
        return unknown;
    /* Any part of a kernel that was not sampled may have been below it. */
    struct estimate kernel =
        ranking->plain.beside.sum
            ? scaled(plain_beside_share(&ranking->plain, &row->kernel_below), ranking->kernel)
            : (struct estimate){0, 0, ranking->kernel};
    struct estimate total =
        sum_of(scaled(plain_share(&ranking->plain, &row->user_below), ranking->user), kernel);
    double all = ranking->user + ranking->kernel;
    return estimate_raise(total, ranking->plain.cut * all, all);
}

static struct estimate share_of(const struct ranking *ranking, struct estimate amount)
{
    double all = ranking->user + ranking->kernel;
    if (!(all > 0))
        return certain(0);
    /* Not a number stays so: fmax and fmin would make a bound of it. */
    return (struct estimate){amount.value / all, amount.lo < 0 ? 0 : amount.lo / all,
                             amount.hi > all ? 1 : amount.hi / all};
}

struct estimate ranking_share(const struct ranking *ranking, const struct rank_row *row)
{
    if (ranking->exact)
        return estimate_share(ranking->scene->sides[0], &row->body, false);
    return share_of(ranking, sum_of(ranking_user(ranking, row), ranking_kernel(ranking, row)));
}

struct estimate ranking_total_share(const struct ranking *ranking, const struct rank_row *row)
{
    struct estimate total = ranking_total(ranking, row);
    return isnan(total.value) ? total : share_of(ranking, total);
}

/* ---- order */

static double row_weight(const struct ranking *ranking, const struct rank_row *row)
{
    return ranking->exact ? (double)row->body.count
                          : ranking_user(ranking, row).value + ranking_kernel(ranking, row).value;
}

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int number_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int row_order(const void *a, const void *b)
{
    const struct rank_row *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->below != y->below)
        return x->below > y->below ? -1 : 1;
    int order = number_order(x->pid, y->pid);
    order = order ? order : number_order(x->tid, y->tid);
    order = order ? order : number_order(x->cpu, y->cpu);
    order = order ? order : number_order(x->module, y->module);
    order = order ? order : text_order(x->file, y->file);
    order = order ? order : number_order(x->line, y->line);
    order = order ? order : number_order(x->at, y->at);
    return order ? order : text_order(x->name, y->name);
}

/* Rows that nothing was seen in, which is so of places of other threads. */
static void empty_drop(struct ranking *ranking)
{
    size_t n = 0;
    for (size_t i = 0; i < ranking->n; i++) {
        const struct rank_row *row = &ranking->at[i];
        if (row->counted || row->user_below.sum || row->kernel_below.sum || row->body.count)
            ranking->at[n++] = *row;
    }
    ranking->n = n;
}

/* ---- all */

static bool rows_make(struct ranking *ranking, struct rank_filter filter, struct err *err)
{
    struct scene *scene = ranking->scene;
    const struct profile *profile = scene->sides[0];
    ranking->exact = profile->mode == PROFILE_EXACT;
    if (ranking->exact && (of_threads(&ranking->keys) || filter.pid || filter.tid))
        return err_set(err, ERR_FORMAT,
                       "an exact profile does not keep processes and threads apart; the times of "
                       "one of gait record without --exact do");
    if (rank_keys_have(&ranking->keys, RANK_PYTHON) && !profile_has_python(profile))
        return err_set(err, ERR_FORMAT,
                       "no Python function was seen; gait record (without --exact and --plain) "
                       "reads those of CPython 3.11 to 3.13");
    if (ranking->exact) {
        counts_rank(ranking);
        return true;
    }
    if (!plain_open(&ranking->plain, scene, 0,
                    (struct plain_filter){.pid = filter.pid, .tid = filter.tid}, err))
        return false;
    bool counted = !of_code(&ranking->keys) && !rank_keys_have(&ranking->keys, RANK_CPU);
    if (counted && threads_known(profile) && !plain_counts_events(profile))
        threads_rank(ranking, filter);
    else
        samples_rank(ranking);
    return true;
}

bool ranking_make(struct ranking *ranking, struct scene *scene, struct rank_keys keys,
                  struct rank_filter filter, struct err *err)
{
    *ranking = (struct ranking){.scene = scene, .keys = keys, .input = filter.input};
    if (!rows_make(ranking, filter, err))
        return false;
    empty_drop(ranking);
    if (!ranking->n && scene->only_function) {
        ranking_release(ranking);
        return err_set(err, ERR_MISSING, "no function '%s' was seen to run; see gait report",
                       scene->only_function);
    }
    for (size_t i = 0; i < ranking->n; i++) {
        struct rank_row *row = &ranking->at[i];
        double below = ranking_total(ranking, row).value;
        row->weight = row_weight(ranking, row);
        row->below = isnan(below) ? 0 : below;
    }
    if (ranking->n)
        qsort(ranking->at, ranking->n, sizeof *ranking->at, row_order);
    return true;
}

void ranking_release(struct ranking *ranking)
{
    vec_release(ranking);
    if (!ranking->exact)
        plain_close(&ranking->plain);
}
