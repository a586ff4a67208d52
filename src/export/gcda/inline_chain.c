#include "export/gcda/inline_chain.h"

#include "program/dwarf/debug_info.h"

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

/* While votes are cast, `nodes` and `functions` hold them: functions.at[i].function is their
 * number. */
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

/* Of functions that have one name the unit's own, else the only one: what was inlined from
 * elsewhere when linking. */
static struct object_function function_named(const struct chains *chains, uint32_t unit,
                                             const char *name)
{
    struct object_function result = {OBJECT_NONE, 0};
    size_t first, n = name ? objects_find(chains->objects, name, &first) : 0;
    for (size_t i = 0; i < n; i++) {
        struct object_function one = chains->objects->functions.at[first + i];
        if (one.object == chains->object_of[unit] || n == 1)
            result = one;
    }
    return result;
}

/* Constructors and destructors of C++ are declared once, as C4 and D4, and compiled for objects by
 * themselves (1) and for parts of other objects (2): mostly one body for both. */
static struct object_function function_built(const struct chains *chains, uint32_t unit,
                                             const char *name)
{
    struct object_function result = {OBJECT_NONE, 0};
    size_t n = strlen(name);
    char *other = mem_alloc(n + 1);
    memcpy(other, name, n + 1);
    for (size_t i = n; i-- > 1 && result.object == OBJECT_NONE;)
        if (name[i] == '4' && (name[i - 1] == 'C' || name[i - 1] == 'D') &&
            (name[i + 1] == 'E' || name[i + 1] == 'I')) {
            for (char kind = '2'; kind >= '1' && result.object == OBJECT_NONE; kind--) {
                other[i] = kind;
                result = function_named(chains, unit, other);
            }
            other[i] = '4';
        }
    mem_free(other);
    return result;
}

/* What is no other file's business has no name for the linker in debug information of C++: static
 * functions, lambdas, and templates made for them. The unit's notes know where each function is
 * declared; among several of one place, as templates are, only one that nothing outside can name is
 * meant. */
static bool name_is_local(const char *name)
{
    return strncmp(name, "_ZL", 3) == 0 || strncmp(name, "_ZZ", 3) == 0 ||
           strstr(name, "_GLOBAL__N_") || strstr(name, "EUl") || strstr(name, "IZ");
}

/* Bodies of lambdas are not even said to be declared anywhere: the innermost one around a place of
 * its code. */
static struct object_function function_around(const struct chains *chains, uint32_t unit,
                                              const struct line_place *place)
{
    struct object_function result = {OBJECT_NONE, 0};
    uint32_t o = chains->object_of[unit];
    if (o == OBJECT_NONE || !place->file)
        return result;
    const struct notes_functions *functions = &chains->objects->at[o].notes.functions;
    for (uint32_t f = 0; f < functions->n; f++) {
        const struct notes_function *function = &functions->at[f];
        if (place->line < function->line || place->line > function->end_line ||
            !strstr(function->name, "Ul") || !strstr(function->name, "clE") ||
            strcmp(file_last_part(function->source), file_last_part(place->file)) != 0)
            continue;
        if (result.object == OBJECT_NONE || function->line > functions->at[result.function].line)
            result = (struct object_function){o, f};
    }
    return result;
}

static struct object_function function_declared(const struct chains *chains, uint32_t unit,
                                                const struct inline_node *node, const char *name,
                                                const struct line_place *place)
{
    const struct inlines *inlines = chains->binary->inlines;
    struct object_function result[2] = {{OBJECT_NONE, 0}, {OBJECT_NONE, 0}};
    uint32_t line = debug_info_line(inlines->info, inlines->info->units.at[unit], node->origin);
    uint32_t o = chains->object_of[unit], n[2] = {0, 0};
    size_t plain = strcspn(name, "<");
    if (o == OBJECT_NONE)
        return result[0];
    if (!line)
        return function_around(chains, unit, place);
    const struct notes_functions *functions = &chains->objects->at[o].notes.functions;
    for (uint32_t f = 0; f < functions->n; f++) {
        const char *other = functions->at[f].name;
        if (functions->at[f].line != line || strncmp(other, "_Z", 2) != 0 ||
            (plain && strncmp(name, "operator", 8) != 0 && *name != '~' &&
             !memmem(other, strlen(other), name, plain)))
            continue;
        for (int local = 0; local <= name_is_local(other); local++) {
            result[local] = (struct object_function){o, f};
            n[local]++;
        }
    }
    return n[1] == 1 ? result[1] : n[0] == 1 ? result[0] : (struct object_function){OBJECT_NONE, 0};
}

/* The name that the linker has for the code there, without what gcc appends to names of parts and
 * copies. */
static struct object_function function_linked(const struct chains *chains, uint32_t unit,
                                              struct svma at)
{
    const struct symbols *symbols = &chains->binary->symbols;
    struct object_function result = {OBJECT_NONE, 0};
    function_id id = symbols_find(symbols, at);
    if (id == FUNCTION_NONE)
        return result;
    const char *symbol = symbols->functions.at[id].name;
    size_t n = strcspn(symbol, ".");
    char *name = mem_alloc(n + 1);
    memcpy(name, symbol, n);
    result = function_named(chains, unit, name);
    mem_free(name);
    return result;
}

static struct object_function function_of(struct chains *chains, uint32_t unit,
                                          const struct inline_node *node, struct svma at,
                                          const struct line_place *place)
{
    const struct inlines *inlines = chains->binary->inlines;
    struct unit_vote key = {unit, (uint32_t)(node - inlines->units.at[unit].nodes)};
    uint32_t i = map_add(&chains->nodes, &key);
    if (i < chains->functions.n)
        return chains->functions.at[i];
    const char *name = inlines_name(inlines, &chains->names, unit, node);
    struct object_function result = function_named(chains, unit, name);
    if (result.object == OBJECT_NONE && !inlines_parent(inlines, unit, node))
        result = function_linked(chains, unit, at);
    if (result.object == OBJECT_NONE && name)
        result = function_built(chains, unit, name);
    if (result.object == OBJECT_NONE && name)
        result = function_declared(chains, unit, node, name, place);
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
        struct object_function function = function_of(chains, unit, node, at, &place);
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
