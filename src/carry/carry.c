#include "carry/carry.h"

#include "base/err.h"
#include "carry/counts.h"
#include "carry/tables.h"
#include "profile/sums.h"
#include "analysis/counts/counted_module.h"

#include <stdio.h>
#include <string.h>

/* ---- which module, and both its builds */

static const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_program(const struct profile *profile, const char *path)
{
    const char *command = profile->command ? profile->command : "";
    bool quoted = command[0] == '\'';
    size_t word = quoted ? strcspn(command + 1, "'\n") : strcspn(command, " \n");
    const char *name = path_name(path);
    size_t n = strlen(name);
    return n <= word && memcmp(command + quoted + word - n, name, n) == 0 &&
           (n == word || command[quoted + word - n - 1] == '/');
}

static uint32_t module_find(const struct profile *profile, const struct carry_options *options)
{
    const char *wanted = options->module ? options->module : path_name(options->binary);
    for (uint32_t i = 0; i < profile->modules.n; i++) {
        const char *path = profile->modules.at[i].path;
        if (strcmp(path, wanted) == 0 || strcmp(path_name(path), wanted) == 0)
            return i;
    }
    for (uint32_t i = 0; i < profile->modules.n && !options->module; i++)
        if (is_program(profile, profile->modules.at[i].path))
            return i;
    return MODULE_NONE;
}

static void build_text(char text[static 41], const uint8_t *id, uint32_t bytes)
{
    strcpy(text, "none");
    for (uint32_t i = 0; i < bytes && i < 20; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", id[i]);
}

/* The profile's modules, one of which lies elsewhere; the profile keeps what they point to. */
static struct modules modules_with(const struct profile *profile, uint32_t module, char *path)
{
    struct modules modules = {0};
    for (size_t i = 0; i < profile->modules.n; i++)
        *vec_push(&modules) = profile->modules.at[i];
    modules.at[module].path = path;
    return modules;
}

/* ---- the profile without its tables, of the new build */

/* What is kept of the old build's file would give the new one's addresses other names. */
static struct kept_parts kept_without(const struct kept_parts *kept, uint32_t module)
{
    struct kept_parts others = {0};
    for (size_t i = 0; i < kept->n; i++)
        if (kept->at[i].module != module)
            *vec_push(&others) = kept->at[i];
    return others;
}

static bool shell_make(struct profile *into, const struct profile *from, uint32_t module,
                       const struct binary *binary, struct err *err)
{
    struct profile shell = *from, empty;
    struct modules modules = modules_with(from, module, binary->image.path);
    struct kept_parts kept = kept_without(&from->kept, module);
    profile_init(&empty);
    memcpy(shell.tables, empty.tables, sizeof shell.tables);
    struct stacks *const trees[] = {&shell.stacks,        &shell.passages,   &shell.series,
                                    &shell.context_paths, &shell.waits,      &shell.call_costs,
                                    &shell.times,         &shell.wait_times, &shell.events};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        *trees[i] = empty.stacks;
    shell.samples = empty.samples; /* their places are the old build's */
    shell.log = empty.log;         /* it has keys of the tables */
    shell.path_parts = empty.path_parts;
    shell.windows = empty.windows;
    shell.kept = kept;
    struct module *carried = &modules.at[module];
    carried->build_id_bytes = binary->image.build_id_bytes < sizeof carried->build_id
                                  ? binary->image.build_id_bytes
                                  : (uint32_t)sizeof carried->build_id;
    memcpy(carried->build_id, binary->image.build_id, carried->build_id_bytes);
    shell.modules = modules;
    profile_init(into);
    into->mode = from->mode;
    into->complete = true;
    bool ok =
        profile_merge(into, &shell, err) &&
        (into->modules.n == from->modules.n ||
         err_set(err, ERR_FORMAT, "%s was recorded, too: there is nothing to carry over to it",
                 binary->image.path));
    if (!ok)
        profile_release(into);
    vec_release(&modules);
    vec_release(&kept);
    profile_release(&empty);
    return ok;
}

/* ---- functions */

static uint64_t grain_of(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    uint64_t grain = profile->mode == PROFILE_SAMPLED && totals->instructions
                         ? totals->count / totals->instructions
                         : 1;
    return grain ? grain : 1;
}

struct kept {
    double weight, all;
};

static void blocks_weigh(struct kept *kept, struct carry_report *report,
                         const struct counted_function *counted, const struct carry_pair *pair)
{
    const struct cfg *cfg = &counted->cfg;
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        double weight = (double)flow_block(&counted->flows[0], cfg, b)->count * block->instructions;
        bool found = pair && pair->blocks.new_of[b] != BLOCK_NONE;
        if (weight == 0)
            continue;
        kept->all += weight;
        kept->weight += found ? weight : 0;
        report->blocks++;
        report->blocks_kept += found;
    }
}

static void pair_carry(struct carry_tables *tables, const struct carry_pair *pair)
{
    struct infer_problem problem;
    carry_places_add(&tables->places, pair->counted->seen.function, pair);
    carry_counts(&problem, pair, grain_of(tables->places.scene->sides[0]));
    /* Whether a block was found is all that is known of it: how firmly its count was seen says
     * nothing of that. */
    infer_solve(&problem, INFER_PROFI);
    carry_rows(tables->into, tables->module, &pair->new_cfg, &problem);
    infer_release(&problem);
}

static void function_carry(struct carry_tables *tables, const struct counted_function *counted,
                           struct kept *kept, struct carry_report *report)
{
    function_id to = carry_places_function(&tables->places, counted->seen.function);
    bool ran = counted->flows[0].body.count != 0;
    struct carry_pair pair;
    report->functions += ran;
    if (to == FUNCTION_NONE) {
        blocks_weigh(kept, report, counted, NULL);
        return;
    }
    report->functions_kept += ran;
    carry_pair_open(&pair, tables->places.scene, counted, tables->places.binary, to);
    blocks_weigh(kept, report, counted, &pair);
    pair_carry(tables, &pair);
    carry_pair_close(&pair);
}

/* Functions that have a partner tell partners of those that they call, so that the others come
 * later, and those that never get one last. */
static void functions_carry(struct carry_tables *tables, struct counted_module *counted,
                            struct kept *kept, struct carry_report *report)
{
    const struct counted_functions *functions = &counted->functions;
    bool *done = mem_alloc(functions->n + 1);
    for (bool more = true, last = false; more || !last;) {
        last = !more;
        more = false;
        for (size_t i = 0; i < functions->n; i++) {
            function_id function = functions->at[i].seen.function;
            if (done[i] ||
                (!last && carry_places_function(&tables->places, function) == FUNCTION_NONE))
                continue;
            function_carry(tables, counted_module_take(counted, i), kept, report);
            counted_module_drop(counted, i);
            done[i] = more = true;
        }
    }
    mem_free(done);
}

/* An exact profile has what its runs add up to. */
static uint64_t instructions_count(const struct profile *profile)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        sum_add(&sum, profile->ranges.at[i].count * key->instructions);
    }
    return sum;
}

static void module_carry(struct profile *into, const struct profile *from, struct scene *scene,
                         uint32_t module, struct binary *binary, struct carry_report *report)
{
    struct carry_tables tables = {.into = into, .from = from, .module = module};
    struct kept kept = {0};
    uint32_t shown = scene_module(scene, 0, module);
    binary_lines(scene->modules.at[shown].binary); /* both are read, so that they can be compared */
    binary_lines(binary);
    carry_places_open(&tables.places, scene, shown, binary);
    if (from->mode != PROFILE_PLAIN) {
        struct counted_module counted;
        counted_module_open(&counted, scene, shown, true);
        functions_carry(&tables, &counted, &kept, report);
        counted_module_close(&counted);
    }
    carry_tables_fill(&tables);
    if (from->mode == PROFILE_EXACT)
        into->totals.instructions = instructions_count(into);
    if (from->mode == PROFILE_PLAIN)
        kept = (struct kept){tables.time_kept, tables.time};
    report->no_values = tables.lacks_values;
    report->no_paths = tables.lacks_paths;
    report->no_model = tables.lacks_model;
    report->weight_kept = kept.all > 0 ? kept.weight / kept.all : 0;
    carry_places_close(&tables.places);
}

/* ---- all */

static bool old_open(struct scene *scene, const struct profile *was, uint32_t module,
                     const struct carry_report *report, struct err *err)
{
    const struct profile *sides[] = {was};
    scene_open(scene, sides, 1, NULL);
    scene->inferred[0] = was->mode == PROFILE_SAMPLED;
    scene->method = INFER_CONFIDENCE;
    uint32_t shown = scene_module(scene, 0, module);
    if (scene->modules.at[shown].binary)
        return true;
    err_set(err, ERR_MISSING,
            "the build that was recorded (build-id %s) is needed too: --recorded FILE; %s",
            report->old_build, scene->modules.at[shown].missing);
    scene_close(scene);
    return false;
}

static bool carry_to(struct profile *ret_profile, const struct profile *from,
                     const struct carry_options *options, uint32_t module, struct binary *binary,
                     struct carry_report *report, struct err *err)
{
    struct profile was = *from;
    struct scene scene;
    struct arena arena = {0};
    struct modules modules =
        modules_with(from, module,
                     arena_string(&arena, options->recorded ? options->recorded
                                                            : from->modules.at[module].path));
    was.modules = modules;
    bool ok = old_open(&scene, &was, module, report, err);
    if (ok) {
        ok = shell_make(ret_profile, from, module, binary, err);
        if (ok)
            module_carry(ret_profile, from, &scene, module, binary, report);
        scene_close(&scene);
    }
    vec_release(&modules);
    arena_release(&arena);
    return ok;
}

/* The same build elsewhere. */
static bool module_move(struct profile *into, const struct profile *from, uint32_t module,
                        const char *path, struct err *err)
{
    struct profile moved = *from;
    struct arena arena = {0};
    struct modules modules = modules_with(from, module, arena_string(&arena, path));
    moved.modules = modules;
    profile_init(into);
    into->mode = from->mode;
    into->complete = true;
    bool ok = profile_merge(into, &moved, err);
    if (!ok)
        profile_release(into);
    vec_release(&modules);
    arena_release(&arena);
    return ok;
}

static void fact_note(struct profile *profile, const char *path, const struct carry_report *report)
{
    profile_fact(profile, "carried",
                 arena_format(&profile->arena, "%s, from build %s to %s: %.2f %% found again",
                              path_name(path), report->old_build, report->new_build,
                              100 * report->weight_kept));
    if (report->no_values)
        profile_fact(profile, "carried_without", "values");
    if (report->no_paths)
        profile_fact(profile, "carried_without", "paths");
    if (report->no_model)
        profile_fact(profile, "carried_without", "windows and records");
}

bool carry_profile(struct profile *ret_profile, const struct profile *from,
                   const struct carry_options *options, struct carry_report *report,
                   struct err *err)
{
    struct binary binary;
    uint32_t module = module_find(from, options);
    *report = (struct carry_report){0};
    if (module == MODULE_NONE)
        return err_set(err, ERR_MISSING, "of which module is %s another build? --module NAME",
                       options->binary);
    if (!binary_open(&binary, options->binary, err))
        return false;
    const struct module *was = &from->modules.at[module];
    build_text(report->old_build, was->build_id, was->build_id_bytes);
    build_text(report->new_build, binary.image.build_id, binary.image.build_id_bytes);
    report->same = was->build_id_bytes && strcmp(report->old_build, report->new_build) == 0;
    bool ok = report->same ? module_move(ret_profile, from, module, options->binary, err)
                           : carry_to(ret_profile, from, options, module, &binary, report, err);
    if (ok && !report->same)
        fact_note(ret_profile, was->path, report);
    binary_close(&binary);
    return ok;
}
