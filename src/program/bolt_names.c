#include "program/bolt_names.h"

#include "program/binary.h"
#include "program/elf/elf_sections.h"
#include "program/unwind/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- symbols in BOLT's order */

struct named {
    uint64_t start, bytes;
    const char *name;
    uint8_t rank; /* at one address: functions, then all others, then sections */
    bool local, function, code;
    uint32_t number; /* in the table: sorting is to be stable */
};

struct nameds {
    VEC(struct named);
};

static uint8_t rank_of(unsigned type)
{
    return type == STT_FUNC ? 0 : type == STT_SECTION ? 2 : 1;
}

/* Whether it lies in memory when the program runs; of what has no section but an address, BOLT
 * thinks so. */
static bool in_memory(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    if (symbol->st_shndx == SHN_ABS)
        return true;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
        return false;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    return section && gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC;
}

static void table_read(struct nameds *nameds, const struct image *image, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    Elf *elf = image->file.elf;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return;
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (type == STT_FILE || !symbol.st_value || !name || !*name || !in_memory(elf, &symbol))
            continue;
        *vec_push(nameds) = (struct named){
            .start = symbol.st_value,
            .bytes = symbol.st_size,
            .name = name,
            .rank = rank_of(type),
            .local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
            .function = type == STT_FUNC,
            .code = image_executable(image, (struct svma){symbol.st_value}),
            .number = (uint32_t)i,
        };
    }
}

static int named_order(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Without a symbol table BOLT looks at the dynamic one, which has no local symbols. */
static void nameds_read(struct nameds *nameds, const struct image *image)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    GElf_Shdr header;
    for (size_t t = 0; t < 2 && !nameds->n; t++)
        for (Elf_Scn *section = NULL; (section = elf_nextscn(image->file.elf, section));)
            if (gelf_getshdr(section, &header) && header.sh_type == types[t])
                table_read(nameds, image, section, &header);
    if (nameds->n)
        qsort(nameds->at, nameds->n, sizeof *nameds->at, named_order);
}

/* ---- functions */

struct counters {
    struct map hashes;
    struct counts {
        VEC(uint32_t);
    } counts;
    struct texts {
        VEC(const char *);
    } texts;
};

/* How many local symbols of the name have come so far, this one included. */
static uint32_t counter_next(struct counters *counters, const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    uint32_t i;
    while ((i = map_add(&counters->hashes, &hash)) < counters->counts.n &&
           strcmp(counters->texts.at[i], name) != 0)
        hash++;
    if (i == counters->counts.n) {
        *vec_push(&counters->counts) = 0;
        *vec_push(&counters->texts) = name;
    }
    return ++counters->counts.at[i];
}

/* Names have spaces and backslashes behind a backslash: a space ends them. */
static const char *name_escaped(struct arena *arena, const char *name)
{
    if (!strpbrk(name, " \\"))
        return name;
    char *escaped = arena_alloc(arena, 2 * strlen(name) + 1), *to = escaped;
    for (const char *at = name; *at; at++) {
        if (*at == ' ' || *at == '\\')
            *to++ = '\\';
        *to++ = *at;
    }
    return escaped;
}

static const char *name_of(struct bolt_names *names, struct counters *counters,
                           const struct named *named)
{
    /* What the assembler would take for its own label gets a letter before it. */
    const char *name = strncmp(named->name, ".L", 2) == 0
                           ? arena_format(&names->arena, "PG%s", named->name)
                           : named->name;
    name = name_escaped(&names->arena, name);
    return named->local ? arena_format(&names->arena, "%s/%u", name, counter_next(counters, name))
                        : name;
}

static int function_order(const void *a, const void *b)
{
    const struct bolt_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void functions_add(struct bolt_names *names, const struct nameds *nameds)
{
    struct counters counters = {0};
    map_init(&counters.hashes, sizeof(uint64_t));
    for (size_t i = 0; i < nameds->n; i++) {
        const struct named *named = &nameds->at[i];
        const char *name = name_of(names, &counters, named);
        struct bolt_function *last = names->n ? &names->at[names->n - 1] : NULL;
        bool inside = last && named->start < last->end;
        if (!named->code || inside || (!named->function && !(named->rank == 1 && !named->local)))
            continue;
        *vec_push(names) = (struct bolt_function){
            .start = named->start,
            .end = named->bytes <= UINT64_MAX - named->start ? named->start + named->bytes : 0,
            .name = name};
    }
    map_release(&counters.hashes);
    vec_release(&counters.counts);
    vec_release(&counters.texts);
}

static int frame_order(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

static bool frame_starts(const struct frames *frames, uint64_t at)
{
    struct frame key = {.start = {at}};
    return frames->n && bsearch(&key, frames->at, frames->n, sizeof key, frame_order);
}

/* The last of n functions that begins at the address or before it, or NULL. */
static const struct bolt_function *last_until(const struct bolt_function *functions, size_t n,
                                              uint64_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &functions[low - 1] : NULL;
}

/* The name of a function for which BOLT has no symbol, or NULL. It does not look at debug files:
 * what has its symbol there is for BOLT a frame description like others. */
static const char *other_name(struct bolt_names *names, const struct function *function,
                              uint64_t start)
{
    const char *at = strstr(function->name, "@plt");
    if (function->source == FUNCTION_STUB)
        return at ? arena_format(&names->arena, "%.*s@PLT", (int)(at - function->name),
                                 function->name)
                  : NULL;
    return arena_format(&names->arena, "__BOLT_FDE_FUNCat%llx", (unsigned long long)start);
}

/* Functions of our own symbols where BOLT's have none. */
static void others_add(struct bolt_names *names, const struct binary *binary)
{
    const struct symbols *symbols = &binary->symbols;
    size_t known = names->n;
    struct frames frames;
    frames_read(&frames, &binary->image);
    for (size_t i = 0; i < symbols->ranges.n; i++) {
        const struct code_range *range = &symbols->ranges.at[i];
        const struct function *function = &symbols->functions.at[range->function];
        uint64_t start = range->start.v;
        if (function->source == FUNCTION_GAP ||
            (function->source == FUNCTION_SYMBOL && !frame_starts(&frames, start)))
            continue;
        const struct bolt_function *before = last_until(names->at, known, start);
        if (before && (before->start == start || start < before->end))
            continue;
        const char *name = other_name(names, function, start);
        *vec_push(names) = (struct bolt_function){start, start + range->bytes, name};
    }
    frames_release(&frames);
    if (names->n)
        qsort(names->at, names->n, sizeof *names->at, function_order);
}

void bolt_names_read(struct bolt_names *names, const struct binary *binary)
{
    struct nameds nameds = {0};
    *names = (struct bolt_names){0};
    nameds_read(&nameds, &binary->image);
    functions_add(names, &nameds);
    others_add(names, binary);
    for (size_t i = 0; i < names->n; i++) {
        uint64_t next = i + 1 < names->n ? names->at[i + 1].start : UINT64_MAX;
        if (names->at[i].end <= names->at[i].start || names->at[i].end > next)
            names->at[i].end = next;
    }
    vec_release(&nameds);
}

void bolt_names_release(struct bolt_names *names)
{
    vec_release(names);
    arena_release(&names->arena);
}

const struct bolt_function *bolt_names_find(const struct bolt_names *names, uint64_t at)
{
    const struct bolt_function *found = last_until(names->at, names->n, at);
    return found && at < found->end && found->name ? found : NULL;
}
