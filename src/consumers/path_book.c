#include "consumers/path_book.h"

#include "base/memory.h"

static void module_release(struct book_module *module)
{
    for (size_t f = 0; module->there && f < module->symbols.functions.n; f++) {
        struct book_function *function = module->functions[f];
        if (function && function->there) {
            path_reading_close(&function->reading);
            mem_free(function->node_of);
            mem_free(function->arc_counts);
        }
        mem_free(function);
    }
    if (module->there) {
        mem_free(module->functions);
        vec_release(&module->arrivals);
        symbols_release(&module->symbols);
        image_close(&module->image);
    }
    mem_free(module);
}

void path_book_release(struct path_book *book)
{
    for (size_t i = 0; i < book->modules.n; i++)
        module_release(book->modules.at[i]);
    vec_release(&book->modules);
}

static struct book_module *module_find(struct path_book *book, const struct mappings *mappings,
                                       uint32_t index)
{
    for (size_t i = 0; i < book->modules.n; i++)
        if (book->modules.at[i]->module == index)
            return book->modules.at[i];
    struct book_module *module = mem_alloc(sizeof *module);
    module->module = index;
    module->there = mappings_image_open(mappings, index, &module->image);
    if (module->there) {
        symbols_build(&module->symbols, &module->image);
        path_arrivals_find(&module->arrivals, &module->image, &module->symbols);
        module->functions =
            mem_alloc((module->symbols.functions.n + 1) * sizeof(struct book_function *));
    }
    *vec_push(&book->modules) = module;
    return module;
}

static struct book_function *function_read(struct book_module *module, function_id f)
{
    struct book_function *function = mem_alloc(sizeof *function);
    struct path_reading *reading = &function->reading;
    function->module = module->module;
    function->start = module->symbols.functions.at[f].start;
    function->there =
        path_reading_open(reading, &module->image, &module->symbols, &module->arrivals, f);
    if (!function->there)
        return function;
    function->node_of = mem_alloc(reading->cfg.instructions.n * sizeof *function->node_of);
    for (size_t i = 0; i < reading->cfg.instructions.n; i++)
        function->node_of[i] = UINT32_MAX; /* padding has none */
    for (uint32_t v = 0; v < reading->ground.nodes.n; v++)
        for (uint32_t i = 0; i < reading->ground.nodes.at[v].n; i++)
            function->node_of[reading->ground.nodes.at[v].first + i] = v;
    return function;
}

struct book_function *path_book_find(struct path_book *book, const struct mappings *mappings,
                                     struct place place)
{
    struct book_module *module = module_find(book, mappings, place.module);
    function_id f = module->there ? symbols_find(&module->symbols, place.address) : FUNCTION_NONE;
    if (f == FUNCTION_NONE)
        return NULL;
    if (!module->functions[f])
        module->functions[f] = function_read(module, f);
    return module->functions[f]->there ? module->functions[f] : NULL;
}

uint32_t book_function_node(const struct book_function *function, struct svma at, bool *ret_first)
{
    uint32_t i = cfg_find(&function->reading.cfg, at);
    if (i == INSTRUCTION_NONE)
        return UINT32_MAX;
    uint32_t node = function->node_of[i];
    if (node == UINT32_MAX)
        return node;
    *ret_first = function->reading.ground.nodes.at[node].first == i;
    return node;
}
