#include "program/probes.h"

#include "base/cursor.h"
#include "base/md5.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/elf/symtab.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1024 }; /* of inlining; more is broken */
/* The byte of a probe that says what it is. */
enum { KIND_MASK = 0xF, SENTINEL = 0x20, HAS_DISCRIMINATOR = 0x40, IS_DELTA = 0x80 };

/* A function as .pseudo_probe_desc describes it. */
struct described {
    const char *name;
    uint64_t checksum;
};

struct start {
    uint64_t guid, at;
    const char *name; /* of the symbol */
};

struct reader {
    struct probes *probes;
    struct cursor cursor;
    uint64_t last;  /* address that the next probe's is relative to */
    bool has_start; /* the function being read has a symbol of its name */
    /* Older compilers: the first address of a file is absolute, and functions do not begin anew. */
    bool absolute;
    struct symtab symtab;
    struct map guids;
    struct descriptions {
        VEC(struct described); /* for each of guids */
    } descriptions;
    struct starts_by_guid {
        VEC(struct start); /* by guid, then address */
    } starts;
};

static bool section_open(const struct image *image, const char *name, struct cursor *ret)
{
    GElf_Shdr header;
    Elf_Scn *section =
        image->file.elf && !image->known ? section_named(image->file.elf, name, &header) : NULL;
    const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return false;
    *ret = (struct cursor){.at = data->d_buf, .end = (const uint8_t *)data->d_buf + data->d_size};
    return true;
}

static void descriptions_read(struct reader *reader, const struct image *image)
{
    struct cursor cursor;
    if (!section_open(image, ".pseudo_probe_desc", &cursor))
        return;
    while (cursor_room(&cursor)) {
        uint64_t guid = cursor_u64(&cursor), checksum = cursor_u64(&cursor);
        uint64_t bytes = cursor_uleb(&cursor);
        if (cursor.bad || cursor_room(&cursor) < bytes)
            return;
        uint32_t i = map_add(&reader->guids, &guid);
        if (i == reader->descriptions.n)
            *vec_push(&reader->descriptions) = (struct described){
                arena_string_n(&reader->probes->arena, (const char *)cursor.at, bytes), checksum};
        cursor_skip(&cursor, bytes);
    }
}

static int start_order(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Probes are relative to where their function begins, which is given by a hash of its symbol. */
static void starts_read(struct reader *reader, const struct image *image)
{
    const struct symtab *symtab = &reader->symtab;
    symtab_read(&reader->symtab, image);
    for (size_t i = 0; i < symtab->n; i++) {
        uint8_t digest[MD5_BYTES];
        struct start *start = vec_push(&reader->starts);
        md5(symtab->at[i].name, strlen(symtab->at[i].name), digest);
        start->at = symtab->at[i].start.v;
        start->name = symtab->at[i].name;
        memcpy(&start->guid, digest, sizeof start->guid);
    }
    if (reader->starts.n)
        qsort(reader->starts.at, reader->starts.n, sizeof *reader->starts.at, start_order);
}

/* Clang gives static functions names of their own, so that one symbol has it. NULL: none. */
static const struct start *start_find(const struct reader *reader, uint64_t guid)
{
    const struct starts_by_guid *starts = &reader->starts;
    size_t low = 0, high = starts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts->at[middle].guid < guid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < starts->n && starts->at[low].guid == guid ? &starts->at[low] : NULL;
}

static bool is_clone(const char *symbol, const char *name)
{
    size_t length = strlen(name);
    return strncmp(symbol, name, length) == 0 && symbol[length] == '.';
}

/* A function is in the code of a symbol that is its name, or that of a clone or part of it. Other
 * code lost where it was inlined; it belongs to nobody, unless its function is there, too. */
static void owner_apply(struct reader *reader, const char *symbol, uint32_t node)
{
    struct probe_node *of = &reader->probes->nodes.at[node];
    of->stray = of->name && !(symbol && is_clone(symbol, of->name));
    if (of->stray && !reader->has_start)
        of->name = NULL;
}

/* A sentinel has the symbol where the function begins if that is not its name. */
static void sentinel_apply(struct reader *reader, uint64_t guid, uint32_t node)
{
    const struct start *start = start_find(reader, guid);
    if (start)
        reader->last = start->at;
    owner_apply(reader, start ? start->name : NULL, node);
}

/* Older compilers write none, and one node for all code of a name. */
static void owner_guess(struct reader *reader, uint64_t at, uint32_t node)
{
    const struct symbol *symbol = symtab_find(&reader->symtab, (struct svma){at});
    if (reader->probes->nodes.at[node].parent == PROBE_NODE_NONE && !reader->has_start)
        owner_apply(reader, symbol ? symbol->name : NULL, node);
}

static void probe_read(struct reader *reader, uint32_t node)
{
    struct cursor *cursor = &reader->cursor;
    uint64_t number = cursor_uleb(cursor);
    uint8_t what = cursor_u8(cursor);
    uint64_t at =
        what & IS_DELTA ? reader->last + (uint64_t)cursor_sleb(cursor) : cursor_u64(cursor);
    uint32_t discriminator = what & HAS_DISCRIMINATOR ? (uint32_t)cursor_uleb(cursor) : 0;
    if (cursor->bad)
        return;
    if (what & SENTINEL) {
        sentinel_apply(reader, at, node);
        return;
    }
    reader->last = at;
    reader->absolute |= !(what & IS_DELTA);
    if (reader->absolute)
        owner_guess(reader, at, node);
    *vec_push(reader->probes) = (struct probe){.at = at,
                                               .node = node,
                                               .number = (uint32_t)number,
                                               .discriminator = discriminator,
                                               .kind = what & KIND_MASK};
}

/* A node with its probes; returns how many were inlined into it. */
static uint64_t node_read(struct reader *reader, uint32_t parent)
{
    struct cursor *cursor = &reader->cursor;
    uint32_t site = parent == PROBE_NODE_NONE ? 0 : (uint32_t)cursor_uleb(cursor);
    uint64_t guid = cursor_u64(cursor);
    uint64_t n = cursor_uleb(cursor), children = cursor_uleb(cursor);
    if (cursor->bad)
        return 0;
    uint32_t i = map_find(&reader->guids, &guid), node = (uint32_t)reader->probes->nodes.n;
    const struct described *described = i == MAP_NONE ? NULL : &reader->descriptions.at[i];
    *vec_push(&reader->probes->nodes) = (struct probe_node){
        .parent = parent,
        .site = site,
        .name = described ? described->name : NULL,
        .checksum = described ? described->checksum : 0,
    };
    if (parent == PROBE_NODE_NONE) {
        const struct start *start = start_find(reader, guid);
        reader->has_start = start;
        reader->last = start && !reader->absolute ? start->at : reader->last;
    }
    for (uint64_t p = 0; p < n && !cursor->bad; p++)
        probe_read(reader, node);
    return children;
}

static void nodes_read(struct reader *reader)
{
    struct {
        uint32_t node;
        uint64_t left; /* nodes inlined into it that are still to come */
    } open[DEPTH_MAX];
    while (cursor_room(&reader->cursor)) {
        size_t depth = 1;
        open[0].node = (uint32_t)reader->probes->nodes.n;
        open[0].left = node_read(reader, PROBE_NODE_NONE);
        while (depth && !reader->cursor.bad) {
            if (!open[depth - 1].left) {
                depth--;
                continue;
            }
            open[depth - 1].left--;
            if (depth == DEPTH_MAX)
                return;
            open[depth].node = (uint32_t)reader->probes->nodes.n;
            open[depth].left = node_read(reader, open[depth - 1].node);
            depth++;
        }
    }
}

static int probe_order(const void *a, const void *b)
{
    const struct probe *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void probes_read(struct probes *probes, const struct image *image)
{
    struct reader reader = {.probes = probes};
    *probes = (struct probes){0};
    if (!section_open(image, ".pseudo_probe", &reader.cursor))
        return;
    map_init(&reader.guids, sizeof(uint64_t));
    descriptions_read(&reader, image);
    starts_read(&reader, image);
    nodes_read(&reader);
    if (probes->n)
        qsort(probes->at, probes->n, sizeof *probes->at, probe_order);
    map_release(&reader.guids);
    symtab_release(&reader.symtab);
    vec_release(&reader.descriptions);
    vec_release(&reader.starts);
}

void probes_release(struct probes *probes)
{
    vec_release(&probes->nodes);
    mem_free(probes->at);
    arena_release(&probes->arena);
    *probes = (struct probes){0};
}

size_t probes_from(const struct probes *probes, uint64_t at)
{
    size_t low = 0, high = probes->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (probes->at[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
