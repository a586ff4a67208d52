#include "lab/paths/tree.h"

#include "analysis/counts/scene.h"
#include "analysis/paths/hot_paths.h"
#include "base/err.h"
#include "lab/paths/call_records.h"
#include "lab/paths/function_calls.h"
#include "profile/profile.h"

/* ---- the shape of the tree */

struct shape {
    double nodes, interior, outermost, leaves, heights; /* heights: of leaves, added up */
    uint32_t height, replicas;
};

/* The records of the function that has most of them. */
static uint32_t most_replicas(const struct call_records *records)
{
    uint32_t most = 0, *replicas = mem_alloc((records->functions.n + 1) * sizeof *replicas);
    for (size_t i = 0; i < records->n; i++)
        if (++replicas[records->at[i].function] > most)
            most = replicas[records->at[i].function];
    mem_free(replicas);
    return most;
}

static struct shape tree_measure(const struct call_records *records)
{
    struct shape shape = {.nodes = (double)records->n, .replicas = most_replicas(records)};
    for (size_t i = 0; i < records->n; i++) {
        const struct call_record *record = &records->at[i];
        shape.interior += record->children != 0;
        shape.outermost += record->parent == CALL_RECORD_NONE;
        shape.leaves += record->children == 0;
        shape.heights += record->children == 0 ? record->depth : 0;
        if (record->depth > shape.height)
            shape.height = record->depth;
    }
    return shape;
}

static double nodes_merged(const struct lab_recording *recording)
{
    struct call_records records;
    call_records_init(&records, recording->scene, true);
    call_records_take(&records, &recording->profile->stacks);
    double nodes = (double)records.n;
    call_records_release(&records);
    return nodes;
}

/* ---- call sites */

struct reached {
    uint32_t paths;
    size_t last; /* the last path that reached it, plus one */
};

struct sites {
    struct call_records *records;
    struct function_calls *calls; /* of each function of the records */
    size_t n_calls;               /* of them found */
    struct map keys;              /* struct call_site: reached in a record */
    struct {
        VEC(struct reached);
    } reached;
};

/* Functions are found while records are added, so there may be more than before. */
static const struct function_calls *calls_of(struct sites *sites, uint32_t function)
{
    size_t n = sites->records->functions.n;
    if (function >= sites->n_calls) {
        sites->calls = mem_resize(sites->calls, n * sizeof *sites->calls);
        for (; sites->n_calls < n; sites->n_calls++) {
            const struct call_function *of =
                map_key(&sites->records->functions, (uint32_t)sites->n_calls);
            function_calls_find(&sites->calls[sites->n_calls],
                                scene_binary(sites->records->scene, of->module), of->function);
        }
    }
    return &sites->calls[function];
}

static struct reached *site_reach(struct sites *sites, struct call_site site)
{
    uint32_t index = map_add(&sites->keys, &site);
    if (index == sites->reached.n)
        *vec_push(&sites->reached) = (struct reached){0};
    return &sites->reached.at[index];
}

/* A path reaches every call in its blocks; one that never returns may keep it from the next. */
static void path_take(struct sites *sites, const struct hot_paths *paths, size_t i)
{
    const struct hot_path *path = &paths->at[i];
    uint32_t record = call_record_of(sites->records, &paths->contexts, path->context);
    uint32_t module = stacks_key(&paths->contexts, path->context).module;
    const struct function_calls *calls = calls_of(sites, sites->records->at[record].function);
    for (uint32_t block = 0; block < path->n_blocks; block++) {
        size_t first, end = function_calls_in_block(calls, path->blocks[block], &first);
        for (size_t call = first; call < end; call++) {
            struct call_site site = {record, module, calls->at[call].last.v};
            struct reached *reached = site_reach(sites, site);
            reached->paths += reached->last != i + 1;
            reached->last = i + 1;
        }
    }
}

/* Calls that led somewhere, but lie on no path that ended. */
static void callers_take(struct sites *sites)
{
    const struct call_records *records = sites->records;
    for (uint32_t i = 0; i < records->sites.n; i++) {
        struct call_site site = *(const struct call_site *)map_key(&records->sites, i);
        const struct function_calls *calls = calls_of(sites, records->at[site.record].function);
        if (function_calls_end_at(calls, (struct svma){site.last}))
            site_reach(sites, site);
    }
}

/* Returns the share of used sites that one path reaches. */
static double sites_fill(struct lab_row *row, struct call_records *records, bool paths_known)
{
    struct sites sites = {.records = records};
    double all = 0, one = 0;
    map_init(&sites.keys, sizeof(struct call_site));
    if (paths_known) {
        struct hot_paths paths;
        hot_paths_make_in_contexts(&paths, records->scene, 0);
        for (size_t i = 0; i < paths.n; i++)
            path_take(&sites, &paths, i);
        hot_paths_release(&paths);
    }
    callers_take(&sites);
    for (size_t i = 0; i < records->n; i++)
        all += (double)calls_of(&sites, records->at[i].function)->n;
    for (size_t i = 0; i < sites.reached.n; i++)
        one += sites.reached.at[i].paths == 1;
    lab_cell(row, "%.0f", all);
    if (sites.reached.n || records->n < 2)
        lab_cell(row, "%zu", sites.reached.n);
    else /* contexts without call sites: --merge-sites */
        lab_text(row, "");
    if (paths_known)
        lab_cell(row, "%.0f", one);
    else
        lab_text(row, "");
    for (size_t i = 0; i < sites.n_calls; i++)
        function_calls_release(&sites.calls[i]);
    mem_free(sites.calls);
    double share = sites.reached.n ? one / (double)sites.reached.n : 0;
    map_release(&sites.keys);
    vec_release(&sites.reached);
    return share;
}

/* ---- the table */

/* Of all threads: what the agent allocated for records. */
static double node_bytes_mean(const struct stacks *stacks)
{
    double sums[2] = {0};
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        if (cell->group == STACK_RECORDS || cell->group == STACK_RECORD_BYTES)
            sums[cell->group == STACK_RECORD_BYTES] += (double)stacks->weights.at[i];
    }
    return sums[0] > 0 ? sums[1] / sums[0] : 0;
}

static void bytes_fill(struct lab_row *row, const struct profile *profile)
{
    double mean = profile->mode == PROFILE_EXACT ? node_bytes_mean(&profile->stacks) : 0;
    if (mean > 0)
        lab_cell(row, "%.1f", mean);
    else
        lab_text(row, "");
}

/* For how many recordings each claim of the paper holds. */
struct verdicts {
    size_t merged, bushy, large, one_path, with_paths;
};

static void tree_fill(struct lab_row *row, const struct lab_recording *recording,
                      struct verdicts *verdicts)
{
    const struct profile *profile = recording->profile;
    struct call_records records;
    call_records_init(&records, recording->scene, false);
    call_records_take(&records, &profile->stacks);
    struct shape shape = tree_measure(&records);
    double merged = nodes_merged(recording);
    lab_cell(row, "%.1e", (double)recording->file_bytes);
    lab_cell(row, "%.0f", shape.nodes);
    lab_cell(row, "%.1f", merged > 0 ? shape.nodes / merged : 0);
    bytes_fill(row, profile);
    lab_cell(row, "%.1f",
             shape.interior > 0 ? (shape.nodes - shape.outermost) / shape.interior : 0);
    lab_cell(row, "%.1f", shape.leaves > 0 ? shape.heights / shape.leaves : 0);
    lab_cell(row, "%u", shape.height);
    lab_cell(row, "%u", shape.replicas);
    bool paths = profile->context_paths.nodes.n > 0;
    double one = sites_fill(row, &records, paths);
    verdicts->merged += merged > 0 && shape.nodes / merged >= 2;
    verdicts->bushy += shape.interior > 0 && shape.nodes - shape.outermost > 2.4 * shape.interior &&
                       shape.heights <= 15.2 * shape.leaves;
    verdicts->large += shape.replicas >= 0.1 * shape.nodes;
    verdicts->with_paths += paths;
    verdicts->one_path += paths && one > 0.5;
    call_records_release(&records);
}

static bool tree_there(const struct profile *profile, const char *file, struct err *err)
{
    return stacks_have_callers(&profile->stacks) ||
           err_set(err, ERR_FORMAT,
                   "%s: has no calling contexts; gait record --exact=paths+contexts has them",
                   file);
}

static bool trees_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                       struct err *err)
{
    struct verdicts verdicts = {0};
    for (size_t i = 0; i < n; i++)
        if (!tree_there(all[i].profile, all[i].file, err))
            return false;
    for (size_t i = 0; i < n; i++) {
        struct lab_row *row = lab_row_add(rows);
        lab_text(row, lab_file_name(all[i].file));
        tree_fill(row, &all[i], &verdicts);
    }
    lab_claim(rows,
              "distinguishing call sites makes the tree 2 to 3 times as large: holds for %zu "
              "of %zu",
              verdicts.merged, n);
    lab_claim(rows,
              "it is bushy rather than tall, with 2.4 to 6.4 children and a mean height of 5.2 "
              "to 15.2: as bushy as any there is %zu of %zu",
              verdicts.bushy, n);
    lab_claim(rows,
              "one function often has a large part of all nodes, a tenth or more: holds for "
              "%zu of %zu",
              verdicts.large, n);
    if (verdicts.with_paths)
        lab_claim(rows,
                  "many used call sites are reached by one path, here more than half: holds "
                  "for %zu of %zu",
                  verdicts.one_path, verdicts.with_paths);
    return true;
}

static const char *const tree_columns[] = {
    "recording",  "size",       "nodes",      "by merged",       "node size",
    "out degree", "height avg", "height max", "max replication", "sites",
    "used",       "one path",   NULL};
const struct lab_table lab_tree = {.name = "paths-3",
                                   .title = "the tree of calling contexts",
                                   .columns = tree_columns,
                                   .recordings = trees_fill};
