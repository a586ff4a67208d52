#include "collect/python_seek.h"

#include "process/mappings.h"
#include "program/elf/image.h"
#include "program/elf/symtab.h"

#include <string.h>

/* Only these are looked into: reading symbols takes a while. */
static bool is_python(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, "python3", 7) == 0 || strncmp(name, "libpython3", 10) == 0;
}

static uint64_t symbol_at(const struct symtab *symtab, const char *name)
{
    for (size_t i = 0; i < symtab->n; i++)
        if (strcmp(symtab->at[i].name, name) == 0)
            return symtab->at[i].start.v;
    return 0;
}

static uint64_t constant_at(const struct image *image, uint64_t at)
{
    size_t room = 0;
    uint64_t value = 0;
    const uint8_t *bytes = at ? image_bytes(image, (struct svma){at}, &room) : NULL;
    if (bytes && room >= sizeof value)
        memcpy(&value, bytes, sizeof value);
    return value;
}

void python_seek(struct channel *channel, struct mappings *mappings, const struct wire_map *map,
                 const char *path)
{
    struct image image;
    struct symtab symtab = {0};
    if (!is_python(path) || __atomic_load_n(&channel->python_runtime, __ATOMIC_RELAXED))
        return;
    const struct mapping *mapping = mappings_find(mappings, (struct avma){map->start});
    if (!mapping || !mappings_image_open(mappings, mapping->module, &image))
        return;
    symtab_read_data(&symtab, &image);
    uint64_t runtime = symbol_at(&symtab, "_PyRuntime"), type = symbol_at(&symtab, "PyCode_Type"),
             version = constant_at(&image, symbol_at(&symtab, "Py_Version"));
    if (runtime && type && version) {
        channel->python_code_type = type - mapping->shift;
        channel->python_version = version;
        __atomic_store_n(&channel->python_runtime, runtime - mapping->shift, __ATOMIC_RELEASE);
    }
    symtab_release(&symtab);
    image_close(&image);
}
