#include "export/job/named_places.h"

#include "program/binary.h"

#include <string.h>

struct function_key {
    uint32_t module, name;
    uint64_t where; /* start of a function; of an inlined one its file, with the top bit set */
};

#define WHERE_INLINED ((uint64_t)1 << 63)

void named_places_open(struct named_places *places, struct scene *scene, bool inlined)
{
    *places = (struct named_places){.scene = scene, .inlined = inlined};
    strings_init(&places->strings);
    demangler_init(&places->demangler);
    map_init(&places->keys, 2 * sizeof(uint64_t));
    map_init(&places->function_keys, sizeof(struct function_key));
    map_init(&places->twin_keys, 2 * sizeof(uint32_t));
}

void named_places_close(struct named_places *places)
{
    strings_release(&places->strings);
    demangler_release(&places->demangler);
    map_release(&places->keys);
    map_release(&places->function_keys);
    map_release(&places->twin_keys);
    vec_release(places);
    vec_release(&places->frames);
    vec_release(&places->functions);
    vec_release(&places->twins);
    vec_release(&places->asked);
}

/* ---- functions */

static enum place_kind kind_of(const struct profile *profile, uint32_t module)
{
    const char *path = module < profile->modules.n ? profile->modules.at[module].path : "";
    return strcmp(path, "[kernel]") == 0 ? PLACE_KERNEL
           : strcmp(path, "[jit]") == 0  ? PLACE_JIT
                                         : PLACE_USER;
}

/* The function with that linkage name, which may be new. */
static uint32_t function_add(struct named_places *places, const struct place_function *function,
                             uint64_t where)
{
    uint32_t linkage = strings_add(&places->strings, function->linkage);
    struct function_key key = {function->module, linkage, where};
    uint32_t index = map_add(&places->function_keys, &key);
    if (index < places->functions.n)
        return index;
    struct place_function *added = vec_push(&places->functions);
    *added = *function;
    added->linkage = places->strings.at[linkage];
    added->kind = (uint8_t)kind_of(places->scene->sides[0], function->module);
    uint32_t name = strings_add(&places->strings, demangle(&places->demangler, added->linkage));
    added->name = places->strings.at[name];
    uint32_t twin[2] = {name, added->kind};
    uint32_t first = map_add(&places->twin_keys, twin);
    if (first == places->twins.n)
        *vec_push(&places->twins) = index;
    added->twin = places->twins.at[first];
    return index;
}

static uint32_t function_real(struct named_places *places, uint32_t module,
                              const struct code_owner *code)
{
    struct place_function function = {.linkage = code->linkage,
                                      .module = module,
                                      .start = code->start,
                                      .function = code->function};
    if (code->function != FUNCTION_NONE)
        lines_find(binary_lines(scene_binary(places->scene, code->module)),
                   (struct svma){code->start}, &function.file, &function.line);
    return function_add(places, &function, code->start);
}

static uint32_t function_inlined(struct named_places *places, uint32_t module,
                                 const struct source_frame *frame)
{
    struct place_function function = {.linkage = frame->linkage ? frame->linkage : "[inlined]",
                                      .file = frame->file,
                                      .module = module,
                                      .function = FUNCTION_NONE};
    uint32_t file = strings_add(&places->strings, frame->file);
    return function_add(places, &function, WHERE_INLINED | file);
}

/* ---- places */

static void frame_push(struct named_places *places, uint32_t function,
                       const struct source_frame *frame)
{
    *vec_push(&places->frames) = (struct place_frame){
        .function = function, .file = frame ? frame->file : NULL, .line = frame ? frame->line : 0};
}

static void frames_find(struct named_places *places, uint32_t module, uint64_t address)
{
    struct code_owner code = code_owner_find(places->scene, 0, module, address);
    const struct code_frames *asked = &places->asked;
    places->asked.n = 0;
    if (code.function != FUNCTION_NONE)
        code_frames_find(&places->asked, places->scene, code.module, address);
    for (size_t i = 0; places->inlined && i + 1 < asked->n; i++)
        frame_push(places, function_inlined(places, module, &asked->at[i]), &asked->at[i]);
    frame_push(places, function_real(places, module, &code),
               asked->n ? &asked->at[asked->n - 1] : NULL);
}

uint32_t named_places_find(struct named_places *places, uint32_t module, uint64_t address)
{
    uint64_t key[2] = {module, address};
    uint32_t index = map_add(&places->keys, key);
    if (index < places->n)
        return index;
    uint32_t first = (uint32_t)places->frames.n;
    frames_find(places, module, address);
    *vec_push(places) = (struct named_place){first, (uint32_t)places->frames.n - first};
    return index;
}
