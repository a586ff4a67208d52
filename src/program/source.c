#include "program/source.h"

#include "program/binary.h"

#include <stdbool.h>

/* The name that the linker has is the function's; where there is none, debug information may know. */
static const char *function_name(const struct binary *binary, struct inline_names *names,
                                 function_id id, uint32_t unit, const struct inline_node *node)
{
    const struct function *function = &binary->symbols.functions.at[id];
    const char *name = NULL;
    if (node && (function->source == FUNCTION_FRAME || function->source == FUNCTION_GAP))
        name = inlines_name(binary->inlines, names, unit, node);
    return name ? name : function->name;
}

void source_prepare(struct binary *binary)
{
    binary_lines(binary);
    binary_inlines(binary);
}

size_t source_frames_of(const struct binary *binary, struct inline_names *names, struct svma at,
                        struct source_frame *ret_frames, size_t room)
{
    function_id function = symbols_find(&binary->symbols, at);
    if (function == FUNCTION_NONE)
        return 0;
    const struct inlines *inlines = binary->inlines;
    struct line_place place = {0};
    lines_at(binary->lines, at, &place);
    uint32_t unit = 0, table = LINE_TABLE_NONE;
    const struct inline_node *node = inlines_find(inlines, at, &unit);
    if (node && node->parent != NODE_NONE)
        table = lines_table(binary->lines, inlines->info->units.at[unit]->stmt_list);
    for (size_t n = 0;; n++) {
        const struct inline_node *outer = node ? inlines_parent(inlines, unit, node) : NULL;
        if (n < room)
            ret_frames[n] = (struct source_frame){
                .linkage = outer ? inlines_name(inlines, names, unit, node)
                                 : function_name(binary, names, function, unit, node),
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

size_t source_frames(struct binary *binary, struct svma at, struct source_frame *ret_frames,
                     size_t room)
{
    source_prepare(binary);
    return source_frames_of(binary, binary->names, at, ret_frames, room);
}
