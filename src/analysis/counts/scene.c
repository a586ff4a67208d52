#include "analysis/counts/scene.h"

#include "analysis/counts/labels.h"
#include "base/err.h"
#include "base/phase.h"
#include "keep/module_open.h"
#include "keep/sources.h"
#include "program/names/match.h"
#include "program/cfg/cfg_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules */

static const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool same_module(const struct scene_module *known, const struct module *module)
{
    if (known->module.build_id_bytes && module->build_id_bytes)
        return known->module.build_id_bytes == module->build_id_bytes &&
               memcmp(known->module.build_id, module->build_id, module->build_id_bytes) == 0;
    return strcmp(known->name, path_name(module->path)) == 0;
}

static void module_load(struct scene *scene, const struct profile *profile, uint32_t index,
                        struct scene_module *known)
{
    struct binary *binary = arena_alloc(&scene->arena, sizeof *binary);
    phase_set("reading symbols of", profile->modules.at[index].path);
    if (scene->joined) {
        const struct module *module = &profile->modules.at[index];
        profile = scene->joined;
        index =
            profile_module(scene->joined, module->path, module->build_id, module->build_id_bytes);
    }
    if (module_open(binary, profile, index, &scene->arena, &known->missing))
        known->binary = binary;
}

static uint32_t module_add(struct scene *scene, const struct profile *profile, uint32_t index,
                           const char *only)
{
    const struct module *module = &profile->modules.at[index];
    for (uint32_t i = 0; i < scene->modules.n; i++) {
        struct scene_module *known = &scene->modules.at[i];
        if (!same_module(known, module))
            continue;
        /* The same build may lie elsewhere on the other side. */
        if (!known->binary && strcmp(known->module.path, module->path) != 0) {
            known->module = *module;
            module_load(scene, profile, index, known);
        }
        return i;
    }
    struct scene_module *added = vec_push(&scene->modules);
    added->module = *module;
    added->name = path_name(module->path);
    added->shown = !only || strcmp(only, module->path) == 0 || strcmp(only, added->name) == 0;
    added->label =
        added->name[0] == '[' ? added->name : arena_format(&scene->arena, "[%s]", added->name);
    added->missing = "not asked for";
    if (added->shown)
        module_load(scene, profile, index, added);
    return (uint32_t)scene->modules.n - 1;
}

bool scene_shows(const struct scene *scene, struct err *err)
{
    char list[384] = "";
    size_t used = 0, i;
    if (!scene->only_module)
        return true;
    for (i = 0; i < scene->modules.n; i++)
        if (scene->modules.at[i].shown)
            return true;
    for (i = 0; i < scene->modules.n; i++) {
        const char *name = scene->modules.at[i].name;
        if (used + strlen(name) + 3 > sizeof list)
            break;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
    }
    return err_set(err, ERR_MISSING, "no such module; the profile has %s%s",
                   scene->modules.n ? list : "none", i < scene->modules.n ? " and more" : "");
}

uint32_t scene_module(const struct scene *scene, uint32_t side, uint32_t module)
{
    return module < scene->module_of[side].n ? scene->module_of[side].at[module] : MODULE_NONE;
}

bool scene_is_program(const struct scene *scene, uint32_t module)
{
    const char *command = scene->sides[0]->command ? scene->sides[0]->command : "";
    bool quoted = command[0] == '\'';
    size_t word = quoted ? 1 + strcspn(command + 1, "'\n") : strcspn(command, " \n");
    size_t at = word;
    while (at > quoted && command[at - 1] != '/')
        at--;
    const char *name = scene->modules.at[module].name;
    return strlen(name) == word - at && strncmp(name, command + at, word - at) == 0;
}

/* ---- functions */

struct binary *scene_binary(const struct scene *scene, uint32_t module)
{
    return module < scene->modules.n ? scene->modules.at[module].binary : NULL;
}

const struct image *scene_image(const struct scene *scene, uint32_t side, uint32_t module)
{
    const struct binary *binary = scene_binary(scene, scene_module(scene, side, module));
    return binary ? &binary->image : NULL;
}

function_id scene_function_at(const struct scene *scene, uint32_t module, uint64_t at)
{
    const struct binary *binary = scene_binary(scene, module);
    return binary ? symbols_find(&binary->symbols, (struct svma){at}) : FUNCTION_NONE;
}

const struct scene_function *scene_function_find(const struct scene *scene, uint32_t module,
                                                 uint64_t at)
{
    function_id function = scene_function_at(scene, module, at);
    size_t low = 0, high = scene->functions.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct scene_function *known = &scene->functions.at[middle];
        if (known->module < module || (known->module == module && known->function < function))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < scene->functions.n && scene->functions.at[low].module == module &&
                 scene->functions.at[low].function == function;
    return found && function != FUNCTION_NONE ? &scene->functions.at[low] : NULL;
}

/* "[0x4290]" of a binary -> "gzip+0x4290"; "[0x4290]@plt" likewise. */
static const char *name_in_module(const struct scene *scene, uint32_t module, function_id function,
                                  const char *name)
{
    struct scene_addresses *known = scene->addresses;
    uint32_t i = map_add(&known->keys, (uint32_t[2]){module, function});
    if (i == known->n) {
        const char *address = name + 1, *end = strchr(address, ']');
        int bytes = (int)(end ? (size_t)(end - address) : strlen(address));
        *vec_push(known) = arena_format(&known->arena, "%s+%.*s%s", scene->modules.at[module].name,
                                        bytes, address, end ? end + 1 : "");
    }
    return known->at[i];
}

bool scene_nameless(const char *linkage)
{
    size_t module_bytes;
    uint64_t at;
    return linkage[0] == '[' || address_parse(linkage, &module_bytes, &at);
}

const char *scene_function_name(const struct scene *scene, uint32_t module, function_id function)
{
    if (module >= scene->modules.n)
        return "[unknown]";
    const struct scene_module *known = &scene->modules.at[module];
    if (!known->binary || function == FUNCTION_NONE)
        return known->label;
    const char *name = known->binary->symbols.functions.at[function].name;
    return strncmp(name, "[0x", 3) == 0 ? name_in_module(scene, module, function, name) : name;
}

const char *scene_named(const struct scene *scene, uint32_t side, uint32_t module, uint64_t at)
{
    for (uint32_t i = 0; i < scene->module_of[side].n; i++) {
        const struct name *name = scene->module_of[side].at[i] == module
                                      ? names_find(&scene->sides[side]->names, i, at)
                                      : NULL;
        if (name)
            return name->text;
    }
    return NULL;
}

const char *scene_source_kept(const void *of, const char *path, size_t *ret_n)
{
    const struct scene *scene = of;
    const char *text = NULL;
    for (uint32_t side = 0; side < scene->n_sides && !text; side++)
        text = source_kept(scene->sides[side], path, ret_n);
    return text;
}

const char *scene_readable(struct scene *scene, const char *linkage)
{
    return demangle(&scene->demangler, linkage);
}

/* ---- which are wanted */

void scene_want_function(struct scene *scene, const char *pattern)
{
    size_t bytes;
    uint64_t at;
    scene->only_function = pattern;
    scene->only_place_module = MODULE_NONE;
    if (!address_parse(pattern, &bytes, &at))
        return;
    for (uint32_t i = 0; i < scene->modules.n; i++) {
        const char *name = scene->modules.at[i].name;
        function_id function = scene_function_at(scene, i, at);
        if (strlen(name) != bytes || memcmp(name, pattern, bytes) != 0 || function == FUNCTION_NONE)
            continue;
        scene->only_place_module = i;
        scene->only_place_function = function;
        return;
    }
}

bool scene_function_wanted(struct scene *scene, uint32_t module, function_id function,
                           const char *linkage)
{
    if (!scene->only_function)
        return true;
    if (scene->only_place_module != MODULE_NONE)
        return module == scene->only_place_module && function == scene->only_place_function;
    return name_matches(scene->only_function, linkage, scene_readable(scene, linkage));
}

bool scene_place_wanted(struct scene *scene, uint32_t module, uint64_t at)
{
    if (module >= scene->modules.n || !scene->modules.at[module].shown)
        return false;
    if (!scene->only_function)
        return true;
    function_id function = scene_function_at(scene, module, at);
    return scene_function_wanted(scene, module, function,
                                 scene_function_name(scene, module, function));
}

bool scene_wants_any(struct scene *scene, struct err *err)
{
    for (size_t i = 0; scene->only_function && i < scene->functions.n; i++) {
        const struct scene_function *one = &scene->functions.at[i];
        if (scene_function_wanted(scene, one->module, one->function,
                                  scene_function_name(scene, one->module, one->function)))
            return true;
    }
    return !scene->only_function || !scene->functions.n ||
           err_set(err, ERR_MISSING, "no function '%.200s' was seen to run; see gait report",
                   scene->only_function);
}

static void unwanted_drop(struct scene *scene)
{
    size_t kept = 0;
    for (size_t i = 0; i < scene->functions.n; i++) {
        struct scene_function one = scene->functions.at[i];
        if (scene_function_wanted(scene, one.module, one.function,
                                  scene_function_name(scene, one.module, one.function)))
            scene->functions.at[kept++] = one;
    }
    scene->functions.n = kept;
}

void scene_only_function(struct scene *scene, const char *pattern)
{
    scene_want_function(scene, pattern);
    unwanted_drop(scene);
}

void scene_only_place(struct scene *scene, uint32_t module, function_id function)
{
    scene->only_place_module = module;
    scene->only_place_function = function;
    unwanted_drop(scene);
}

/* ---- touches */

static void touch_add(struct scene *scene, uint32_t module, function_id function, uint32_t side,
                      enum touch_kind kind, uint32_t record)
{
    if (module < scene->modules.n && scene->modules.at[module].shown)
        *vec_push(&scene->touches) = (struct touch){.module = module,
                                                    .function = function,
                                                    .record = record,
                                                    .side = (uint8_t)side,
                                                    .kind = (uint8_t)kind};
}

/* A run that falls out of one function into the next belongs to both. */
static void touch_ranges(struct scene *scene, uint32_t side)
{
    const struct table *ranges = &scene->sides[side]->ranges;
    for (uint32_t i = 0; i < ranges->n; i++) {
        const struct range_key *key = map_key(&ranges->keys, i);
        uint32_t module = scene_module(scene, side, key->module);
        function_id first = scene_function_at(scene, module, key->start.v);
        function_id last = scene_function_at(scene, module, key->last.v);
        touch_add(scene, module, first, side, TOUCH_RANGE, i);
        if (last != first)
            touch_add(scene, module, last, side, TOUCH_RANGE, i);
    }
}

static void touch_edges(struct scene *scene, uint32_t side)
{
    const struct table *edges = &scene->sides[side]->edges;
    for (uint32_t i = 0; i < edges->n; i++) {
        const struct edge_key *key = map_key(&edges->keys, i);
        uint32_t from_module = scene_module(scene, side, key->from_module);
        uint32_t to_module = scene_module(scene, side, key->to_module);
        function_id from = scene_function_at(scene, from_module, key->from.v);
        function_id to = scene_function_at(scene, to_module, key->to.v);
        if (from_module != MODULE_NONE)
            touch_add(scene, from_module, from, side, TOUCH_OUT, i);
        if (to_module != MODULE_NONE && (from_module != to_module || from != to))
            touch_add(scene, to_module, to, side, TOUCH_IN, i);
    }
}

/* Time of a walked profile is user time: the kernel's has another view. */
static void touch_times(struct scene *scene, uint32_t side)
{
    const struct stacks *stacks = &scene->sides[side]->stacks;
    bool user = scene->sides[side]->mode == PROFILE_SAMPLED;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        struct stack_key key = stacks_key(stacks, cell->node);
        uint32_t module = scene_module(scene, side, key.module);
        if (user && profile_module_is_kernel(scene->sides[side], key.module))
            continue;
        touch_add(scene, module, scene_function_at(scene, module, key.address), side, TOUCH_TIME,
                  i);
    }
}

int scene_trip_order(const void *a, const void *b)
{
    const struct scene_trip *x = a, *y = b;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static void trips_gather(struct scene *scene, uint32_t side)
{
    const struct table *trips = &scene->sides[side]->trips;
    for (uint32_t i = 0; i < trips->n; i++) {
        const struct trip_key *key = map_key(&trips->keys, i);
        *vec_push(&scene->trips) =
            (struct scene_trip){.side = side,
                                .module = scene_module(scene, side, key->module),
                                .head = key->head.v,
                                .n = key->n,
                                .record = i};
    }
}

static int touch_order(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

struct scene_function scene_function_from(const struct scene *scene, size_t first_touch)
{
    const struct touches *touches = &scene->touches;
    const struct touch *first = &touches->at[first_touch];
    size_t end = first_touch;
    while (end < touches->n && touches->at[end].module == first->module &&
           touches->at[end].function == first->function)
        end++;
    return (struct scene_function){first->module, first->function, first_touch, end - first_touch};
}

static void functions_group(struct scene *scene)
{
    const struct touches *touches = &scene->touches;
    if (touches->n)
        qsort(touches->at, touches->n, sizeof *touches->at, touch_order);
    for (size_t i = 0; i < touches->n; i += scene->functions.at[scene->functions.n - 1].n_touches) {
        struct scene_function function = scene_function_from(scene, i);
        *vec_push(&scene->functions) = function;
    }
}

/* ---- all */

/* Each side kept the functions that it saw: of a module that both have, both are needed. */
static void sides_join(struct scene *scene)
{
    struct profile *joined = scene->joined = arena_alloc(&scene->arena, sizeof *joined);
    profile_init(joined);
    for (uint32_t side = 0; side < scene->n_sides; side++) {
        const struct profile *profile = scene->sides[side];
        for (size_t i = 0; i < profile->facts.n; i++)
            profile_fact(joined, profile->facts.at[i].key, profile->facts.at[i].value);
        for (size_t i = 0; i < profile->kept.n; i++) {
            struct kept_part part = profile->kept.at[i];
            const struct module *module = &profile->modules.at[part.module];
            part.module =
                profile_module(joined, module->path, module->build_id, module->build_id_bytes);
            kept_add(&joined->kept, &joined->arena, &part);
        }
    }
    kept_sort(&joined->kept);
}

void scene_open(struct scene *scene, const struct profile *const *sides, uint32_t n_sides,
                const char *only)
{
    ASSERT(n_sides <= SIDES_MAX);
    *scene = (struct scene){.n_sides = n_sides, .only_module = only};
    demangler_init(&scene->demangler);
    intern_init(&scene->names);
    scene->addresses = mem_alloc(sizeof *scene->addresses);
    map_init(&scene->addresses->keys, 2 * sizeof(uint32_t));
    for (uint32_t side = 0; side < n_sides; side++)
        scene->sides[side] = sides[side];
    if (n_sides > 1)
        sides_join(scene);
    for (uint32_t side = 0; side < n_sides; side++) {
        bare_find(&scene->bare[side], sides[side]);
        for (uint32_t i = 0; i < sides[side]->modules.n; i++)
            *vec_push(&scene->module_of[side]) = module_add(scene, sides[side], i, only);
    }
    for (uint32_t side = 0; side < n_sides; side++) {
        touch_ranges(scene, side);
        touch_edges(scene, side);
        if (sides[side]->mode == PROFILE_SAMPLED)
            touch_times(scene, side);
        trips_gather(scene, side);
    }
    if (scene->trips.n)
        qsort(scene->trips.at, scene->trips.n, sizeof *scene->trips.at, scene_trip_order);
    functions_group(scene);
}

void scene_take_plain(struct scene *scene)
{
    for (uint32_t side = 0; side < scene->n_sides; side++)
        if (scene->sides[side]->mode == PROFILE_PLAIN)
            touch_times(scene, side);
    scene->functions.n = 0;
    functions_group(scene);
}

void scene_close(struct scene *scene)
{
    for (size_t i = 0; i < scene->modules.n; i++)
        if (scene->modules.at[i].binary)
            binary_close(scene->modules.at[i].binary);
    if (scene->joined)
        profile_release(scene->joined);
    for (uint32_t side = 0; side < scene->n_sides; side++) {
        vec_release(&scene->module_of[side]);
        bare_release(&scene->bare[side]);
    }
    vec_release(&scene->modules);
    vec_release(&scene->touches);
    vec_release(&scene->trips);
    vec_release(&scene->functions);
    demangler_release(&scene->demangler);
    intern_release(&scene->names);
    map_release(&scene->addresses->keys);
    vec_release(scene->addresses);
    arena_release(&scene->addresses->arena);
    mem_free(scene->addresses);
    arena_release(&scene->arena);
}
