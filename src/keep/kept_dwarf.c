#include "keep/kept_dwarf.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "keep/kept_function.h"
#include "keep/kept_elf.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Deeper than compilers inline; a profile that claims more gets no inlined functions. */
enum { DEPTH_MAX = 512 };
/* Some functions have no name: theirs is the abbreviation after. */
enum { ABBREV_UNIT = 1, ABBREV_INLINED, ABBREV_ORIGIN, ABBREV_FUNCTION = ABBREV_ORIGIN + 2 };
#define AT_GNU_discriminator 0x2136

struct file_texts {
    VEC(const char *);
};

struct kept_dwarf {
    struct bytes info, line, rnglists; /* without their headers */
    struct map files;                  /* hash of a path, counted up while another has it */
    struct file_texts paths;           /* of each file, from number 1 on */
    struct arena arena;
};

/* ---- bytes */

static void put_u8(struct bytes *to, uint8_t value)
{
    bytes_add(to, &value, 1);
}

static void put_uint(struct bytes *to, uint64_t value, size_t bytes)
{
    bytes_add(to, &value, bytes); /* little-endian, as we are */
}

static void put_uleb(struct bytes *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_u8(to, (uint8_t)(value | 0x80));
    put_u8(to, (uint8_t)value);
}

static void put_sleb(struct bytes *to, int64_t value)
{
    for (; value < -0x40 || value >= 0x40; value >>= 7)
        put_u8(to, (uint8_t)((value & 0x7f) | 0x80));
    put_u8(to, (uint8_t)(value & 0x7f));
}

static void put_text(struct bytes *to, const char *text)
{
    bytes_add(to, text, strlen(text) + 1);
}

/* ---- files */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

/* The file's number in the line table; 0 is a file without a name. */
static uint32_t file_number(struct kept_dwarf *dwarf, const struct kept_function *function,
                            uint32_t file)
{
    if (!file)
        return 0;
    const char *path = function->files.at[file - 1];
    uint64_t hash = hash_of(path);
    uint32_t i;
    while ((i = map_add(&dwarf->files, &hash)) < dwarf->paths.n &&
           strcmp(dwarf->paths.at[i], path) != 0)
        hash++;
    if (i == dwarf->paths.n)
        *vec_push(&dwarf->paths) = arena_string(&dwarf->arena, path);
    return i + 1;
}

/* ---- lines */

struct line_state {
    uint64_t at;
    uint32_t file, line, column;
    bool open;
};

static void extended(struct bytes *to, uint8_t opcode, size_t bytes)
{
    put_u8(to, 0);
    put_uleb(to, bytes + 1);
    put_u8(to, opcode);
}

static void pc_advance(struct bytes *to, struct line_state *state, uint64_t at)
{
    put_u8(to, DW_LNS_advance_pc);
    put_uleb(to, at - state->at);
    state->at = at;
}

static void sequence_end(struct bytes *to, struct line_state *state, uint64_t at)
{
    if (!state->open)
        return;
    pc_advance(to, state, at);
    extended(to, DW_LNE_end_sequence, 0);
    state->open = false;
}

static void sequence_begin(struct bytes *to, struct line_state *state, uint64_t at)
{
    *state = (struct line_state){.at = at, .file = 1, .line = 1, .open = true};
    extended(to, DW_LNE_set_address, 8);
    put_uint(to, at, 8);
}

static void row_put(struct kept_dwarf *dwarf, struct line_state *state,
                    const struct kept_function *function, const struct kept_line *row)
{
    struct bytes *to = &dwarf->line;
    uint32_t file = file_number(dwarf, function, row->file);
    if (!state->open)
        sequence_begin(to, state, row->start);
    pc_advance(to, state, row->start);
    if (file != state->file) {
        put_u8(to, DW_LNS_set_file);
        put_uleb(to, file);
    }
    if (row->column != state->column) {
        put_u8(to, DW_LNS_set_column);
        put_uleb(to, row->column);
    }
    if (row->discriminator) {
        struct bytes number = {0};
        put_uleb(&number, row->discriminator);
        extended(to, DW_LNE_set_discriminator, number.n);
        bytes_add(to, number.at, number.n);
        vec_release(&number);
    }
    put_u8(to, DW_LNS_advance_line);
    put_sleb(to, (int64_t)row->line - state->line);
    put_u8(to, DW_LNS_copy);
    state->file = file;
    state->line = row->line;
    state->column = row->column;
}

/* Rows stand range by range; those outside of their range make no sense. */
static void lines_put(struct kept_dwarf *dwarf, const struct kept_function *function)
{
    size_t i = 0;
    for (size_t r = 0; r < function->ranges.n; r++) {
        const struct kept_range *range = &function->ranges.at[r];
        struct line_state state = {0};
        for (; i < function->lines.n; i++) {
            const struct kept_line *row = &function->lines.at[i];
            if (row->start - range->start >= range->bytes || (state.open && row->start < state.at))
                break;
            if (row->file || row->line)
                row_put(dwarf, &state, function, row);
            else
                sequence_end(&dwarf->line, &state, row->start);
        }
        sequence_end(&dwarf->line, &state, range->start + range->bytes);
    }
}

/* ---- functions */

/* Code of a node, and of what is inlined into it. */
struct claim {
    uint32_t node;
    uint64_t start, end;
};
struct claims {
    VEC(struct claim); /* by node, start */
};

static int claim_order(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void claims_make(struct claims *claims, const struct kept_function *function)
{
    size_t i = 0;
    for (size_t r = 0; r < function->ranges.n; r++) {
        const struct kept_range *range = &function->ranges.at[r];
        uint64_t range_end = range->start + range->bytes;
        for (; i < function->spans.n; i++) {
            const struct kept_span *segment = &function->spans.at[i];
            if (segment->start - range->start >= range->bytes)
                break;
            uint64_t end = i + 1 < function->spans.n ? segment[1].start : range_end;
            if (end <= segment->start || end > range_end)
                end = range_end;
            for (uint32_t n = segment->node; n; n = function->nodes.at[n - 1].parent)
                *vec_push(claims) = (struct claim){n - 1, segment->start, end};
        }
    }
    if (claims->n)
        qsort(claims->at, claims->n, sizeof *claims->at, claim_order);
}

/* Adds the list of a node's code; returns its offset in .debug_rnglists. */
static uint64_t ranges_put(struct kept_dwarf *dwarf, const struct claims *claims, size_t *next,
                           uint32_t node)
{
    uint64_t offset = KEPT_RNGLISTS_HEADER + dwarf->rnglists.n;
    while (*next < claims->n && claims->at[*next].node == node) {
        uint64_t start = claims->at[*next].start, end = claims->at[*next].end;
        for (++*next;
             *next < claims->n && claims->at[*next].node == node && claims->at[*next].start <= end;
             ++*next)
            end = claims->at[*next].end > end ? claims->at[*next].end : end;
        put_u8(&dwarf->rnglists, DW_RLE_start_length);
        put_uint(&dwarf->rnglists, start, 8);
        put_uleb(&dwarf->rnglists, end - start);
    }
    put_u8(&dwarf->rnglists, DW_RLE_end_of_list);
    return offset;
}

/* The abbreviation, and the name if there is one. */
static void name_put(struct bytes *to, unsigned abbrev, const struct kept_function *function,
                     const struct kept_node *node)
{
    put_uleb(to, abbrev + !node->name);
    if (node->name)
        put_text(to, function->names.at[node->name - 1]);
}

/* Entries that inlined ones name as their origin; offsets in .debug_info. */
static void origins_put(struct kept_dwarf *dwarf, const struct kept_function *function,
                        uint32_t *origins)
{
    for (size_t i = 0; i < function->nodes.n; i++) {
        const struct kept_node *node = &function->nodes.at[i];
        if (!node->parent)
            continue;
        origins[i] = (uint32_t)(KEPT_INFO_HEADER + dwarf->info.n);
        name_put(&dwarf->info, ABBREV_ORIGIN, function, node);
        put_uleb(&dwarf->info, node->decl_line);
    }
}

static void node_put(struct kept_dwarf *dwarf, const struct kept_function *function,
                     const struct kept_node *node, uint32_t origin, uint64_t ranges)
{
    struct bytes *info = &dwarf->info;
    if (node->parent) {
        put_uleb(info, ABBREV_INLINED);
        put_uint(info, origin, 4);
        put_uint(info, ranges, 4);
        put_uleb(info, file_number(dwarf, function, node->call_file));
        put_uleb(info, node->call_line);
        put_uleb(info, node->call_column);
        put_uleb(info, node->discriminator);
    } else {
        name_put(info, ABBREV_FUNCTION, function, node);
        put_uleb(info, node->decl_line);
        put_uint(info, ranges, 4);
    }
}

struct family {
    uint32_t *first, *next, *depth; /* by node: child and sibling, plus 1 */
    uint32_t roots;
};

/* False: they are too deep. */
static bool family_make(struct family *family, const struct kept_nodes *nodes)
{
    uint32_t *memory = mem_alloc((3 * nodes->n + 1) * sizeof *memory);
    *family = (struct family){memory, memory + nodes->n, memory + 2 * nodes->n, 0};
    for (size_t i = nodes->n; i-- > 0;) {
        uint32_t parent = nodes->at[i].parent;
        uint32_t *list = parent ? &family->first[parent - 1] : &family->roots;
        family->next[i] = *list;
        *list = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < nodes->n; i++) {
        uint32_t parent = nodes->at[i].parent;
        family->depth[i] = parent ? family->depth[parent - 1] + 1 : 0;
        if (family->depth[i] > DEPTH_MAX)
            return false;
    }
    return true;
}

static void tree_put(struct kept_dwarf *dwarf, const struct kept_function *function,
                     const struct family *family, const uint32_t *origins, const uint64_t *ranges)
{
    uint32_t path[DEPTH_MAX + 1];
    size_t depth = 0;
    for (uint32_t n = family->roots; n || depth;) {
        if (!n) {
            put_u8(&dwarf->info, 0);
            n = family->next[path[--depth] - 1];
            continue;
        }
        node_put(dwarf, function, &function->nodes.at[n - 1], origins[n - 1], ranges[n - 1]);
        path[depth++] = n;
        n = family->first[n - 1];
    }
}

static void functions_put(struct kept_dwarf *dwarf, const struct kept_function *function)
{
    struct claims claims = {0};
    struct family family;
    size_t n = function->nodes.n, next = 0;
    uint32_t *origins = mem_alloc((n + 1) * sizeof *origins);
    uint64_t *ranges = mem_alloc((n + 1) * sizeof *ranges);
    if (family_make(&family, &function->nodes)) {
        claims_make(&claims, function);
        for (uint32_t i = 0; i < n; i++)
            ranges[i] = ranges_put(dwarf, &claims, &next, i);
        origins_put(dwarf, function, origins);
        tree_put(dwarf, function, &family, origins, ranges);
    }
    mem_free(family.first);
    mem_free(origins);
    mem_free(ranges);
    vec_release(&claims);
}

/* ---- all */

struct kept_dwarf *kept_dwarf_new(void)
{
    struct kept_dwarf *dwarf = mem_alloc(sizeof *dwarf);
    map_init(&dwarf->files, sizeof(uint64_t));
    return dwarf;
}

void kept_dwarf_add(struct kept_dwarf *dwarf, const struct kept_function *function)
{
    lines_put(dwarf, function);
    functions_put(dwarf, function);
}

static void abbrev_put(struct bytes *to, unsigned code, unsigned tag, bool children,
                       const unsigned (*attributes)[2], size_t n)
{
    put_uleb(to, code);
    put_uleb(to, tag);
    put_u8(to, children);
    for (size_t i = 0; i < n; i++) {
        put_uleb(to, attributes[i][0]);
        put_uleb(to, attributes[i][1]);
    }
    put_uint(to, 0, 2);
}

static void abbrevs_make(struct bytes *to)
{
    static const unsigned unit[][2] = {{DW_AT_stmt_list, DW_FORM_sec_offset}};
    static const unsigned origin[][2] = {{DW_AT_linkage_name, DW_FORM_string},
                                         {DW_AT_decl_line, DW_FORM_udata}};
    static const unsigned function[][2] = {{DW_AT_linkage_name, DW_FORM_string},
                                           {DW_AT_decl_line, DW_FORM_udata},
                                           {DW_AT_ranges, DW_FORM_sec_offset}};
    static const unsigned inlined[][2] = {
        {DW_AT_abstract_origin, DW_FORM_ref4}, {DW_AT_ranges, DW_FORM_sec_offset},
        {DW_AT_call_file, DW_FORM_udata},      {DW_AT_call_line, DW_FORM_udata},
        {DW_AT_call_column, DW_FORM_udata},    {AT_GNU_discriminator, DW_FORM_udata}};
    abbrev_put(to, ABBREV_UNIT, DW_TAG_compile_unit, true, unit, 1);
    for (unsigned i = 0; i < 2; i++) {
        abbrev_put(to, ABBREV_ORIGIN + i, DW_TAG_subprogram, false, origin + i, 2 - i);
        abbrev_put(to, ABBREV_FUNCTION + i, DW_TAG_subprogram, true, function + i, 3 - i);
    }
    abbrev_put(to, ABBREV_INLINED, DW_TAG_inlined_subroutine, true, inlined, 6);
    put_u8(to, 0);
}

static void info_make(struct bytes *to, const struct kept_dwarf *dwarf)
{
    put_uint(to, KEPT_INFO_HEADER - 4 + dwarf->info.n + 1, 4);
    put_uint(to, 5, 2);
    put_u8(to, DW_UT_compile);
    put_u8(to, 8); /* bytes of an address */
    put_uint(to, 0, 4);
    put_uleb(to, ABBREV_UNIT);
    put_uint(to, 0, 4); /* its lines */
    bytes_add(to, dwarf->info.at, dwarf->info.n);
    put_u8(to, 0);
}

static void rnglists_make(struct bytes *to, const struct kept_dwarf *dwarf)
{
    put_uint(to, KEPT_RNGLISTS_HEADER - 4 + dwarf->rnglists.n, 4);
    put_uint(to, 5, 2);
    put_u8(to, 8);
    put_u8(to, 0);
    put_uint(to, 0, 4);
    bytes_add(to, dwarf->rnglists.at, dwarf->rnglists.n);
}

/* From the number of bytes of an instruction to the list of files. */
static void line_header_make(struct bytes *to, const struct kept_dwarf *dwarf)
{
    static const uint8_t fixed[] = {1,
                                    1,
                                    1, /* bytes, operations; a statement */
                                    (uint8_t)-5,
                                    14,
                                    13, /* special opcodes: not used */
                                    0,
                                    1,
                                    1,
                                    1,
                                    1,
                                    0,
                                    0,
                                    0,
                                    1,
                                    0,
                                    0,
                                    1, /* operands */
                                    1,
                                    DW_LNCT_path,
                                    DW_FORM_string,
                                    1,
                                    0, /* one folder: "" */
                                    1,
                                    DW_LNCT_path,
                                    DW_FORM_string};
    bytes_add(to, fixed, sizeof fixed);
    put_uleb(to, dwarf->paths.n + 1);
    put_text(to, "");
    for (size_t i = 0; i < dwarf->paths.n; i++)
        put_text(to, dwarf->paths.at[i]);
}

static void line_make(struct bytes *to, const struct kept_dwarf *dwarf)
{
    struct bytes header = {0};
    line_header_make(&header, dwarf);
    put_uint(to, 2 + 2 + 4 + header.n + dwarf->line.n, 4);
    put_uint(to, 5, 2);
    put_u8(to, 8);
    put_u8(to, 0);
    put_uint(to, header.n, 4);
    bytes_add(to, header.at, header.n);
    bytes_add(to, dwarf->line.at, dwarf->line.n);
    vec_release(&header);
}

void kept_dwarf_finish(struct kept_dwarf *dwarf, struct elf_file *ret_file)
{
    struct kept_section sections[] = {{".debug_abbrev", {0}},
                                      {".debug_info", {0}},
                                      {".debug_line", {0}},
                                      {".debug_rnglists", {0}}};
    enum { SECTIONS = sizeof sections / sizeof *sections };
    /* Offsets have 32 bits. */
    bool fits =
        dwarf->info.n < INT32_MAX && dwarf->rnglists.n < INT32_MAX && dwarf->line.n < INT32_MAX;
    if (fits && (dwarf->info.n || dwarf->line.n)) {
        abbrevs_make(&sections[0].bytes);
        info_make(&sections[1].bytes, dwarf);
        line_make(&sections[2].bytes, dwarf);
        rnglists_make(&sections[3].bytes, dwarf);
        kept_elf_make(ret_file, sections, SECTIONS);
    }
    for (size_t i = 0; i < SECTIONS; i++)
        vec_release(&sections[i].bytes);
    vec_release(&dwarf->info);
    vec_release(&dwarf->line);
    vec_release(&dwarf->rnglists);
    map_release(&dwarf->files);
    vec_release(&dwarf->paths);
    arena_release(&dwarf->arena);
    mem_free(dwarf);
}
