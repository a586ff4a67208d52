#include "analysis/live/live_code.h"

#include "base/clock.h"
#include "keep/module_open.h"
#include "profile/profile.h"
#include "program/elf/debug_file.h"
#include "program/elf/image.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

struct live_image {
    struct image image;
    struct symbols symbols;
};

void live_code_init(struct live_code *code)
{
    *code = (struct live_code){0};
    demangler_init(&code->demangler);
    map_init(&code->keys, 2 * sizeof(uint64_t));
}

void live_code_release(struct live_code *code)
{
    for (size_t i = 0; i < code->modules.n; i++)
        if (code->modules.at[i].image) {
            symbols_release(&code->modules.at[i].image->symbols);
            image_close(&code->modules.at[i].image->image);
        }
    kernel_table_release(&code->kernel);
    vec_release(&code->names);
    vec_release(&code->modules);
    vec_release(&code->functions);
    map_release(&code->keys);
    demangler_release(&code->demangler);
    arena_release(&code->arena);
}

void live_code_news(struct live_code *code, const struct profile *news)
{
    for (size_t i = code->modules.n; i < news->modules.n; i++) {
        const char *path = news->modules.at[i].path, *slash = strrchr(path, '/');
        *vec_push(&code->modules) = (struct live_module){
            .name = arena_string(&code->arena, slash && slash[1] ? slash + 1 : path),
            .kernel = profile_module_is_kernel(news, (uint32_t)i)};
    }
    if (news->names.n)
        names_merge(&code->names, &code->arena, &news->names, NAMES_LATER);
}

static struct live_module *module_of(struct live_code *code, const struct profile *news,
                                     uint32_t index)
{
    struct live_module *module = &code->modules.at[index];
    if (module->tried || module->kernel)
        return module;
    if (clock_ns(CLOCK_MONOTONIC) > code->until_ns) {
        code->pending = true;
        return module;
    }
    module->tried = true;
    struct live_image *image = arena_alloc(&code->arena, sizeof *image);
    if (!module_image_open(&image->image, news, index))
        return module;
    debug_file_find(&image->image);
    symbols_build_within(&image->symbols, &image->image, 0);
    module->image = image;
    return module;
}

static uint32_t function_add(struct live_code *code, uint32_t module, uint64_t start,
                             const char *linkage)
{
    uint64_t key[2] = {module, start};
    uint32_t index = map_add(&code->keys, key);
    if (index < code->functions.n)
        return index;
    if (strncmp(linkage, "[0x", 3) == 0)
        linkage = arena_format(&code->arena, "%s+0x%" PRIx64, code->modules.at[module].name, start);
    *vec_push(&code->functions) =
        (struct live_function){.module = module,
                               .unnamed = start == UINT64_MAX,
                               .linkage = linkage,
                               .readable = demangle(&code->demangler, linkage)};
    return index;
}

static const char *kernel_name(struct live_code *code, uint64_t at, uint64_t *ret_start)
{
    if (!code->kernel_read)
        kernel_table_read(&code->kernel, "/proc/kallsyms");
    code->kernel_read = true;
    return kernel_table_find(&code->kernel, at, ret_start);
}

/* What nothing names is one function, called like its module. */
static uint32_t function_unnamed(struct live_code *code, uint32_t index)
{
    const char *name = index < code->modules.n ? code->modules.at[index].name : "[unknown]";
    uint32_t known = map_find(&code->keys, (uint64_t[2]){index, UINT64_MAX});
    if (known != MAP_NONE)
        return known;
    if (*name != '[')
        name = arena_format(&code->arena, "[%s]", name);
    return function_add(code, index, UINT64_MAX, name);
}

uint32_t live_code_function(struct live_code *code, const struct profile *news, uint32_t index,
                            uint64_t at)
{
    uint64_t start = 0;
    if (index >= code->modules.n)
        return function_unnamed(code, MODULE_NONE);
    const struct live_module *module = module_of(code, news, index);
    const char *name = module->kernel ? kernel_name(code, at, &start) : NULL;
    if (name)
        return function_add(code, index, start, name);
    function_id function =
        module->image ? symbols_find(&module->image->symbols, (struct svma){at}) : FUNCTION_NONE;
    if (function != FUNCTION_NONE) {
        const struct function *found = &module->image->symbols.functions.at[function];
        return function_add(code, index, found->start.v, found->name);
    }
    const struct name *known = names_find(&code->names, index, at);
    return known ? function_add(code, index, known->start, known->text)
                 : function_unnamed(code, index);
}
