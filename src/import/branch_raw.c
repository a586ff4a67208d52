#include "import/branch_raw.h"

#include "import/perf_space.h"
#include "profile/profile.h"
#include "profile/sums.h"

void branch_raw_init(struct branch_raw *raw, struct perf_space *space)
{
    *raw = (struct branch_raw){.space = space};
}

void branch_raw_release(struct branch_raw *raw)
{
    for (size_t i = 0; i < raw->sweeps.n; i++)
        sweep_release(&raw->sweeps.at[i].sweep);
    vec_release(&raw->sweeps);
    vec_release(&raw->sources);
}

/* Empty of a module without a file. */
static const struct sweep *sweep_of(struct branch_raw *raw, uint32_t module)
{
    while (raw->sweeps.n <= module)
        (void)vec_push(&raw->sweeps);
    struct branch_sweep *of = &raw->sweeps.at[module];
    const struct image *image = perf_space_image(raw->space, module);
    if (!of->made && image)
        sweep_make(&of->sweep, image);
    of->made = true;
    return &of->sweep;
}

static struct branch_source *source_of(struct branch_raw *raw, uint32_t module)
{
    for (size_t i = 0; i < raw->sources.n; i++)
        if (raw->sources.at[i].module == module)
            return &raw->sources.at[i];
    struct branch_source *source = vec_push(&raw->sources);
    source->module = module;
    return source;
}

static void run_add(struct branch_raw *raw, uint32_t module, uint32_t kind, struct svma start,
                    struct svma last)
{
    struct range_key key = {module, kind, start, last};
    sum_add(&table_at(&raw->space->profile->runs, &key)->count, raw->times);
}

/* As the module sees it. */
static void module_add(struct branch_raw *raw, uint32_t module, struct place from, struct place to)
{
    const struct sweep *sweep = sweep_of(raw, module);
    bool leaves = from.module == module && sweep_starts(sweep, from.address);
    bool comes = to.module == module && sweep_starts(sweep, to.address);
    if (!leaves && !comes)
        return;
    struct branch_source *source = source_of(raw, module);
    if (comes)
        run_add(raw, module, RUN_BRANCH, leaves ? from.address : (struct svma){RUN_ELSEWHERE},
                to.address);
    if (comes && source->is_code && sweep_stays(sweep, to.address, source->at))
        run_add(raw, module, RUN_RAW, to.address, source->at);
    source->is_code = leaves;
    source->at = from.address;
}

void branch_raw_begin(struct branch_raw *raw, uint64_t times)
{
    raw->times = times;
    raw->sources.n = 0;
}

void branch_raw_add(struct branch_raw *raw, struct place from, struct place to)
{
    if (to.module != MODULE_NONE)
        module_add(raw, to.module, from, to);
    if (from.module != MODULE_NONE && from.module != to.module)
        module_add(raw, from.module, from, to);
}
