#include "program/dwarf/debug_alt.h"

#include "base/err.h"
#include "base/memory.h"
#include "program/elf/debug_file.h"
#include "program/elf/elf_file.h"
#include "program/elf/elf_sections.h"

#include <limits.h>
#include <stdlib.h>

struct alt_link {
    const char *name;
    const uint8_t *id;
    uint32_t id_bytes;
};

static bool link_read(const struct elf_file *file, struct alt_link *link)
{
    GElf_Shdr header;
    Elf_Scn *section = file->elf ? section_named(file->elf, ".gnu_debugaltlink", &header) : NULL;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return false;
    size_t length = strnlen(data->d_buf, data->d_size);
    if (!length || length + 2 >= data->d_size)
        return false;
    link->name = data->d_buf;
    link->id = (const uint8_t *)data->d_buf + length + 1;
    size_t bytes = data->d_size - length - 1;
    link->id_bytes = bytes < BUILD_ID_MAX ? (uint32_t)bytes : BUILD_ID_MAX;
    return true;
}

static bool open_checked(struct elf_file *ret_file, const char *path, const struct alt_link *link)
{
    struct err ignored;
    struct elf_file file;
    if (!elf_file_map(&file, path, &ignored))
        return false;
    uint8_t id[BUILD_ID_MAX];
    if (elf_file_begin(&file, &ignored) && elf_kind(file.elf) == ELF_K_ELF &&
        debug_file_build_id(&file, id) == link->id_bytes && !memcmp(id, link->id, link->id_bytes)) {
        *ret_file = file;
        return true;
    }
    elf_file_close(&file);
    return false;
}

const char *debug_alt_open(struct elf_file *ret_file, struct arena *arena,
                           const struct elf_file *file, const char *path)
{
    struct alt_link link;
    if (!link_read(file, &link))
        return NULL;
    /* Relative to the debug file itself, not to a link that leads there. */
    char real[PATH_MAX];
    const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;
    const char *named = link.name[0] == '/' || !slash
                            ? arena_string(arena, link.name)
                            : arena_format(arena, "%.*s/%s", (int)(slash - real), real, link.name);
    if (open_checked(ret_file, named, &link))
        return named;
    const char *by_id = debug_file_id_path(arena, link.id, link.id_bytes);
    return by_id && open_checked(ret_file, by_id, &link) ? by_id : named;
}
