#include "program/source.h"

#include "program/binary.h"

#include <stdbool.h>

/* The name that the linker has is the function's; where there is none, debug information may know.
 */
static const char *function_name(const struct binary *binary, struct inline_names *names,
                                 function_id id, uint32_t unit, const struct inline_node *node)
{
    const struct function *function = &binary->symbols.functions.at[id];
    const char *name = NULL;
    if (node && (function->source == FUNCTION_FRAME || function->source == FUNCTION_GAP))
        name = inlines_name(binary->inlines, names, unit, node);
    return name ? name : function->name;
}

void source_memory_init(struct source_memory *memory)
{
    *memory = (struct source_memory){0};
    inline_names_init(&memory->names);
}

void source_memory_release(struct source_memory *memory)
{
    inline_names_release(&memory->names);
}

/* All frames of a node that is known to have been found at the place. */
static size_t chain_write(const struct binary *binary, struct source_memory *memory, uint32_t unit,
                          const struct inline_node *node, struct line_place place, size_t room)
{
    const struct inlines *inlines = binary->inlines;
    uint32_t table = LINE_TABLE_NONE;
    if (node && node->parent != NODE_NONE)
        table = lines_table(binary->lines, inlines->info->units.at[unit]->stmt_list);
    for (size_t n = 0;; n++) {
        const struct inline_node *outer = node ? inlines_parent(inlines, unit, node) : NULL;
        if (n < room)
            memory->frames[n] = (struct source_frame){
                .linkage =
                    outer ? inlines_name(inlines, &memory->names, unit, node)
                          : function_name(binary, &memory->names, memory->function, unit, node),
                .file = place.file,
                .line = place.line,
                .column = place.column,
                .discriminator = place.discriminator};
        if (!outer)
            return n + 1;
        place = (struct line_place){lines_file(binary->lines, table, node->call_file),
                                    node->call_line, node->call_column, node->discriminator};
        node = outer;
    }
}

size_t source_frames_of(const struct binary *binary, struct source_memory *memory, struct svma at,
                        struct source_frame *ret_frames, size_t room)
{
    function_id function = symbols_find(&binary->symbols, at);
    memory->repeated = false;
    if (function == FUNCTION_NONE)
        return 0;
    struct line_place place = {0};
    lines_at(binary->lines, at, &place);
    uint32_t unit = 0;
    const struct inline_node *node = inlines_find(binary->inlines, at, &unit);
    memory->repeated = node && node == memory->node && function == memory->function &&
                       ret_frames == memory->frames;
    if (memory->repeated && room) {
        ret_frames[0].file = place.file;
        ret_frames[0].line = place.line;
        ret_frames[0].column = place.column;
        ret_frames[0].discriminator = place.discriminator;
        return memory->n_frames;
    }
    memory->frames = ret_frames;
    memory->function = function;
    memory->node = node;
    return memory->n_frames = chain_write(binary, memory, unit, node, place, room);
}

size_t source_frames(struct binary *binary, struct svma at, struct source_frame *ret_frames,
                     size_t room)
{
    binary_lines(binary);
    binary_inlines(binary);
    /* The caller may have written to its frames since. */
    binary->memory->node = NULL;
    return source_frames_of(binary, binary->memory, at, ret_frames, room);
}
