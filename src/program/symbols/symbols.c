#include "program/symbols/symbols.h"

#include "program/elf/elf_sections.h"
#include "program/unwind/frames.h"
#include "program/elf/image.h"
#include "program/elf/known.h"
#include "program/symbols/split_parts.h"
#include "program/elf/stubs.h"
#include "program/elf/symtab.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of code that may become a function or a part of one. */
struct span {
    uint64_t start, end;
    const char *name;
    const struct symbol *symbol; /* that named it */
    bool inside;                 /* of a frame: struct frame */
    uint8_t source;              /* enum function_source */
};
struct spans {
    VEC(struct span); /* by start, disjoint */
};

struct builder {
    struct symbols *symbols;
    const struct image *image;
    size_t sweep_bytes; /* most code that is swept */
    struct symtab symtab;
    struct frames frames;
    struct stubs stubs;
    struct spans code; /* executable sections: nothing lies outside of them */
    struct spans spans;
};

/* ---- where code can be */

static int span_order(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void code_add(struct spans *code, const struct image *image, uint64_t start, uint64_t bytes)
{
    size_t room;
    if (!bytes || !image_executable(image, (struct svma){start}) ||
        !image_bytes(image, (struct svma){start}, &room))
        return;
    *vec_push(code) = (struct span){.start = start, .end = start + (bytes < room ? bytes : room)};
}

/* Sections if there are any, else whole segments. */
static void code_read(struct spans *code, const struct image *image)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->file.elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
            (header.sh_flags & SHF_EXECINSTR))
            code_add(code, image, header.sh_addr, header.sh_size);
    for (size_t i = 0; !code->n && i < image->segments.n; i++)
        code_add(code, image, image->segments.at[i].start.v, image->segments.at[i].file_bytes);
    if (!code->n)
        return;
    qsort(code->at, code->n, sizeof *code->at, span_order);
    for (size_t i = 0; i + 1 < code->n; i++)
        if (code->at[i].end > code->at[i + 1].start)
            code->at[i].end = code->at[i + 1].start;
}

/* Index of the last span that starts at or before the address; n if there is none. */
static size_t spans_before(const struct spans *spans, uint64_t at)
{
    size_t low = 0, high = spans->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->at[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : spans->n;
}

static const struct span *spans_find(const struct spans *spans, uint64_t at)
{
    size_t i = spans_before(spans, at);
    return i < spans->n && at < spans->at[i].end ? &spans->at[i] : NULL;
}

/* ---- symbols */

/* For a symbol without a size: up to the end of its frame, else the next symbol, else the section.
 */
static uint64_t unsized_end(const struct builder *builder, size_t next_symbol, uint64_t start,
                            uint64_t section_end)
{
    struct frames frames = builder->frames;
    size_t low = 0, high = frames.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frame_code(&frames.at[middle]) < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < frames.n && frame_code(&frames.at[low]) == start)
        return frames.at[low].start.v + frames.at[low].bytes;
    uint64_t end = section_end;
    if (next_symbol < builder->symtab.n && builder->symtab.at[next_symbol].start.v < end)
        end = builder->symtab.at[next_symbol].start.v;
    return end;
}

/* A symbol inside the one before is part of it; one that reaches beyond it ends it early, because
 * sizes in hand-written code are often wrong and addresses are not. */
static void span_add_outermost(struct builder *builder, struct span span)
{
    struct spans *spans = &builder->spans;
    if (spans->n) {
        struct span *before = &spans->at[spans->n - 1];
        if (span.end <= before->end) {
            *vec_push(&builder->symbols->inner) = (struct svma){span.start};
            return;
        }
        if (span.start < before->end)
            before->end = span.start;
    }
    *vec_push(spans) = span;
}

static void spans_from_symbols(struct builder *builder)
{
    const struct symtab *symtab = &builder->symtab;
    vec_room(&builder->spans, symtab->n);
    for (size_t i = 0, next; i < symtab->n; i = next) {
        const struct symbol *symbol = &symtab->at[i];
        uint64_t start = symbol->start.v, bytes = 0;
        for (next = i; next < symtab->n && symtab->at[next].start.v == start; next++)
            if (symtab->at[next].bytes > bytes)
                bytes = symtab->at[next].bytes;
        const struct span *section = spans_find(&builder->code, start);
        if (!section)
            continue;
        uint64_t end = bytes ? start + bytes : unsized_end(builder, next, start, section->end);
        if (end > section->end || end < start)
            end = section->end;
        struct span span = {start, end, symbol->name, symbol, false, FUNCTION_SYMBOL};
        span_add_outermost(builder, span);
    }
}

/* ---- what symbols leave open */

/* Adds each candidate that starts in the open, up to where something known begins. */
static void spans_fill(struct builder *builder, const struct spans *candidates)
{
    struct spans old = builder->spans, filled = {0};
    vec_room(&filled, old.n + candidates->n);
    size_t next = 0;
    for (size_t i = 0; i < candidates->n; i++) {
        struct span span = candidates->at[i];
        while (next < old.n && old.at[next].start <= span.start)
            *vec_push(&filled) = old.at[next++];
        const struct span *section = spans_find(&builder->code, span.start);
        if (!section || (filled.n && span.start < filled.at[filled.n - 1].end))
            continue;
        if (span.end > section->end)
            span.end = section->end;
        if (next < old.n && span.end > old.at[next].start)
            span.end = old.at[next].start;
        *vec_push(&filled) = span;
    }
    while (next < old.n)
        *vec_push(&filled) = old.at[next++];
    vec_release(&old);
    builder->spans = filled;
}

static const char *stub_name(const struct builder *builder, const struct stub *stub)
{
    struct arena *arena = &builder->symbols->arena;
    if (stub->name)
        return arena_format(arena, "%s@plt", stub->name);
    if (!stub->resolver.v)
        return "[plt]";
    const struct span *target = spans_find(&builder->spans, stub->resolver.v);
    return target ? arena_format(arena, "%s@plt", target->name)
                  : arena_format(arena, "[0x%lx]@plt", stub->resolver.v);
}

static void spans_from_stubs(struct builder *builder)
{
    struct spans candidates = {0};
    for (size_t i = 0; i < builder->stubs.n; i++) {
        const struct stub *stub = &builder->stubs.at[i];
        const char *name = stub_name(builder, stub);
        *vec_push(&candidates) = (struct span){
            stub->start.v, stub->start.v + stub->bytes, name, NULL, false, FUNCTION_STUB};
    }
    spans_fill(builder, &candidates);
    vec_release(&candidates);
}

static const char *address_name(const struct builder *builder, uint64_t start)
{
    char text[sizeof "[0x]" + 16], *at = text + sizeof text;
    *--at = 0;
    *--at = ']';
    do
        *--at = "0123456789abcdef"[start & 15];
    while (start >>= 4);
    *--at = 'x';
    *--at = '0';
    *--at = '[';
    return arena_string(&builder->symbols->arena, at); /* printf takes a tenth of all time here */
}

static void spans_from_frames(struct builder *builder)
{
    struct spans candidates = {0};
    vec_room(&candidates, builder->frames.n);
    for (size_t i = 0; i < builder->frames.n; i++) {
        const struct frame *frame = &builder->frames.at[i];
        uint64_t start = frame_code(frame);
        if (!spans_find(&builder->spans, start))
            *vec_push(&candidates) = (struct span){.start = start,
                                                   .end = frame->start.v + frame->bytes,
                                                   .name = address_name(builder, start),
                                                   .inside = frame->inside,
                                                   .source = FUNCTION_FRAME};
    }
    spans_fill(builder, &candidates);
    vec_release(&candidates);
}

static void spans_from_gaps(struct builder *builder)
{
    const struct spans *spans = &builder->spans;
    struct spans gaps = {0};
    vec_room(&gaps, spans->n + builder->code.n);
    size_t next = 0; /* of the spans, the first that starts behind */
    for (size_t i = 0; i < builder->code.n; i++) {
        uint64_t at = builder->code.at[i].start, end = builder->code.at[i].end;
        while (at < end) {
            while (next < spans->n && spans->at[next].start <= at)
                next++;
            if (next && at < spans->at[next - 1].end) {
                at = spans->at[next - 1].end;
                continue;
            }
            uint64_t stop = next < spans->n ? spans->at[next].start : end;
            stop = stop < end ? stop : end;
            *vec_push(&gaps) =
                (struct span){at, stop, address_name(builder, at), NULL, false, FUNCTION_GAP};
            at = stop;
        }
    }
    spans_fill(builder, &gaps);
    vec_release(&gaps);
}

/* ---- split parts */

static int name_order(const void *a, const void *b)
{
    const struct symbol *x = *(const struct symbol *const *)a,
                        *y = *(const struct symbol *const *)b;
    int by_name = strcmp(x->name, y->name);
    if (by_name)
        return by_name;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

struct by_name {
    VEC(const struct symbol *);
};

/* Length of the parent's name in "parent.cold" or "parent.cold.7"; 0: not a cold part. */
static size_t cold_parent_length(const char *name)
{
    const char *suffix = NULL;
    for (const char *at = name; (at = strstr(at, ".cold")); at++)
        suffix = at;
    if (!suffix || suffix == name)
        return 0;
    const char *rest = suffix + strlen(".cold");
    if (*rest == '.' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789");
    return *rest ? 0 : (size_t)(suffix - name);
}

/* The symbol of that name in the same source file, or else the global one. */
static const struct symbol *parent_find(const struct by_name *names, const struct symbol *cold,
                                        size_t length)
{
    const struct symbol *global = NULL;
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *name = names->at[middle]->name;
        int order = strncmp(name, cold->name, length);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < names->n && strncmp(names->at[low]->name, cold->name, length) == 0; low++) {
        const struct symbol *symbol = names->at[low];
        if (symbol->name[length])
            break;
        if (symbol->file == cold->file && cold->file)
            return symbol;
        if (symbol->rank != RANK_LOCAL || !symbol->file)
            global = symbol;
    }
    return global;
}

/* Which names can be those of parents, by their length and last bytes: of some of a hundred
 * thousand, which would take longer to sort than all else here, few cold parts ask for any. */
struct name_filter {
    uint64_t bits[1024];
};

static uint64_t *filter_word(struct name_filter *filter, const char *name, size_t length,
                             uint64_t *ret_bit)
{
    uint64_t tail = 0;
    size_t bytes = length < sizeof tail ? length : sizeof tail;
    memcpy(&tail, name + length - bytes, bytes);
    uint64_t cell = (tail ^ length << 56) * 0x9E3779B97F4A7C15u >> 48;
    *ret_bit = (uint64_t)1 << (cell & 63);
    return &filter->bits[cell >> 6];
}

/* All symbols that cold parts may be parts of, and some others. */
static void names_read(struct by_name *names, const struct builder *builder)
{
    struct name_filter filter = {0};
    uint64_t bit;
    for (size_t i = 0; i < builder->spans.n; i++) {
        const struct symbol *cold = builder->spans.at[i].symbol;
        size_t length = cold ? cold_parent_length(cold->name) : 0;
        if (length) {
            uint64_t *word = filter_word(&filter, cold->name, length, &bit);
            *word |= bit;
        }
    }
    for (size_t i = 0; i < builder->symtab.n; i++) {
        const struct symbol *symbol = &builder->symtab.at[i];
        if (*filter_word(&filter, symbol->name, strlen(symbol->name), &bit) & bit)
            *vec_push(names) = symbol;
    }
    if (names->n)
        qsort(names->at, names->n, sizeof(const struct symbol *), name_order);
}

/* parents[i]: the span that span i is a part of, or i itself. */
static void parents_find(const struct builder *builder, uint32_t *parents)
{
    struct by_name names = {0};
    const struct spans *spans = &builder->spans;
    bool any = false;
    for (size_t i = 0; i < spans->n; i++) {
        parents[i] = (uint32_t)i;
        const struct symbol *cold = spans->at[i].symbol;
        size_t length = cold ? cold_parent_length(cold->name) : 0;
        if (!length)
            continue;
        if (!any)
            names_read(&names, builder);
        any = true;
        const struct symbol *parent = parent_find(&names, cold, length);
        const struct span *span = parent ? spans_find(spans, parent->start.v) : NULL;
        if (span && span->symbol && !cold_parent_length(span->name))
            parents[i] = (uint32_t)(span - spans->at);
    }
    vec_release(&names);
}

/* Only frame descriptions leave open what is a function: without them the sweep is for whoever
 * asks. */
static void unnamed_parents_find(const struct builder *builder, uint32_t *parents)
{
    const struct spans *spans = &builder->spans;
    struct crossings *crossings = &builder->symbols->crossings;
    struct code_stretch *stretches = mem_alloc((spans->n + 1) * sizeof *stretches);
    bool any = false;
    for (size_t i = 0; i < spans->n; i++) {
        const struct span *span = &spans->at[i];
        stretches[i] = (struct code_stretch){.start = span->start,
                                             .end = span->end,
                                             .unnamed = span->source == FUNCTION_FRAME,
                                             .inside = span->inside,
                                             .part = parents[i] != i};
        any |= stretches[i].unnamed;
    }
    if (any) {
        crossings_find(crossings, builder->image, stretches, spans->n);
        split_parts_find(crossings, &builder->symbols->evidence, stretches, spans->n, parents);
    }
    mem_free(stretches);
}

/* ---- the result */

static size_t code_bytes(const struct spans *code)
{
    size_t bytes = 0;
    for (size_t i = 0; i < code->n; i++)
        bytes += code->at[i].end - code->at[i].start;
    return bytes;
}

static void functions_make(const struct builder *builder)
{
    struct symbols *symbols = builder->symbols;
    const struct spans *spans = &builder->spans;
    uint32_t *parents = mem_alloc(spans->n * sizeof *parents);
    parents_find(builder, parents);
    if (code_bytes(&builder->code) <= builder->sweep_bytes)
        unnamed_parents_find(builder, parents);
    vec_room(&symbols->ranges, spans->n);
    vec_room(&symbols->functions, spans->n);
    for (size_t i = 0; i < spans->n; i++) {
        const struct span *span = &spans->at[i];
        *vec_push(&symbols->ranges) =
            (struct code_range){.start = {span->start},
                                .bytes = span->end - span->start,
                                .function = (uint32_t)symbols->functions.n,
                                .next = RANGE_NONE};
        if (parents[i] == i)
            *vec_push(&symbols->functions) = (struct function){.name = span->name,
                                                               .start = {span->start},
                                                               .first_range = (uint32_t)i,
                                                               .source = span->source};
    }
    for (size_t i = spans->n; i-- > 0;)
        if (parents[i] != i) {
            struct code_range *part = &symbols->ranges.at[i],
                              *main = &symbols->ranges.at[parents[i]];
            part->function = main->function;
            part->next = main->next;
            main->next = (uint32_t)i;
        }
    mem_free(parents);
}

/* Symbol names are libelf's memory, which goes with the image: keep our own. */
static void names_keep(struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->functions.n; i++)
        if (symbols->functions.at[i].source == FUNCTION_SYMBOL)
            symbols->functions.at[i].name =
                arena_string(&symbols->arena, symbols->functions.at[i].name);
}

/* What was kept of a file is what it once gave. */
static void symbols_take(struct symbols *symbols, const struct known *known)
{
    evidence_copy(&symbols->evidence, &known->evidence);
    for (size_t i = 0; i < known->functions.n; i++) {
        const struct known_function *function = &known->functions.at[i];
        *vec_push(&symbols->functions) = (struct function){.name = function->name,
                                                           .start = function->start,
                                                           .first_range = RANGE_NONE,
                                                           .source = function->source};
    }
    for (size_t i = 0; i < known->ranges.n; i++)
        *vec_push(&symbols->ranges) = (struct code_range){.start = known->ranges.at[i].start,
                                                          .bytes = known->ranges.at[i].bytes,
                                                          .function = known->ranges.at[i].function,
                                                          .next = RANGE_NONE};
    /* The main range of a function first, the others by their starts. */
    for (uint32_t i = (uint32_t)symbols->ranges.n; i-- > 0;) {
        struct function *function = &symbols->functions.at[symbols->ranges.at[i].function];
        if (symbols->ranges.at[i].start.v == function->start.v)
            continue;
        symbols->ranges.at[i].next = function->first_range;
        function->first_range = i;
    }
    for (uint32_t i = 0; i < symbols->ranges.n; i++) {
        struct function *function = &symbols->functions.at[symbols->ranges.at[i].function];
        if (symbols->ranges.at[i].start.v != function->start.v)
            continue;
        symbols->ranges.at[i].next = function->first_range;
        function->first_range = i;
    }
}

void symbols_build_within(struct symbols *symbols, const struct image *image, size_t sweep_bytes)
{
    *symbols = (struct symbols){0};
    if (image->known) {
        symbols_take(symbols, image->known);
        return;
    }
    struct builder builder = {.symbols = symbols, .image = image, .sweep_bytes = sweep_bytes};
    if (sweep_bytes)
        evidence_read(&symbols->evidence, image);
    symtab_read(&builder.symtab, image);
    frames_read(&builder.frames, image);
    stubs_read(&builder.stubs, image);
    code_read(&builder.code, image);
    spans_from_symbols(&builder);
    spans_from_stubs(&builder);
    spans_from_frames(&builder);
    spans_from_gaps(&builder);
    functions_make(&builder);
    names_keep(symbols);
    symtab_release(&builder.symtab);
    frames_release(&builder.frames);
    stubs_release(&builder.stubs);
    vec_release(&builder.code);
    vec_release(&builder.spans);
}

void symbols_build(struct symbols *symbols, const struct image *image)
{
    symbols_build_within(symbols, image, SIZE_MAX);
}

void symbols_release(struct symbols *symbols)
{
    crossings_release(&symbols->crossings);
    vec_release(&symbols->functions);
    vec_release(&symbols->ranges);
    vec_release(&symbols->inner);
    evidence_release(&symbols->evidence);
    arena_release(&symbols->arena);
}

const struct crossings *symbols_crossings(const struct symbols *symbols, const struct image *image,
                                          struct crossings *own)
{
    *own = (struct crossings){0};
    if (symbols->crossings.used)
        return &symbols->crossings;
    struct code_stretch *stretches = mem_alloc((symbols->ranges.n + 1) * sizeof *stretches);
    for (size_t i = 0; i < symbols->ranges.n; i++) {
        const struct code_range *range = &symbols->ranges.at[i];
        stretches[i] = (struct code_stretch){
            .start = range->start.v,
            .end = range->start.v + range->bytes,
            .part = symbols->functions.at[range->function].start.v != range->start.v};
    }
    crossings_find(own, image, stretches, symbols->ranges.n);
    mem_free(stretches);
    return own;
}

uint32_t symbols_range(const struct symbols *symbols, struct svma at)
{
    size_t low = 0, high = symbols->ranges.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->ranges.at[middle].start.v <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || at.v - symbols->ranges.at[low - 1].start.v >= symbols->ranges.at[low - 1].bytes)
        return RANGE_NONE;
    return (uint32_t)low - 1;
}

function_id symbols_find(const struct symbols *symbols, struct svma at)
{
    uint32_t range = symbols_range(symbols, at);
    return range == RANGE_NONE ? FUNCTION_NONE : symbols->ranges.at[range].function;
}
