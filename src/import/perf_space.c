#include "import/perf_space.h"

#include "base/err.h"
#include "base/text_hash.h"
#include "import/perf_record.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The upper half of the address space is the kernel's. */
static bool is_kernel(struct avma at)
{
    return at.v >> 63;
}

void perf_space_init(struct perf_space *space, struct profile *profile,
                     const struct perf_file *file, const char *binary)
{
    *space = (struct perf_space){.profile = profile,
                                 .file = file,
                                 .binary = binary,
                                 .kernel = MODULE_NONE,
                                 .unknown = MODULE_NONE};
    map_init(&space->pids, sizeof(uint32_t));
    map_init(&space->told, sizeof(struct perf_file_key));
}

void perf_space_release(struct perf_space *space)
{
    for (size_t i = 0; i < space->n; i++) {
        mappings_release(&space->at[i]->code);
        mappings_release(&space->at[i]->data);
        mem_free(space->at[i]);
    }
    for (size_t i = 0; i < space->modules.n; i++)
        if (space->modules.at[i].image) {
            image_close(space->modules.at[i].image);
            mem_free(space->modules.at[i].image);
        }
    vec_release(space);
    vec_release(&space->modules);
    for (size_t i = 0; i < space->codes.n; i++)
        if (space->codes.at[i].symbols) {
            symbols_release(space->codes.at[i].symbols);
            mem_free(space->codes.at[i].symbols);
        }
    vec_release(&space->codes);
    map_release(&space->pids);
    map_release(&space->told);
}

static struct perf_process *process_of(struct perf_space *space, uint32_t pid)
{
    uint32_t index = map_add(&space->pids, &pid);
    if (index == space->n) {
        struct perf_process *process = mem_alloc(sizeof *process);
        mappings_init(&process->code, space->profile, (int)pid);
        mappings_init(&process->data, space->profile, (int)pid);
        *vec_push(space) = process;
    }
    return space->at[index];
}

/* ---- modules */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Older perf does not say how long an id is: one that ends in zeros seems shorter. */
static bool image_is(const struct image *image, const struct perf_mapped *map)
{
    uint8_t ids[2][sizeof map->build_id] = {{0}};
    if (!map->build_id_bytes)
        return true;
    if (image->build_id_bytes < map->build_id_bytes || image->build_id_bytes > sizeof ids[0])
        return false;
    memcpy(ids[0], image->build_id, image->build_id_bytes);
    memcpy(ids[1], map->build_id, map->build_id_bytes);
    return memcmp(ids[0], ids[1], sizeof ids[0]) == 0;
}

/* A path out of the file must not lead to a device or a pipe. */
static bool image_try(struct image *image, const char *path, const struct perf_mapped *map)
{
    struct err ignored;
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || !image_open(image, path, &ignored))
        return false;
    if (image_is(image, map))
        return true;
    image_close(image);
    return false;
}

static bool image_reach(const struct perf_space *space, struct image *image,
                        const struct perf_mapped *map)
{
    bool named = space->binary && strcmp(name_of(space->binary), name_of(map->path)) == 0;
    if (space->binary && (named || map->build_id_bytes) && image_try(image, space->binary, map))
        return true;
    return map->path[0] == '/' && image_try(image, map->path, map);
}

static void replaced_note(struct profile *profile, const struct perf_module *module)
{
    char text[PATH_MAX + 64] = "-";
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", module->build_id[i]);
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, " %s", module->path);
    if (profile->facts.n < PROFILE_FACTS_NOTED)
        profile_fact(profile, "replaced", text);
    else
        sum_add(&profile->totals.losses[LOSS_fact_lost], 1);
}

static struct perf_module module_new(struct perf_space *space, const struct perf_mapped *map)
{
    struct image image;
    struct perf_module module = {.module = MODULE_NONE, .path = map->path};
    if (!image_reach(space, &image, map)) {
        module.replaced = map->path[0] == '/' && map->code;
        module.build_id_bytes = map->build_id_bytes;
        memcpy(module.build_id, map->build_id, sizeof module.build_id);
        return module;
    }
    module.image = mem_alloc(sizeof image);
    *module.image = image;
    module.build_id_bytes = image.build_id_bytes;
    memcpy(module.build_id, image.build_id, sizeof module.build_id);
    if (space->binary && strcmp(image.path, space->binary) == 0) {
        char *whole = realpath(space->binary, NULL);
        if (whole)
            module.path = arena_string(&space->profile->arena, whole);
        free(whole);
    }
    return module;
}

/* The profile's. */
static uint32_t module_settle(struct perf_space *space, uint32_t index)
{
    struct perf_module *module = &space->modules.at[index];
    if (module->module != MODULE_NONE)
        return module->module;
    if (!module->path)
        return module->module = profile_module_jit(space->profile, module->jit);
    if (module->replaced)
        replaced_note(space->profile, module);
    module->module =
        profile_module(space->profile, module->path, module->build_id, module->build_id_bytes);
    while (space->codes.n <= module->module)
        *vec_push(&space->codes) = (struct perf_code){0};
    if (module->image)
        space->codes.at[module->module].image = module->image;
    return module->module;
}

/* Mappings that do not tell it themselves: perf notes at the end what it read from the files. */
static void build_id_find(const struct perf_file *file, struct perf_mapped *map)
{
    for (size_t i = 0; i < file->builts.n && !map->build_id_bytes; i++)
        if (strcmp(file->builts.at[i].path, map->path) == 0) {
            map->build_id_bytes = file->builts.at[i].id_bytes;
            memcpy(map->build_id, file->builts.at[i].id, sizeof map->build_id);
        }
}

/* Indices of the space's modules. */
static uint32_t module_of(struct perf_space *space, const struct perf_mapped *map)
{
    struct perf_file_key key = {.path = text_hash(map->path)};
    memcpy(key.build_id, map->build_id, map->build_id_bytes);
    key.build_id[sizeof key.build_id - 1] = (uint8_t)map->build_id_bytes;
    uint32_t index = map_add(&space->told, &key);
    if (index == space->modules.n) {
        struct perf_mapped told = *map;
        build_id_find(space->file, &told);
        *vec_push(&space->modules) = module_new(space, &told);
    }
    return index;
}

static uint32_t module_made_up(struct perf_space *space, const struct perf_mapped *map)
{
    struct perf_file_key key = {.path = map->code ? map->pid : UINT64_MAX, .build_id = {1}};
    uint32_t index = map_add(&space->told, &key);
    if (index == space->modules.n)
        *vec_push(&space->modules) = (struct perf_module){
            .module = MODULE_NONE, .jit = map->pid, .path = map->code ? NULL : "[anon]"};
    return index;
}

/* ---- mappings */

/* Where a file's code is says where its data are, told or not. */
static void image_data(struct perf_process *process, const struct image *image,
                       const struct mapping *code)
{
    for (size_t i = 0; i < image->segments.n; i++) {
        const struct segment *segment = &image->segments.at[i];
        struct mapping data = *code;
        data.start = segment->start.v - code->shift;
        if (segment->executable || data.start > UINT64_MAX - segment->memory_bytes ||
            !segment->memory_bytes)
            continue;
        data.end = data.start + segment->memory_bytes;
        mappings_put(&process->data, data);
    }
}

static bool is_made_up(const char *path)
{
    return strcmp(path, "//anon") == 0 || strncmp(path, "anon_inode:", 11) == 0 ||
           strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/memfd:", 7) == 0;
}

void perf_space_map(struct perf_space *space, const struct perf_mapped *map)
{
    if (map->pid == UINT32_MAX || is_kernel((struct avma){map->start}) || !map->bytes)
        return; /* the kernel's own: has no module by file */
    struct perf_process *process = process_of(space, map->pid);
    struct mapping mapping = {.start = map->start, .end = map->start + map->bytes};
    struct mappings *to = map->code ? &process->code : &process->data;
    mapping.module = is_made_up(map->path) ? module_made_up(space, map) : module_of(space, map);
    const struct image *image = space->modules.at[mapping.module].image;
    if (!is_made_up(map->path) && (map->path[0] == '/' || strcmp(map->path, "[vdso]") == 0))
        mapping.shift = map->offset - map->start;
    if (image)
        mapping.shift += mappings_link_shift(image, (struct foff){map->offset}, map->bytes);
    mappings_put(to, mapping);
    if (map->code && image)
        image_data(process, image, &mapping);
}

void perf_space_fork(struct perf_space *space, const struct perf_birth *birth)
{
    if (birth->pid == birth->parent_pid)
        return;
    struct perf_process *parent = process_of(space, birth->parent_pid);
    struct perf_process *child = process_of(space, birth->pid);
    mappings_copy(&child->code, &parent->code);
    mappings_copy(&child->data, &parent->data);
}

void perf_space_exec(struct perf_space *space, uint32_t pid)
{
    mappings_clear(&process_of(space, pid)->code);
    mappings_clear(&process_of(space, pid)->data);
}

/* ---- questions */

static struct place kernel_place(struct perf_space *space, struct avma at)
{
    if (space->kernel == MODULE_NONE)
        space->kernel = profile_module(space->profile, "[kernel]", NULL, 0);
    return (struct place){space->kernel, {at.v}};
}

static struct place mapping_place(struct perf_space *space, const struct mapping *mapping,
                                  struct avma at)
{
    return (struct place){module_settle(space, mapping->module), {at.v + mapping->shift}};
}

struct place perf_space_code(struct perf_space *space, uint32_t pid, struct avma at, bool kernel,
                             bool *ret_missed)
{
    bool ours = !kernel && !is_kernel(at);
    const struct mapping *mapping = ours ? mappings_find(&process_of(space, pid)->code, at) : NULL;
    if (ret_missed)
        *ret_missed = ours && !mapping;
    if (mapping)
        return mapping_place(space, mapping, at);
    if (!ours)
        return kernel_place(space, at);
    if (space->unknown == MODULE_NONE)
        space->unknown = profile_module(space->profile, "[unknown]", NULL, 0);
    return (struct place){space->unknown, {at.v}};
}

const struct image *perf_space_image(const struct perf_space *space, uint32_t module)
{
    return module < space->codes.n ? space->codes.at[module].image : NULL;
}

bool perf_space_begins(struct perf_space *space, struct place place)
{
    struct perf_code *code =
        perf_space_image(space, place.module) ? &space->codes.at[place.module] : NULL;
    if (!code)
        return false;
    if (!code->symbols) {
        code->symbols = mem_alloc(sizeof *code->symbols);
        symbols_build_within(code->symbols, code->image, 0);
    }
    function_id function = symbols_find(code->symbols, place.address);
    return function != FUNCTION_NONE &&
           code->symbols->functions.at[function].start.v == place.address.v;
}

bool perf_space_data(struct perf_space *space, uint32_t pid, struct avma at,
                     struct place *ret_place)
{
    struct perf_process *process = process_of(space, pid);
    if (is_kernel(at)) {
        *ret_place = kernel_place(space, at);
        return true;
    }
    const struct mapping *mapping = mappings_find(&process->data, at);
    if (!mapping)
        mapping = mappings_find(&process->code, at); /* constants lie beside code */
    if (!mapping)
        return false;
    *ret_place = mapping_place(space, mapping, at);
    return true;
}
