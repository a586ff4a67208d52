#include "keep/gather_module.h"

#include "keep/kept_module.h"
#include "keep/module_open.h"
#include "profile/places.h"
#include "profile/profile.h"

#include <string.h>

/* A value that is an address shows the string that is there. */
enum { STRING_BYTES = 64 };
/* Most code of a module without names that is swept while somebody waits: some 2 ms. */
enum { SWEEP_BYTES = 1 << 18 };

/* Of a function that was only on the way to others: name, lines, and the code around its calls.
 * Views show no instructions of it, and it may be large. */
enum want { WANT_NONE, WANT_LINES, WANT_ALL };
enum { AROUND_BYTES = 16 };
/* What its code refers to is known, and it is among what was gathered. */
enum taken { TAKEN_NONE, TAKEN_REFERENCES, TAKEN_ALL };

static void part_add(struct module_gather *gather, enum kept_kind kind, uint64_t at,
                     struct kept_code code)
{
    const struct kept_part part = {.module = gather->module,
                                   .kind = kind,
                                   .at = at,
                                   .n = gather->bytes.n,
                                   .bytes = gather->bytes.at,
                                   .code_at = code.at,
                                   .code_n = code.n};
    if (part.n <= KEPT_BYTES_MAX)
        kept_add(&gather->gathered.kept, &gather->gathered.arena, &part);
}

/* ---- which functions */

static bool want(struct function_gather *functions, function_id function, enum want how)
{
    if (functions->wanted[function] < how)
        functions->wanted[function] = (uint8_t)how;
    return true;
}

/* Of a function that a single sample found, and no window, a run can say little: its code may be
 * larger than what all that was found takes. */
static enum want want_of(struct module_gather *gather, function_id function, enum place_seen kind)
{
    uint8_t *samples = &gather->functions.samples[function];
    if (kind == PLACE_ONCE && *samples < 2)
        (*samples)++;
    bool all = kind == PLACE_RAN || *samples == 2 || !gather->wish.patience;
    return all ? WANT_ALL : WANT_LINES;
}

/* Marks are steps of 16 bytes: a function that only shares one is kept without need. `last`: what
 * is not a function that ran is taken, too. */
static void functions_want(struct module_gather *gather, const struct places *places, bool last)
{
    struct function_gather *functions = &gather->functions;
    const struct code_ranges *ranges = &functions->symbols->ranges;
    uint64_t at = 0;
    size_t range = 0;
    enum place_seen kind;
    memset(functions->samples, 0, functions->symbols->functions.n * sizeof *functions->samples);
    while (places_next(places, gather->module, &at, &kind)) {
        bool all = kind == PLACE_RAN || !gather->wish.patience;
        uint64_t end = at + (1 << PLACE_BITS);
        while (range < ranges->n && ranges->at[range].start.v + ranges->at[range].bytes <= at)
            range++;
        bool code = false;
        for (size_t i = range; i < ranges->n && ranges->at[i].start.v < end; i++)
            code = want(functions, ranges->at[i].function,
                        want_of(gather, ranges->at[i].function, kind));
        if (last && !code)
            interval_add(functions->references, at, STRING_BYTES);
        else if (last && !all)
            interval_add_code(functions->references, at - AROUND_BYTES, 2 * AROUND_BYTES);
        if (end < at)
            break;
        at = end;
    }
    for (function_id f = 0; f < functions->symbols->functions.n; f++)
        if (functions->wanted[f] == WANT_ALL && functions->taken[f] == TAKEN_NONE) {
            references_find(functions->references, f);
            functions->taken[f] = TAKEN_REFERENCES;
        }
}

/* ---- what of them */

static void ranges_take(const struct function_gather *functions, struct kept_function *kept,
                        const struct function *function)
{
    const struct code_ranges *ranges = &functions->symbols->ranges;
    for (uint32_t r = function->first_range; r != RANGE_NONE; r = ranges->at[r].next) {
        size_t room = 0;
        const uint8_t *code = image_bytes(functions->image, ranges->at[r].start, &room);
        *vec_push(&kept->ranges) =
            (struct kept_range){ranges->at[r].start.v, ranges->at[r].bytes, code};
        kept->has_code &= code && room >= ranges->at[r].bytes;
    }
}

static void arrivals_take(const struct function_gather *functions, struct kept_function *kept,
                          function_id f)
{
    struct path_arrivals own = {0};
    path_arrivals_pick(&functions->arrivals, functions->symbols, f, &own);
    for (size_t i = 0; i < own.n; i++)
        *vec_push(&kept->arrivals) = own.at[i].v;
    vec_release(&own);
}

static void head_take(struct module_gather *gather, const struct image *image,
                      const struct symbols *symbols)
{
    struct kept_module head;
    kept_module_read(&head, image, symbols);
    kept_module_encode(&head, &gather->bytes);
    part_add(gather, KEPT_MODULE, 0, (struct kept_code){0});
    kept_module_release(&head);
}

/* What was taken had no lines yet. */
static void functions_again(struct module_gather *gather)
{
    struct function_gather *functions = &gather->functions;
    gather->again = true;
    keep_result_release(&gather->gathered);
    gather->gathered = (struct keep_result){0};
    head_take(gather, &gather->binary.image, &gather->binary.symbols);
    for (function_id f = 0; f < functions->symbols->functions.n; f++)
        if (functions->taken[f] == TAKEN_ALL)
            functions->taken[f] = functions->wanted[f] == WANT_ALL ? TAKEN_REFERENCES : TAKEN_NONE;
}

/* If they are many, not yet: a longer run has time for them. */
static void lines_seek(struct module_gather *gather, bool last)
{
    struct function_gather *functions = &gather->functions;
    if (functions->lines_sought || functions->kind != KEPT_FUNCTION)
        return;
    functions->has_lines =
        line_gathering_open(&functions->lines, &gather->binary, gather->wish.lines);
    functions->lines_sought = last || !functions->lines.too_long;
    if (functions->has_lines && functions->any_taken)
        functions_again(gather);
    gather->gathered.without_lines += last && functions->lines.too_long;
}

/* Nothing more will be known of a function that ran; of others, at the last. */
static void functions_take(struct module_gather *gather, bool last)
{
    struct function_gather *functions = &gather->functions;
    const struct symbols *symbols = functions->symbols;
    struct kept_function kept = {0};
    lines_seek(gather, last);
    functions->any_taken = true;
    for (function_id f = 0; f < symbols->functions.n; f++) {
        bool all = functions->wanted[f] == WANT_ALL;
        bool wanted = all || (last && (functions->wanted[f] || functions->named[f]));
        if (!wanted || functions->taken[f] == TAKEN_ALL)
            continue;
        const struct function *function = &symbols->functions.at[f];
        kept_function_clear(&kept);
        kept.start = function->start.v;
        kept.name = function->name;
        kept.source = function->source;
        kept.has_code = all;
        ranges_take(functions, &kept, function);
        if (kept.has_code)
            arrivals_take(functions, &kept, f);
        if (functions->wanted[f] && functions->has_lines)
            line_gathering_take(&functions->lines, &kept);
        struct kept_code code = kept_function_encode(&kept, &gather->bytes);
        part_add(gather, functions->kind, kept.start, code);
        functions->taken[f] = TAKEN_ALL;
    }
    kept_function_release(&kept);
}

static void data_take(struct module_gather *gather)
{
    const struct binary *binary = &gather->binary;
    intervals_settle(&gather->data);
    for (size_t i = 0; i < gather->data.n; i++) {
        size_t room;
        struct kept_data data = {.start = gather->data.at[i].start,
                                 .n = gather->data.at[i].end - gather->data.at[i].start};
        data.bytes = image_bytes(&binary->image, (struct svma){data.start}, &room);
        if (!data.bytes || room < data.n)
            continue;
        struct kept_code code = {
            .at = kept_data_encode(&data, &binary->symbols.evidence, &gather->bytes)};
        if (image_executable(&binary->image, (struct svma){data.start}))
            code.n = data.n;
        part_add(gather, KEPT_DATA, data.start, code);
    }
}

/* ---- functions by one set of symbols */

/* Branches from functions that did not run are found by a sweep over all code, which takes long
 * unless the symbols needed it, too. Where all functions have names, only code that somebody wrote
 * in assembly has such branches. */
static void arrivals_find(struct module_gather *gather)
{
    struct function_gather *functions = &gather->functions;
    if (!gather->has_paths)
        return;
    if (!gather->wish.patience || functions->symbols->crossings.used) {
        path_arrivals_find(&functions->arrivals, functions->image, functions->symbols);
    } else {
        path_arrivals_stated(&functions->arrivals, functions->image, functions->symbols);
        path_arrivals_settle(&functions->arrivals);
    }
}

static void functions_open(struct module_gather *gather, enum kept_kind kind,
                           const struct image *image, const struct symbols *symbols)
{
    size_t n = symbols->functions.n + 1;
    struct function_gather *functions = &gather->functions;
    *functions = (struct function_gather){.image = image,
                                          .symbols = symbols,
                                          .kind = kind,
                                          .wanted = mem_alloc(n * sizeof *functions->wanted),
                                          .named = mem_alloc(n * sizeof *functions->named),
                                          .taken = mem_alloc(n * sizeof *functions->taken),
                                          .samples = mem_alloc(n * sizeof *functions->samples),
                                          .references = mem_alloc(sizeof *functions->references)};
    functions->references->image = image;
    functions->references->symbols = symbols;
    functions->references->named = functions->named;
    functions->references->data = &gather->data;
    references_init(functions->references);
    arrivals_find(gather);
}

static void functions_close(struct function_gather *functions)
{
    if (functions->lines_sought)
        line_gathering_close(&functions->lines);
    mem_free(functions->wanted);
    mem_free(functions->named);
    mem_free(functions->taken);
    mem_free(functions->samples);
    mem_free(functions->references);
    vec_release(&functions->arrivals);
    *functions = (struct function_gather){0};
}

/* As if there were no debug file. */
static void own_gather(struct module_gather *gather, const struct places *places)
{
    struct image own = gather->binary.image;
    struct symbols symbols;
    own.debug = (struct elf_file){0};
    symbols_build(&symbols, &own);
    functions_open(gather, KEPT_OWN, &own, &symbols);
    functions_want(gather, places, true);
    functions_take(gather, true);
    functions_close(&gather->functions);
    symbols_release(&symbols);
}

/* ---- the module */

/* Of a module that only lay there: where it lay. */
static void idle_gather(struct module_gather *gather, const struct profile *profile)
{
    struct binary binary = {0};
    if (!module_image_open(&binary.image, profile, gather->module))
        return;
    if (!binary.image.known)
        head_take(gather, &binary.image, &binary.symbols);
    binary_close(&binary);
}

/* A sweep over the code of cc1 takes 80 ms: as long as it compiles a small file. Split parts of
 * functions without names are then kept as functions. */
static size_t sweep_bytes(const struct module_gather *gather)
{
    return gather->wish.patience ? (size_t)gather->wish.patience * SWEEP_BYTES : SIZE_MAX;
}

static void module_open_once(struct module_gather *gather, const struct profile *profile)
{
    struct arena arena = {0};
    const char *missing;
    if (gather->state != MODULE_UNREAD)
        return;
    /* A growing one does not know its rows. */
    gather->has_paths = profile->mode != PROFILE_PLAIN && !gather->wish.no_paths;
    gather->state = MODULE_MISSING;
    if (module_file_open(&gather->binary, profile, gather->module, sweep_bytes(gather), &arena,
                         &missing)) {
        gather->state = MODULE_OPEN;
        head_take(gather, &gather->binary.image, &gather->binary.symbols);
        functions_open(gather, KEPT_FUNCTION, &gather->binary.image, &gather->binary.symbols);
    }
    arena_release(&arena);
}

static void module_close(struct module_gather *gather)
{
    if (gather->state == MODULE_OPEN) {
        functions_close(&gather->functions);
        binary_close(&gather->binary);
    }
    gather->state = MODULE_MISSING;
    vec_release(&gather->data);
    vec_release(&gather->bytes);
}

static bool is_marked(const struct module_gather *gather, const struct places *places)
{
    uint64_t first = 0;
    enum place_seen kind;
    return places_next(places, gather->module, &first, &kind);
}

void module_gather_ahead(struct module_gather *gather, const struct profile *profile,
                         const struct places *places)
{
    if (!is_marked(gather, places))
        return;
    module_open_once(gather, profile);
    if (gather->state != MODULE_OPEN)
        return;
    functions_want(gather, places, false);
    functions_take(gather, false);
}

void module_gather_all(struct module_gather *gather, const struct profile *profile,
                       const struct places *places)
{
    if (!is_marked(gather, places)) {
        idle_gather(gather, profile);
        return;
    }
    module_open_once(gather, profile);
    if (gather->state != MODULE_OPEN)
        return;
    functions_want(gather, places, true);
    functions_take(gather, true);
    functions_close(&gather->functions);
    if (!gather->wish.patience && gather->binary.image.debug.elf && gather->has_paths)
        own_gather(gather, places);
    data_take(gather);
    module_close(gather);
}

void module_gather_release(struct module_gather *gather)
{
    module_close(gather);
    keep_result_release(&gather->gathered);
}
