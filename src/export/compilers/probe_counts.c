#include "export/compilers/source_counts_build.h"

#include "export/compilers/recorded.h"
#include "export/compilers/runs.h"
#include "program/binary.h"
#include "program/probes.h"

struct prober {
    struct source_counts *counts;
    const struct probes *probes;
    uint32_t *bodies; /* of each node; BODY_NONE: not made yet, or nameless */
    struct map ran;   /* names of functions with code that was counted */
};

static const struct probe_node *outermost(const struct prober *prober, uint32_t node)
{
    const struct probe_nodes *nodes = &prober->probes->nodes;
    while (nodes->at[node].parent != PROBE_NODE_NONE)
        node = nodes->at[node].parent;
    return &nodes->at[node];
}

static bool has_run(struct prober *prober, const struct probe *probe)
{
    const char *of = outermost(prober, probe->node)->name;
    uint32_t name = of ? source_name_add(prober->counts, of) : BODY_NONE;
    return map_find(&prober->ran, &name) != MAP_NONE;
}

/* As deep as functions were inlined into each other, which is bounded. Site 0: clang lost the call;
 * then it counts as a function by itself. */
static uint32_t body_of(struct prober *prober, uint32_t node)
{
    const struct probe_node *of = &prober->probes->nodes.at[node];
    if (prober->bodies[node] != BODY_NONE || !of->name)
        return prober->bodies[node];
    uint32_t name = source_name_add(prober->counts, of->name), body = BODY_NONE;
    bool outermost = of->parent == PROBE_NODE_NONE || !of->site;
    uint32_t parent = outermost ? BODY_NONE : body_of(prober, of->parent);
    if (name != BODY_NONE && (parent != BODY_NONE || outermost))
        body = source_body_add(prober->counts, parent, (struct source_place){of->site, 0}, name);
    if (body != BODY_NONE)
        prober->counts->bodies.at[body].checksum = of->checksum;
    return prober->bodies[node] = body;
}

static void probe_count(struct prober *prober, const struct probe *probe, uint64_t count)
{
    uint32_t body = body_of(prober, probe->node);
    if (body == BODY_NONE)
        return;
    struct source_place place = {probe->number, probe->discriminator};
    source_sample_add(prober->counts, body, place)->count += count;
    prober->counts->bodies.at[body].total += count;
    if (probe->number == PROBE_ENTRY)
        prober->counts->bodies.at[body].head += count;
}

/* Whose functions ran must be known first: what is stray counts only with those. */
static void block_note(struct prober *prober, const struct code_block *block)
{
    const struct probes *probes = prober->probes;
    size_t i = probes_from(probes, block->start);
    for (; i < probes->n && probes->at[i].at - block->start < block->bytes; i++) {
        const struct probe_node *of = outermost(prober, probes->at[i].node);
        uint32_t name =
            of->name && !of->stray ? source_name_add(prober->counts, of->name) : BODY_NONE;
        if (name != BODY_NONE)
            map_add(&prober->ran, &name);
    }
}

static void block_count(struct prober *prober, const struct code_block *block)
{
    const struct probes *probes = prober->probes;
    size_t i = probes_from(probes, block->start);
    for (; i < probes->n && probes->at[i].at - block->start < block->bytes; i++)
        if (has_run(prober, &probes->at[i]))
            probe_count(prober, &probes->at[i], block->count);
}

/* Of a function that ran, what did not run has 0. */
static void others_count(struct prober *prober)
{
    for (size_t i = 0; i < prober->probes->n; i++)
        if (has_run(prober, &prober->probes->at[i]))
            probe_count(prober, &prober->probes->at[i], 0);
}

/* ---- of branch records */

/* Each function once. */
static void function_note(struct prober *prober, struct map *functions, uint64_t at)
{
    function_id function = symbols_find(&prober->counts->code->binary->symbols, (struct svma){at});
    if (function != FUNCTION_NONE)
        map_add(functions, &function);
}

static void functions_tell(struct prober *prober, const struct map *functions,
                           void (*tell)(struct prober *, const struct code_block *))
{
    const struct symbols *symbols = &prober->counts->code->binary->symbols;
    for (uint32_t i = 0; i < functions->n; i++) {
        function_id function;
        memcpy(&function, map_key(functions, i), sizeof function);
        uint32_t range = symbols->functions.at[function].first_range;
        for (; range != RANGE_NONE; range = symbols->ranges.at[range].next)
            tell(prober, &(struct code_block){.start = symbols->ranges.at[range].start.v,
                                              .bytes = (uint32_t)symbols->ranges.at[range].bytes});
    }
}

/* Functions that a run begins in, or that a branch leads from or to, ran. Of those that a run
 * begins in, what did not run has 0. */
static void records_note(struct prober *prober)
{
    const struct recorded *recorded = prober->counts->recorded;
    struct map functions;
    map_init(&functions, sizeof(function_id));
    for (size_t i = 0; i < recorded->starts.n; i++)
        function_note(prober, &functions, recorded->starts.at[i]);
    for (size_t i = 0; i < recorded->code.calls.n; i++) {
        const struct code_call *call = &recorded->code.calls.at[i];
        function_note(prober, &functions, call->to);
        if (call->from_us)
            function_note(prober, &functions, call->from);
    }
    functions_tell(prober, &functions, block_note);
    map_release(&functions);
}

static void unrecorded_count(struct prober *prober)
{
    const struct recorded_starts *starts = &prober->counts->recorded->starts;
    struct map functions;
    map_init(&functions, sizeof(function_id));
    for (size_t i = 0; i < starts->n; i++)
        function_note(prober, &functions, starts->at[i]);
    functions_tell(prober, &functions, block_count);
    map_release(&functions);
}

/* ---- calls */

static const struct probe *call_find(const struct probes *probes, uint64_t at)
{
    for (size_t i = probes_from(probes, at); i < probes->n && probes->at[i].at == at; i++)
        if (probes->at[i].kind != PROBE_BLOCK)
            return &probes->at[i];
    return NULL;
}

/* Probes need no debug information; then a function is called as its symbol is. llvm-profgen does
 * so only if the program has none at all. */
static uint32_t callee_find(struct source_counts *counts, uint64_t at)
{
    const struct symbols *symbols = &counts->code->binary->symbols;
    uint32_t name = source_entry_find(counts, at);
    function_id function = symbols_find(symbols, (struct svma){at});
    bool known = counts->recorded && counts->code->binary->inlines->stretches.n;
    if (name != BODY_NONE || known || function == FUNCTION_NONE ||
        symbols->functions.at[function].start.v != at ||
        symbols->functions.at[function].source != FUNCTION_SYMBOL)
        return name;
    return source_name_add(counts, symbols->functions.at[function].name);
}

static void calls_count(struct prober *prober)
{
    struct branches branches;
    branches_make(&branches, prober->counts->code);
    for (size_t i = 0; i < branches.n; i++) {
        const struct branch *branch = &branches.at[i];
        const struct probe *call =
            branch->from == BRANCH_ELSEWHERE ? NULL : call_find(prober->probes, branch->from);
        uint32_t body = call && has_run(prober, call) ? body_of(prober, call->node) : BODY_NONE;
        uint32_t name = body == BODY_NONE ? BODY_NONE : callee_find(prober->counts, branch->to);
        if (name != BODY_NONE)
            source_target_add(prober->counts,
                              &(struct source_target){.body = body,
                                                      .place = {call->number, call->discriminator},
                                                      .name = name,
                                                      .indirect = branch->indirect,
                                                      .count = branch->count});
    }
    branches_release(&branches);
}

void source_counts_probed(struct source_counts *counts, const struct code_counts *code,
                          const struct recorded *recorded, const struct source_dialect *dialect,
                          const struct probes *probes)
{
    *counts = (struct source_counts){
        .code = code, .recorded = recorded, .dialect = dialect, .probed = true};
    struct prober prober = {.counts = counts, .probes = probes};
    binary_lines(code->binary);
    binary_inlines(code->binary);
    source_counts_begin(counts);
    map_init(&prober.ran, sizeof(uint32_t));
    prober.bodies = mem_alloc((probes->nodes.n + 1) * sizeof *prober.bodies);
    memset(prober.bodies, 0xFF, (probes->nodes.n + 1) * sizeof *prober.bodies);
    for (size_t i = 0; !recorded && i < code->blocks.n; i++)
        block_note(&prober, &code->blocks.at[i]);
    if (recorded)
        records_note(&prober);
    for (size_t i = 0; i < code->blocks.n; i++)
        block_count(&prober, &code->blocks.at[i]);
    if (recorded)
        unrecorded_count(&prober);
    else
        others_count(&prober);
    calls_count(&prober);
    mem_free(prober.bodies);
    map_release(&prober.ran);
    source_counts_sort(counts);
    source_counts_end(counts);
}
