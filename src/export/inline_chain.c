#include "export/inline_chain.h"

#include <stdlib.h>
#include <string.h>

struct unit_vote {
    uint32_t unit, object;
};

void chains_open(struct chains *chains, const struct objects *objects, const struct binary *binary)
{
    *chains = (struct chains){.objects = objects, .binary = binary};
    inline_names_init(&chains->names);
    map_init(&chains->nodes, sizeof(struct unit_vote));
    size_t n = binary->inlines->units.n;
    chains->object_of = mem_alloc((n + 1) * sizeof *chains->object_of);
    for (size_t i = 0; i < n; i++)
        chains->object_of[i] = OBJECT_NONE;
}

void chains_close(struct chains *chains)
{
    inline_names_release(&chains->names);
    map_release(&chains->nodes);
    vec_release(&chains->functions);
    mem_free(chains->object_of);
    vec_release(chains);
}

/* ---- which notes are whose */

static const struct inline_node *root_of(const struct chains *chains, uint32_t unit,
                                         const struct inline_node *node)
{
    const struct inline_node *outer;
    while (node && (outer = inlines_parent(chains->binary->inlines, unit, node)))
        node = outer;
    return node;
}

/* While votes are cast, `nodes` and `functions` hold them: functions.at[i].function is their number. */
void chains_vote(struct chains *chains, struct svma start)
{
    uint32_t unit = 0;
    size_t first;
    const struct inline_node *node = inlines_find(chains->binary->inlines, start, &unit);
    node = root_of(chains, unit, node);
    const char *name =
        node ? inlines_name(chains->binary->inlines, &chains->names, unit, node) : NULL;
    size_t n = name ? objects_find(chains->objects, name, &first) : 0;
    for (size_t i = 0; i < n; i++) {
        struct unit_vote vote = {unit, chains->objects->functions.at[first + i].object};
        uint32_t at = map_add(&chains->nodes, &vote);
        if (at == chains->functions.n)
            *vec_push(&chains->functions) = (struct object_function){vote.object, 0};
        chains->functions.at[at].function++;
    }
}

void chains_count_votes(struct chains *chains)
{
    size_t n = chains->binary->inlines->units.n;
    uint32_t *most = mem_alloc((n + 1) * sizeof *most);
    for (uint32_t i = 0; i < chains->nodes.n; i++) {
        const struct unit_vote *vote = map_key(&chains->nodes, i);
        if (chains->functions.at[i].function > most[vote->unit]) {
            most[vote->unit] = chains->functions.at[i].function;
            chains->object_of[vote->unit] = vote->object;
        }
    }
    mem_free(most);
    map_clear(&chains->nodes);
    chains->functions.n = 0;
}

/* ---- questions */

/* The unit's own, else the only one of that name: what was inlined from elsewhere when linking. */
static struct object_function function_of(struct chains *chains, uint32_t unit,
                                          const struct inline_node *node)
{
    struct unit_vote key = {unit, (uint32_t)(node - chains->binary->inlines->units.at[unit].nodes)};
    uint32_t at = map_add(&chains->nodes, &key);
    if (at < chains->functions.n)
        return chains->functions.at[at];
    struct object_function result = {OBJECT_NONE, 0};
    const char *name = inlines_name(chains->binary->inlines, &chains->names, unit, node);
    size_t first, n = name ? objects_find(chains->objects, name, &first) : 0;
    for (size_t i = 0; i < n; i++) {
        struct object_function one = chains->objects->functions.at[first + i];
        if (one.object == chains->object_of[unit] || n == 1)
            result = one;
    }
    if (result.object != OBJECT_NONE)
        result = objects_first(chains->objects, result);
    *vec_push(&chains->functions) = result;
    return result;
}

void chains_find(struct chains *chains, struct svma at)
{
    const struct inlines *inlines = chains->binary->inlines;
    struct line_place place = {0};
    uint32_t unit = 0;
    const struct inline_node *node = inlines_find(inlines, at, &unit);
    chains->n = 0;
    chains->unit = unit;
    if (!node || !lines_at(chains->binary->lines, at, &place))
        return;
    uint32_t table = lines_table(chains->binary->lines, inlines->info->units.at[unit]->stmt_list);
    while (node) {
        struct object_function function = function_of(chains, unit, node);
        *vec_push(chains) = (struct chain_link){.node = node,
                                                .known = function.object != OBJECT_NONE,
                                                .function = function,
                                                .file = place.file,
                                                .line = place.line,
                                                .column = place.column,
                                                .discriminator = place.discriminator};
        place = (struct line_place){lines_file(chains->binary->lines, table, node->call_file),
                                    node->call_line, node->call_column, node->discriminator};
        node = inlines_parent(inlines, unit, node);
    }
}
