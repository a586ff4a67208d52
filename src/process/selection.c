#include "process/selection.h"

#include "base/err.h"
#include "profile/profile.h"
#include "program/names/demangle.h"
#include "program/names/match.h"
#include "program/insn/opclass.h"
#include "program/symbols/symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum item_kind { ITEM_NAME, ITEM_FUNCTION, ITEM_MODULE, ITEM_RANGE };

/* ---- what was typed */

static bool parse_range(struct selection_item *item, char *word, struct err *err)
{
    char *plus = strstr(word, "+0x"), *dash, *end;
    errno = 0;
    item->range.start = strtoull(plus + 1, &dash, 16);
    bool good = plus > word && *dash == '-' && !errno;
    if (good)
        item->range.end = strtoull(dash + 1, &end, 16);
    if (!good || *end || errno || item->range.end <= item->range.start)
        return err_set(err, ERR_USAGE, "--only %s: expected MODULE+0xSTART-0xEND", word);
    item->kind = ITEM_RANGE;
    *plus = 0;
    item->pattern = word;
    return true;
}

static bool parse_class(struct selection *selection, const char *name, struct err *err)
{
    enum opclass opclass;
    if (opclass_parse(name, &opclass)) {
        selection->classes |= 1u << opclass;
        return true;
    }
    const char *list = "";
    for (uint32_t i = 0; i < OPCLASS_N; i++)
        list = arena_format(&selection->arena, "%s%s%s", list, i ? ", " : "",
                            opclass_name((enum opclass)i));
    return err_set(err, ERR_USAGE, "--only class:%s: none of %s", name, list);
}

static bool parse_word(struct selection *selection, char *word, struct err *err)
{
    static const struct {
        const char *prefix;
        enum item_kind kind;
    } kinds[] = {{"function:", ITEM_FUNCTION}, {"module:", ITEM_MODULE}};
    struct selection_item item = {
        .kind = ITEM_NAME, .pattern = word, .typed = arena_string(&selection->arena, word)};
    enum opclass opclass;
    if (!*word)
        return err_set(err, ERR_USAGE, "--only: a name is empty");
    if (strncmp(word, "class:", 6) == 0)
        return parse_class(selection, word + 6, err);
    if (opclass_parse(word, &opclass))
        return parse_class(selection, word, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(word, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
            item.kind = (uint8_t)kinds[i].kind;
            item.pattern = word + strlen(kinds[i].prefix);
        }
    if (item.kind == ITEM_NAME && strstr(word, "+0x") && !parse_range(&item, word, err))
        return false;
    *vec_push(&selection->items) = item;
    return true;
}

/* Commas inside of brackets are part of a C++ name. */
static char *word_end(char *at)
{
    int depth = 0;
    for (; *at && (*at != ',' || depth); at++)
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
    return at;
}

bool selection_parse(struct selection *selection, const char *text, struct err *err)
{
    char *at = arena_string(&selection->arena, text);
    for (bool more = true; more;) {
        char *end = word_end(at);
        more = *end;
        *end = 0;
        if (!parse_word(selection, at, err))
            return false;
        at = end + 1;
    }
    return true;
}

void selection_release(struct selection *selection)
{
    for (size_t i = 0; i < selection->modules.n; i++) {
        struct selected_module *module = &selection->modules.at[i];
        vec_release(&module->ranges);
        if (module->has_image)
            image_close(&module->image);
    }
    vec_release(&selection->modules);
    vec_release(&selection->items);
    arena_release(&selection->arena);
}

/* ---- what it means in a module */

static bool file_matches(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strcmp(pattern, path) == 0 || fnmatch(pattern, name, 0) == 0;
}

static bool wants_functions(const struct selection *selection)
{
    for (size_t i = 0; i < selection->items.n; i++)
        if (selection->items.at[i].kind == ITEM_NAME ||
            selection->items.at[i].kind == ITEM_FUNCTION)
            return true;
    return false;
}

static bool function_wanted(struct selection *selection, struct demangler *demangler,
                            const char *linkage)
{
    bool wanted = false;
    for (size_t i = 0; i < selection->items.n; i++) {
        struct selection_item *item = &selection->items.at[i];
        if ((item->kind == ITEM_NAME || item->kind == ITEM_FUNCTION) &&
            name_matches(item->pattern, linkage, demangle(demangler, linkage)))
            wanted = item->met = true;
    }
    return wanted;
}

static void functions_add(struct selection *selection, struct selected_module *module)
{
    struct symbols symbols;
    struct demangler demangler;
    symbols_build(&symbols, &module->image);
    demangler_init(&demangler);
    bool *wanted = mem_alloc(symbols.functions.n + 1);
    for (size_t i = 0; i < symbols.functions.n; i++)
        wanted[i] = function_wanted(selection, &demangler, symbols.functions.at[i].name);
    for (size_t i = 0; i < symbols.ranges.n; i++) {
        const struct code_range *range = &symbols.ranges.at[i];
        if (wanted[range->function])
            *vec_push(&module->ranges) =
                (struct selected_range){range->start.v, range->start.v + range->bytes};
    }
    mem_free(wanted);
    demangler_release(&demangler);
    symbols_release(&symbols);
}

static int range_order(const void *a, const void *b)
{
    const struct selected_range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void ranges_join(struct selected_module *module)
{
    size_t kept = 0;
    if (module->ranges.n)
        qsort(module->ranges.at, module->ranges.n, sizeof *module->ranges.at, range_order);
    for (size_t i = 0; i < module->ranges.n; i++) {
        struct selected_range range = module->ranges.at[i];
        if (kept && module->ranges.at[kept - 1].end >= range.start) {
            if (module->ranges.at[kept - 1].end < range.end)
                module->ranges.at[kept - 1].end = range.end;
        } else {
            module->ranges.at[kept++] = range;
        }
    }
    module->ranges.n = kept;
}

static void module_settle(struct selection *selection, const struct mappings *mappings,
                          uint32_t index)
{
    struct selected_module *module = &selection->modules.at[index];
    const char *path = mappings->profile->modules.at[index].path;
    module->settled = true;
    module->whole = !selection->items.n;
    for (size_t i = 0; i < selection->items.n; i++) {
        struct selection_item *item = &selection->items.at[i];
        if (item->kind == ITEM_FUNCTION || !file_matches(item->pattern, path))
            continue;
        item->met = true;
        if (item->kind == ITEM_RANGE)
            *vec_push(&module->ranges) = item->range;
        else
            module->whole = true;
    }
    bool functions = !module->whole && wants_functions(selection);
    if (functions || module->ranges.n || selection->classes)
        module->has_image = mappings_image_open(mappings, index, &module->image);
    if (functions && module->has_image)
        functions_add(selection, module);
    ranges_join(module);
}

const struct selected_module *selection_module(struct selection *selection,
                                               const struct mappings *mappings, uint32_t index)
{
    while (selection->modules.n <= index)
        *vec_push(&selection->modules) = (struct selected_module){0};
    if (!selection->modules.at[index].settled)
        module_settle(selection, mappings, index);
    return &selection->modules.at[index];
}

/* ---- ask */

/* The last range that starts at the address or before it, or NULL. */
static const struct selected_range *range_before(const struct selected_module *module, uint64_t at)
{
    size_t low = 0, high = module->ranges.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->ranges.at[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &module->ranges.at[low - 1] : NULL;
}

/* Of the bytes from start to last: all, any. */
static bool module_covers(const struct selected_module *module, uint64_t start, uint64_t last)
{
    const struct selected_range *range = range_before(module, start);
    return module->whole || (range && last < range->end);
}

static bool module_meets(const struct selected_module *module, uint64_t start, uint64_t last)
{
    const struct selected_range *range = range_before(module, last);
    return module->whole || (range && start < range->end);
}

static bool module_has(const struct selected_module *module, uint64_t at)
{
    return module_covers(module, at, at);
}

bool selection_has(struct selection *selection, const struct mappings *mappings, struct place place)
{
    return place.module != MODULE_NONE &&
           module_has(selection_module(selection, mappings, place.module), place.address.v);
}

static bool is_of_class(const struct selection *selection, const struct selected_module *module,
                        struct svma at, uint8_t *ret_bytes)
{
    uint32_t classes;
    return module->has_image && opclass_at(&module->image, at, &classes, ret_bytes) &&
           (classes & selection->classes);
}

bool selection_takes(struct selection *selection, const struct mappings *mappings,
                     struct place place)
{
    uint8_t bytes;
    return selection_has(selection, mappings, place) &&
           (!selection->classes ||
            is_of_class(selection, selection_module(selection, mappings, place.module),
                        place.address, &bytes));
}

bool selection_takes_edge(struct selection *selection, const struct mappings *mappings,
                          struct place from, struct place to, enum edge_kind kind)
{
    if (!selection->classes)
        return selection_has(selection, mappings, from) || selection_has(selection, mappings, to);
    if (kind == EDGE_RETURN)
        return (selection->classes & 1u << OPCLASS_return) &&
               selection_has(selection, mappings, to);
    return selection_takes(selection, mappings, from);
}

/* One after the other: those that are kept, in a row as one piece unless only some sorts are. */
static void instructions_add(const struct selection *selection,
                             const struct selected_module *module,
                             const struct unit_segment *segment, struct pieces *pieces)
{
    struct svma at = segment->at.address, last = segment_last(segment).address;
    bool open = false;
    for (uint32_t i = 0; i < segment->instructions && at.v <= last.v; i++) {
        uint32_t classes = 0;
        uint8_t bytes = 0;
        if (!module->has_image || !opclass_at(&module->image, at, &classes, &bytes))
            return;
        bool kept =
            module_has(module, at.v) && (!selection->classes || (classes & selection->classes));
        if (kept && open) {
            pieces->at[pieces->n - 1].last = at;
            pieces->at[pieces->n - 1].instructions++;
        } else if (kept) {
            *vec_push(pieces) = (struct piece){at, at, 1};
        }
        open = kept && !selection->classes;
        at.v += bytes;
    }
}

void selection_pieces(struct selection *selection, const struct mappings *mappings,
                      const struct unit_segment *segment, struct pieces *pieces)
{
    const struct selected_module *module =
        selection_module(selection, mappings, segment->at.module);
    struct svma start = segment->at.address, last = segment_last(segment).address;
    if (!segment->instructions || !module_meets(module, start.v, last.v))
        return;
    if (!selection->classes && module_covers(module, start.v, last.v))
        *vec_push(pieces) = (struct piece){start, last, segment->instructions};
    else
        instructions_add(selection, module, segment, pieces);
}

void kept_release(struct kept *kept)
{
    vec_release(&kept->pieces);
    vec_release(&kept->segments);
}

const struct kept_segment *kept_segment(struct kept *kept, struct selection *selection,
                                        const struct units *units, uint32_t segment)
{
    while (kept->segments.n <= segment)
        *vec_push(&kept->segments) = (struct kept_segment){0};
    struct kept_segment *known = &kept->segments.at[segment];
    if (known->known)
        return known;
    known->first = (uint32_t)kept->pieces.n;
    selection_pieces(selection, units->mappings, &units->segments.at[segment], &kept->pieces);
    known->n = (uint32_t)kept->pieces.n - known->first;
    known->known = true;
    return known;
}
