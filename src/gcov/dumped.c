#include "gcov/dumped.h"

#include "gcov/dump_text.h"
#include "gcov/lines.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 4096, BLOCK_MOST = 1 << 24 };

struct parsing {
    struct dumped_functions *dumped;
    struct dumped_function *function;
    struct dump_text file; /* of the last place, */
    const char *name;      /* and what it became */
};

/* <bb 12>, as a number; 0: it is none. */
static uint32_t block_take(struct dump_text *line)
{
    uint32_t number = 0;
    if (!dump_skip(line, "<bb "))
        return 0;
    for (; line->at < line->end && *line->at >= '0' && *line->at <= '9'; line->at++)
        if ((number = number * 10 + (uint32_t)(*line->at - '0')) > BLOCK_MOST)
            return 0;
    return dump_skip(line, ">") ? number : 0;
}

static void blanks_skip(struct dump_text *line)
{
    while (line->at < line->end && *line->at == ' ')
        line->at++;
}

/* ---- places */

static const char *file_name(struct parsing *parsing, struct dump_text file)
{
    size_t n = (size_t)(file.end - file.at);
    struct dump_text last = parsing->file;
    if (!parsing->name || (size_t)(last.end - last.at) != n || memcmp(last.at, file.at, n) != 0) {
        parsing->file = file;
        parsing->name = file_last_part(arena_string_n(&parsing->dumped->arena, file.at, n));
    }
    return parsing->name;
}

static void place_add(struct parsing *parsing, const struct dump_place *place,
                      enum dumped_what what)
{
    struct dumped_function *function = parsing->function;
    function->blocks.at[function->blocks.n - 1].n_places++;
    *vec_push(&function->places) = (struct dumped_place){.file = file_name(parsing, place->file),
                                                         .line = place->line,
                                                         .column = place->column,
                                                         .what = (uint8_t)what};
}

/* The places of a line, the statement's first, and its operands': the first is that of its code. */
static bool place_begins(struct dump_text *line, struct dump_place *ret_place)
{
    bool found = false;
    const char *end;
    while (line->at < line->end && (end = dump_place_end(*line))) {
        struct dump_place place;
        if (dump_place_take(line->at, end, &place) && !found) {
            *ret_place = place;
            found = true;
        }
        line->at = end;
    }
    return found;
}

/* ---- lines */

static struct dumped_block *block_last(struct parsing *parsing)
{
    struct dumped_blocks *blocks = &parsing->function->blocks;
    return blocks->n ? &blocks->at[blocks->n - 1] : NULL;
}

static void goto_take(struct dumped_block *block, struct dump_text line)
{
    uint32_t number = block_take(&line);
    if (block->end == DUMPED_IF && !block->to[0])
        block->to[0] = number;
    else if (block->end == DUMPED_IF)
        block->to[1] = number;
    else
        block->to[0] = number;
}

/* f (x); or y = f (x); and not y = (int) x; */
static bool is_call(struct dump_text line)
{
    const char *equals = memmem(line.at, (size_t)(line.end - line.at), " = ", 3);
    const char *paren = memchr(line.at, '(', (size_t)(line.end - line.at));
    if (!paren)
        return false;
    if (equals && equals < paren)
        line.at = equals + 3;
    const char *blank = memchr(line.at, ' ', (size_t)(line.end - line.at));
    return blank && blank > line.at && *line.at != '(' && blank + 1 < line.end && blank[1] == '(';
}

static void statement_take(struct parsing *parsing, struct dump_text line)
{
    struct dumped_block *block = block_last(parsing);
    struct dump_place place;
    blanks_skip(&line);
    bool placed = place_begins(&line, &place);
    bool decides = false;
    if (dump_skip(&line, "# DEBUG BEGIN_STMT")) {
        if (placed)
            place_add(parsing, &place, DUMPED_BEGINS);
        return;
    }
    if (line.at == line.end || *line.at == '#')
        return;
    if (dump_skip(&line, "goto ")) {
        goto_take(block, line);
        return;
    }
    if (dump_skip(&line, "else"))
        return;
    if (dump_skip(&line, "if (")) {
        block->end = DUMPED_IF;
        decides = true;
    } else if (dump_skip(&line, "switch (")) {
        block->end = DUMPED_OTHERWISE;
        decides = true;
    } else if (dump_skip(&line, "return")) {
        block->end = DUMPED_LEAVES;
    }
    block->cuts = block->calls;
    bool calls = is_call(line);
    block->calls += calls;
    if (placed)
        place_add(parsing, &place, DUMPED_CODE);
    if (placed && (decides || calls))
        place_add(parsing, &place, decides ? DUMPED_BRANCH : DUMPED_CALL);
}

static void line_take(struct parsing *parsing, struct dump_text line)
{
    struct dump_text name, block = line;
    if (dump_function_take(line, &name)) {
        parsing->function = vec_push(parsing->dumped);
        *parsing->function = (struct dumped_function){
            .name = arena_string_n(&parsing->dumped->arena, name.at, (size_t)(name.end - name.at))};
        return;
    }
    if (!parsing->function)
        return;
    blanks_skip(&block);
    uint32_t number = block.at - line.at == 2 ? block_take(&block) : 0;
    if (number)
        *vec_push(&parsing->function->blocks) = (struct dumped_block){
            .number = number, .first_place = (uint32_t)parsing->function->places.n};
    else if (parsing->function->blocks.n && line.end - line.at < LINE_MOST)
        statement_take(parsing, line);
}

static int function_order(const void *a, const void *b)
{
    return strcmp(((const struct dumped_function *)a)->name,
                  ((const struct dumped_function *)b)->name);
}

void dumped_parse(struct dumped_functions *dumped, const char *text, size_t n)
{
    struct parsing parsing = {.dumped = dumped};
    struct dump_text rest = {text, text + n}, line;
    while (dump_line_next(&rest, &line))
        line_take(&parsing, line);
    if (dumped->n)
        qsort(dumped->at, dumped->n, sizeof *dumped->at, function_order);
}

void dumped_read(struct dumped_functions *dumped, const char *notes)
{
    size_t n;
    uint8_t *bytes = dump_read(&dumped->arena, notes, DUMP_PLACES_ENDING, &n);
    if (bytes)
        dumped_parse(dumped, (const char *)bytes, n);
    mem_free(bytes);
}

void dumped_release(struct dumped_functions *dumped)
{
    for (size_t i = 0; i < dumped->n; i++) {
        vec_release(&dumped->at[i].blocks);
        vec_release(&dumped->at[i].places);
    }
    vec_release(dumped);
    arena_release(&dumped->arena);
}

const struct dumped_function *dumped_find(const struct dumped_functions *dumped, const char *name)
{
    struct dumped_function key = {.name = name};
    return dumped->n ? bsearch(&key, dumped->at, dumped->n, sizeof key, function_order) : NULL;
}
