#include "export/compilers/source_counts_build.h"

#include "base/err.h"
#include "export/compilers/recorded.h"
#include "export/compilers/runs.h"
#include "program/binary.h"
#include "program/dwarf/debug_info.h"
#include "analysis/counts/scene.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256 }; /* what is inlined deeper belongs to the last */

/* ---- keys: no padding */

struct body_key {
    uint32_t parent, name, line, discriminator;
};
struct sample_key {
    uint32_t body, line, discriminator;
};
struct target_key {
    uint32_t body, line, discriminator, name;
};

uint32_t source_body_add(struct source_counts *counts, uint32_t parent, struct source_place site,
                         uint32_t name)
{
    struct body_key key = {parent, name, site.line, site.discriminator};
    uint32_t body = map_add(&counts->body_keys, &key);
    if (body == counts->bodies.n) {
        uint32_t depth = parent == BODY_NONE ? 0 : counts->bodies.at[parent].depth + 1;
        *vec_push(&counts->bodies) =
            (struct source_body){.parent = parent, .depth = depth, .name = name, .site = site};
    }
    return body;
}

struct source_sample *source_sample_add(struct source_counts *counts, uint32_t body,
                                        struct source_place place)
{
    struct sample_key key = {body, place.line, place.discriminator};
    uint32_t i = map_add(&counts->sample_keys, &key);
    if (i == counts->samples.n)
        *vec_push(&counts->samples) = (struct source_sample){body, place, 0};
    return &counts->samples.at[i];
}

void source_target_add(struct source_counts *counts, const struct source_target *target)
{
    struct target_key key = {target->body, target->place.line, target->place.discriminator,
                             target->name};
    uint32_t i = map_add(&counts->target_keys, &key);
    if (i == counts->targets.n) {
        *vec_push(&counts->targets) = *target;
        source_sample_add(counts, target->body, target->place);
        return;
    }
    counts->targets.at[i].count += target->count;
    counts->targets.at[i].indirect |= target->indirect;
}

/* ---- debug information */

uint32_t source_name_add(struct source_counts *counts, const char *linkage)
{
    struct arena arena = {0};
    const char *name = linkage && *linkage ? counts->dialect->name(&arena, linkage) : NULL;
    uint32_t number = name ? intern_number(&counts->names, name) : BODY_NONE;
    arena_release(&arena);
    return number;
}

static struct source_origin origin_find(struct source_counts *counts, uint32_t unit,
                                        const struct inline_node *node)
{
    const struct debug_info *info = counts->code->binary->debug;
    const struct dwarf_unit *of = counts->code->binary->inlines->info->units.at[unit];
    uint64_t key[2] = {(uintptr_t)of->sections, node->origin};
    uint32_t i = map_add(&counts->origins, key);
    if (i == counts->functions.n) {
        struct source_origin origin = {
            source_name_add(counts, debug_info_name(info, of, node->origin)),
            debug_info_line(info, of, node->origin)};
        *vec_push(&counts->functions) = origin;
        counts->declared |= origin.decl_line != 0;
    }
    return counts->functions.at[i];
}

static struct source_place place_of(const struct source_counts *counts, uint32_t line,
                                    uint32_t decl_line, uint32_t discriminator)
{
    return (struct source_place){(line - decl_line) & 0xFFFF,
                                 counts->dialect->discriminator(discriminator)};
}

/* What the function there is called, if debug information calls it so. */
static uint32_t outermost_name(struct source_counts *counts, uint64_t at, uint32_t name)
{
    const struct symbols *symbols = &counts->code->binary->symbols;
    function_id function = symbols_find(symbols, (struct svma){at});
    bool named = counts->dialect->symbols && function != FUNCTION_NONE &&
                 symbols->functions.at[function].source == FUNCTION_SYMBOL;
    return named ? source_name_add(counts, symbols->functions.at[function].name) : name;
}

/* What is known of a node, from what is known of the one that it is inlined into. */
static struct source_node node_below(struct source_counts *counts, uint64_t at, uint32_t unit,
                                     const struct inline_node *node, struct source_node outer)
{
    struct source_origin origin = origin_find(counts, unit, node);
    if (node->parent == NODE_NONE) {
        uint32_t name = outermost_name(counts, at, origin.name);
        uint32_t body = name == BODY_NONE
                            ? BODY_NONE
                            : source_body_add(counts, BODY_NONE, (struct source_place){0}, name);
        return (struct source_node){.body = body, .decl_line = origin.decl_line};
    }
    if (outer.body == BODY_NONE || outer.nameless)
        return outer;
    struct source_place site =
        place_of(counts, node->call_line, outer.decl_line, node->discriminator);
    if (origin.name == BODY_NONE || counts->bodies.at[outer.body].depth + 1 == DEPTH_MAX)
        return (struct source_node){.body = outer.body, .nameless = true, .site = site};
    return (struct source_node){.body = source_body_add(counts, outer.body, site, origin.name),
                                .decl_line = origin.decl_line};
}

/* The body that code of the node belongs to, and the line that lines of it are counted from. */
static struct source_node node_find(struct source_counts *counts, uint64_t at, uint32_t unit,
                                    const struct inline_node *node)
{
    const struct inlines *inlines = counts->code->binary->inlines;
    const struct inline_node *chain[DEPTH_MAX];
    size_t n = 0;
    struct source_node found = {.body = BODY_NONE};
    for (; node; node = inlines_parent(inlines, unit, node)) {
        uint32_t key[2] = {unit, (uint32_t)(node - inlines->units.at[unit].nodes)};
        uint32_t i = map_find(&counts->nodes, key);
        if (i != MAP_NONE) {
            found = counts->known.at[i];
            break;
        }
        if (n == DEPTH_MAX) { /* the outermost ones count */
            memmove(chain, chain + 1, sizeof chain - sizeof *chain);
            n--;
        }
        chain[n++] = node;
    }
    while (n) {
        found = node_below(counts, at, unit, chain[--n], found);
        uint32_t key[2] = {unit, (uint32_t)(chain[n] - inlines->units.at[unit].nodes)};
        map_add(&counts->nodes, key);
        *vec_push(&counts->known) = found;
    }
    return found;
}

uint32_t source_function_name(struct source_counts *counts, uint64_t at)
{
    const struct inlines *inlines = counts->code->binary->inlines;
    uint32_t unit = 0;
    const struct inline_node *node = inlines_find(inlines, (struct svma){at}, &unit), *outer;
    while (node && (outer = inlines_parent(inlines, unit, node)))
        node = outer;
    return node ? outermost_name(counts, at, origin_find(counts, unit, node).name) : BODY_NONE;
}

/* ---- blocks */

/* Where the code at an address comes from, and up to where that holds. BODY_NONE: it is not known.
 */
struct source_spot {
    uint32_t body;
    struct source_place place;
    uint32_t copies;
    struct svma end;
};

static struct source_spot spot_find(struct source_counts *counts, uint64_t at)
{
    const struct binary *binary = counts->code->binary;
    struct line_place line = {0};
    struct source_spot spot = {.body = BODY_NONE, .copies = 1};
    struct svma end;
    uint32_t unit = 0;
    const struct inline_node *node =
        inlines_up_to(binary->inlines, (struct svma){at}, &unit, &spot.end);
    if (!node)
        return spot;
    struct source_node found = node_find(counts, at, unit, node);
    lines_up_to(binary->lines, (struct svma){at}, &line, &end);
    if (end.v < spot.end.v)
        spot.end = end;
    spot.body = found.body;
    spot.place = found.nameless ? found.site
                                : place_of(counts, line.line, found.decl_line, line.discriminator);
    spot.copies = found.nameless ? 1 : counts->dialect->copies(line.discriminator);
    return spot;
}

bool source_spot_find(struct source_counts *counts, uint64_t at, uint32_t *ret_body,
                      struct source_place *ret_place)
{
    struct source_spot spot = spot_find(counts, at);
    if (spot.body == BODY_NONE)
        return false;
    *ret_body = spot.body;
    *ret_place = spot.place;
    return true;
}

void source_block_add(struct source_counts *counts, const struct code_block *block)
{
    for (uint64_t at = block->start, end = block->start + block->bytes; at < end;) {
        struct source_spot spot = spot_find(counts, at);
        uint64_t next = spot.end.v < end ? spot.end.v : end;
        if (spot.body != BODY_NONE) {
            struct source_sample *sample = source_sample_add(counts, spot.body, spot.place);
            uint64_t count = block->count * spot.copies;
            if (sample->count < count)
                sample->count = count;
            counts->bodies.at[spot.body].total += block->count * (next - at);
        }
        at = next;
    }
}

static bool name_ran(const struct source_counts *counts, uint32_t name)
{
    struct body_key key = {.parent = BODY_NONE, .name = name};
    return name != BODY_NONE && map_find(&counts->body_keys, &key) != MAP_NONE;
}

/* Of a function that is in several pieces (parts that were split off, instances of one template)
 * all have counts if one has: the others ran 0 times. */
static void others_add(struct source_counts *counts)
{
    const struct code_counts *code = counts->code;
    const struct symbols *symbols = &code->binary->symbols;
    bool *counted = mem_alloc(symbols->functions.n + 1);
    for (size_t i = 0; i < code->blocks.n; i++)
        counted[code->blocks.at[i].function] = true;
    const struct inlines *inlines = code->binary->inlines;
    for (size_t i = 0; i < inlines->stretches.n; i++) {
        const struct stretch *stretch = &inlines->stretches.at[i];
        function_id function = symbols_find(symbols, (struct svma){stretch->start});
        if (function != FUNCTION_NONE && !counted[function] &&
            name_ran(counts, source_function_name(counts, stretch->start)))
            source_block_add(
                counts, &(struct code_block){.start = stretch->start,
                                             .bytes = (uint32_t)(stretch->end - stretch->start)});
    }
    mem_free(counted);
}

/* ---- calls */

/* The name of the function that starts there; BODY_NONE: none that debug information knows. */
uint32_t source_entry_find(struct source_counts *counts, uint64_t at)
{
    const struct symbols *symbols = &counts->code->binary->symbols;
    function_id function = symbols_find(symbols, (struct svma){at});
    if (function == FUNCTION_NONE || symbols->functions.at[function].start.v != at)
        return BODY_NONE;
    uint32_t name = source_function_name(counts, at);
    return name != BODY_NONE && source_entry_believed(counts, function, name) ? name : BODY_NONE;
}

static void head_add(struct source_counts *counts, uint32_t name, uint64_t count)
{
    uint32_t body = source_body_add(counts, BODY_NONE, (struct source_place){0}, name);
    counts->bodies.at[body].head += count;
}

static void calls_add(struct source_counts *counts)
{
    struct branches branches;
    branches_make(&branches, counts->code);
    for (size_t i = 0; i < branches.n; i++) {
        const struct branch *branch = &branches.at[i];
        uint32_t name = source_entry_find(counts, branch->to);
        if (name == BODY_NONE)
            continue;
        if (branch->from != BRANCH_ELSEWHERE) {
            struct source_spot spot = spot_find(counts, branch->from);
            if (spot.body != BODY_NONE)
                source_target_add(counts, &(struct source_target){.body = spot.body,
                                                                  .place = spot.place,
                                                                  .name = name,
                                                                  .indirect = branch->indirect,
                                                                  .count = branch->count});
        }
        head_add(counts, name, branch->count);
    }
    branches_release(&branches);
}

/* ---- all */

int source_place_order(struct source_place x, struct source_place y)
{
    if (x.line != y.line)
        return x.line < y.line ? -1 : 1;
    return x.discriminator < y.discriminator ? -1 : x.discriminator > y.discriminator;
}

static int sample_order(const void *a, const void *b)
{
    const struct source_sample *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    return source_place_order(x->place, y->place);
}

static int target_order(const void *a, const void *b, void *names)
{
    const struct source_target *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    int by_place = source_place_order(x->place, y->place);
    if (by_place)
        return by_place;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(source_name(names, x->name), source_name(names, y->name));
}

static int child_order(const void *a, const void *b, void *context)
{
    const struct source_counts *counts = context;
    const struct source_body *x = &counts->bodies.at[*(const uint32_t *)a];
    const struct source_body *y = &counts->bodies.at[*(const uint32_t *)b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->parent == BODY_NONE && x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int by_place = source_place_order(x->site, y->site);
    return by_place ? by_place : strcmp(source_name(counts, x->name), source_name(counts, y->name));
}

static void children_sort(struct source_counts *counts)
{
    const struct source_bodies *bodies = &counts->bodies;
    uint32_t n = (uint32_t)bodies->n;
    counts->children = mem_alloc((n + (size_t)1) * sizeof *counts->children);
    for (uint32_t i = 0; i < n; i++)
        counts->children[i] = i;
    if (n)
        qsort_r(counts->children, n, sizeof *counts->children, child_order, counts);
    counts->outermost = counts->children;
    counts->n_outermost = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = bodies->at[counts->children[i]].parent;
        if (parent == BODY_NONE)
            break;
        if (!bodies->at[parent].n_children++)
            bodies->at[parent].first_child = i;
        counts->outermost++;
        counts->n_outermost--;
    }
}

/* Makes one order of everything, and tells each body which part is its own. */
void source_counts_sort(struct source_counts *counts)
{
    const struct source_bodies *bodies = &counts->bodies;
    const struct source_samples *samples = &counts->samples;
    const struct source_targets *targets = &counts->targets;
    for (size_t i = bodies->n; i-- > 0;)
        if (bodies->at[i].parent != BODY_NONE)
            bodies->at[bodies->at[i].parent].total += bodies->at[i].total;
    if (samples->n)
        qsort(samples->at, samples->n, sizeof *samples->at, sample_order);
    if (targets->n)
        qsort_r(targets->at, targets->n, sizeof *targets->at, target_order, counts);
    for (uint32_t i = 0; i < samples->n; i++)
        if (!bodies->at[samples->at[i].body].n_samples++)
            bodies->at[samples->at[i].body].first_sample = i;
    for (uint32_t i = 0; i < targets->n; i++)
        if (!bodies->at[targets->at[i].body].n_targets++)
            bodies->at[targets->at[i].body].first_target = i;
    children_sort(counts);
}

void source_counts_begin(struct source_counts *counts)
{
    intern_init(&counts->names);
    map_init(&counts->body_keys, sizeof(struct body_key));
    map_init(&counts->sample_keys, sizeof(struct sample_key));
    map_init(&counts->target_keys, sizeof(struct target_key));
    map_init(&counts->nodes, 2 * sizeof(uint32_t));
    map_init(&counts->origins, 2 * sizeof(uint64_t));
    map_init(&counts->ranges, sizeof(uint32_t));
}

void source_counts_end(struct source_counts *counts)
{
    map_release(&counts->body_keys);
    map_release(&counts->sample_keys);
    map_release(&counts->target_keys);
    map_release(&counts->nodes);
    map_release(&counts->origins);
    map_release(&counts->ranges);
    vec_release(&counts->n_ranges);
    vec_release(&counts->known);
    vec_release(&counts->functions);
}

bool source_counts_make(struct source_counts *counts, const struct code_counts *code,
                        const struct recorded *recorded, const struct source_dialect *dialect,
                        struct err *err)
{
    *counts = (struct source_counts){.code = code, .recorded = recorded, .dialect = dialect};
    binary_lines(code->binary);
    binary_inlines(code->binary);
    source_counts_begin(counts);
    for (size_t i = 0; i < code->blocks.n; i++)
        source_block_add(counts, &code->blocks.at[i]);
    if (recorded)
        source_unrecorded_add(counts);
    else
        others_add(counts);
    calls_add(counts);
    source_counts_sort(counts);
    source_counts_end(counts);
    const char *module = code->scene->modules.at[code->module].name;
    if (counts->samples.n && counts->declared)
        return true;
    bool any = counts->samples.n != 0;
    source_counts_release(counts);
    const char *missing = code->binary->debug ? debug_info_missing(code->binary->debug) : NULL;
    if (missing)
        return err_set(err, ERR_MISSING, "%s: %s", module, missing);
    return err_set(
        err, ERR_MISSING,
        any ? "%s does not say where its functions begin in the source: build it with -g, or "
              "clang with -gline-tables-only -fdebug-info-for-profiling; bolt, "
              "bolt-preagg and llvm-raw can be made of it as it is"
            : "%s has no line information: build it with -g (gcc), or -gline-tables-only "
              "-fdebug-info-for-profiling (clang); bolt, bolt-preagg and llvm-raw can be "
              "made of it as it is",
        module);
}

void source_counts_release(struct source_counts *counts)
{
    intern_release(&counts->names);
    mem_free(counts->children);
    vec_release(&counts->bodies);
    vec_release(&counts->samples);
    vec_release(&counts->targets);
}

const char *source_name(const struct source_counts *counts, uint32_t name)
{
    return counts->names.texts.at[name];
}
