#include "keep/gather_lines.h"

#include "program/binary.h"
#include "program/elf/elf_sections.h"

/* Reading this much debug information takes less than a millisecond. */
enum { QUICK_BYTES = 1 << 18 };

/* Compressed sections take far longer for their size. */
static bool is_quick(const struct elf_file *file, unsigned patience)
{
    uint64_t bytes = 0;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; file->elf && (section = elf_nextscn(file->elf, section));)
        if (gelf_getshdr(section, &header) &&
            strncmp(section_name(file->elf, &header), ".debug", 6) == 0)
            bytes += header.sh_flags & SHF_COMPRESSED ? header.sh_size * 64 : header.sh_size;
    return bytes <= (uint64_t)QUICK_BYTES * patience;
}

bool line_gathering_open(struct line_gathering *gathering, struct binary *binary, unsigned patience)
{
    *gathering = (struct line_gathering){.binary = binary};
    if (patience &&
        !(is_quick(&binary->image.file, patience) && is_quick(&binary->image.debug, patience))) {
        gathering->too_long = true;
        return false;
    }
    gathering->lines = binary_lines(binary);
    gathering->inlines = binary_inlines(binary);
    if (!gathering->lines->stretches.n && !gathering->inlines->stretches.n)
        return false;
    inline_names_init(&gathering->names);
    map_init(&gathering->nodes, sizeof(uint64_t));
    return true;
}

void line_gathering_close(struct line_gathering *gathering)
{
    inline_names_release(&gathering->names);
    map_release(&gathering->nodes);
}

/* The text's index plus 1; one pointer is one text. */
static uint32_t text_index(struct kept_texts *texts, const char *text)
{
    if (!text)
        return 0;
    for (size_t i = texts->n; i-- > 0;)
        if (texts->at[i] == text)
            return (uint32_t)i + 1;
    *vec_push(texts) = text;
    return (uint32_t)texts->n;
}

/* ---- lines */

static bool same_line(const struct kept_line *x, const struct kept_line *y)
{
    return x->file == y->file && x->line == y->line && x->column == y->column &&
           x->discriminator == y->discriminator;
}

static void lines_take(struct line_gathering *gathering, struct kept_function *function,
                       const struct kept_range *range)
{
    size_t first = function->lines.n;
    struct svma at = {range->start}, end = {range->start + range->bytes}, next;
    for (; at.v < end.v; at = next) {
        struct line_place place = {0};
        bool known = lines_up_to(gathering->lines, at, &place, &next);
        /* Where nothing is known the next address is asked; that is a gap between sequences. */
        struct kept_line row = {at.v, 0, 0, 0, 0};
        if (known)
            row = (struct kept_line){at.v, text_index(&function->files, place.file), place.line,
                                     place.column, place.discriminator};
        if (function->lines.n == first ||
            !same_line(&row, &function->lines.at[function->lines.n - 1]))
            *vec_push(&function->lines) = row;
    }
}

/* ---- inlined functions */

static const struct dwarf_unit *unit_of(const struct line_gathering *gathering, uint32_t unit)
{
    return gathering->inlines->info->units.at[unit];
}

/* The node's index plus 1; callers come before what is inlined into them. */
static uint32_t node_take(struct line_gathering *gathering, struct kept_function *function,
                          uint32_t unit, const struct inline_node *node)
{
    const struct inline_node *outer = inlines_parent(gathering->inlines, unit, node);
    uint64_t key = (uintptr_t)node;
    uint32_t known = map_find(&gathering->nodes, &key);
    if (known != MAP_NONE)
        return known + 1;
    uint32_t parent = outer ? node_take(gathering, function, unit, outer) : 0;
    const struct dwarf_unit *of = unit_of(gathering, unit);
    uint32_t table = lines_table(gathering->lines, of->stmt_list);
    struct kept_node kept = {
        .parent = parent,
        .name = text_index(&function->names,
                           inlines_name(gathering->inlines, &gathering->names, unit, node)),
        .decl_line = debug_info_line(gathering->inlines->info, of, node->origin)};
    if (outer) {
        kept.call_file =
            text_index(&function->files, lines_file(gathering->lines, table, node->call_file));
        kept.call_line = node->call_line;
        kept.call_column = node->call_column;
        kept.discriminator = node->discriminator;
    }
    map_add(&gathering->nodes, &key);
    *vec_push(&function->nodes) = kept;
    return (uint32_t)function->nodes.n;
}

static void segments_take(struct line_gathering *gathering, struct kept_function *function,
                          const struct kept_range *range)
{
    size_t first = function->spans.n;
    struct svma at = {range->start}, end = {range->start + range->bytes}, next;
    for (; at.v < end.v; at = next) {
        uint32_t unit = 0;
        const struct inline_node *node = inlines_up_to(gathering->inlines, at, &unit, &next);
        uint32_t index = node ? node_take(gathering, function, unit, node) : 0;
        if (function->spans.n == first || function->spans.at[function->spans.n - 1].node != index)
            *vec_push(&function->spans) = (struct kept_span){at.v, index};
    }
}

void line_gathering_take(struct line_gathering *gathering, struct kept_function *function)
{
    map_clear(&gathering->nodes);
    for (size_t i = 0; i < function->ranges.n; i++) {
        lines_take(gathering, function, &function->ranges.at[i]);
        segments_take(gathering, function, &function->ranges.at[i]);
    }
    function->has_lines = true;
}
