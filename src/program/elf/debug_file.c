#include "program/elf/debug_file.h"

#include "base/err.h"
#include "program/elf/debuginfod.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/elf/known.h"
#include "program/elf/mini_debug.h"
#include "program/elf/package.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

/* ---- is it the right one? */

/* The checksum of .gnu_debuglink: CRC-32 as of Ethernet and gzip. */
static uint32_t link_checksum(const uint8_t *bytes, size_t n)
{
    static uint32_t table[256];
    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
        table[i] = value;
    }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
    return ~crc;
}

uint32_t debug_file_build_id(const struct elf_file *file, uint8_t *ret_id)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE) {
            uint32_t n = elf_file_build_id(file, header.sh_offset, header.sh_size,
                                           header.sh_addralign, ret_id);
            if (n)
                return n;
        }
    return 0;
}

struct link {
    const char *name; /* NULL: none */
    uint32_t checksum;
};

/* NULL: it belongs to the image; else why not. */
static const char *refusal(const struct image *image, const struct elf_file *file,
                           const struct link *link)
{
    uint8_t id[BUILD_ID_MAX];
    uint32_t n = debug_file_build_id(file, id);
    if (n && image->build_id_bytes)
        return n == image->build_id_bytes && !memcmp(id, image->build_id, n)
                   ? NULL
                   : "has another build-id";
    if (!link)
        return "has no build-id";
    return link_checksum(file->bytes, file->n_bytes) == link->checksum ? NULL
                                                                       : "has another checksum";
}

/* ---- where to look */

/* True: found, the search is over. The path is memory of the search. */
static bool try_file(struct image *image, const char *path, const struct link *link)
{
    struct debug_search *search = &image->search;
    struct elf_file file;
    struct err err;
    *vec_push(&search->looked) = path;
    struct stat own, other;
    if (stat(path, &other) != 0 || !S_ISREG(other.st_mode) ||
        (stat(image->path, &own) == 0 && own.st_ino == other.st_ino && own.st_dev == other.st_dev))
        return false;
    const char *why = NULL;
    if (!elf_file_map(&file, path, &err)) {
        why = err.text;
    } else {
        if (!elf_file_begin(&file, &err) || elf_kind(file.elf) != ELF_K_ELF)
            why = "is not an ELF file";
        else
            why = refusal(image, &file, link);
        if (why)
            elf_file_close(&file);
    }
    if (why) {
        if (!search->refused)
            search->refused = arena_format(&search->arena, "%s: %s", path, why);
        return false;
    }
    image->debug = file;
    search->path = path;
    return true;
}

const char *debug_file_id_path(struct arena *arena, const uint8_t *id, uint32_t bytes)
{
    char path[128] = DEBUG_ROOT "/.build-id/";
    size_t used = strlen(path);
    if (bytes < 2 || bytes > BUILD_ID_MAX)
        return NULL;
    for (uint32_t i = 0; i < bytes; i++)
        used += (size_t)snprintf(path + used, sizeof path - used, i ? "%02x" : "%02x/", id[i]);
    snprintf(path + used, sizeof path - used, ".debug");
    return arena_string(arena, path);
}

static bool try_build_id(struct image *image)
{
    const char *path =
        debug_file_id_path(&image->search.arena, image->build_id, image->build_id_bytes);
    return path && try_file(image, path, NULL);
}

static struct link link_read(const struct image *image)
{
    GElf_Shdr header;
    Elf_Scn *section = section_named(image->file.elf, ".gnu_debuglink", &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    struct link link = {0};
    if (!data || !data->d_buf || data->d_size < 8)
        return link;
    size_t length = strnlen(data->d_buf, data->d_size), at = (length + 4) & ~(size_t)3;
    if (!length || at + 4 > data->d_size || strchr(data->d_buf, '/'))
        return link;
    memcpy(&link.checksum, (const uint8_t *)data->d_buf + at, 4);
    link.name = data->d_buf;
    return link;
}

/* folder: of the file, without links, ending in '/'. */
static bool try_link(struct image *image, const char *folder, const struct link *link)
{
    static const char *const before[] = {"", "", DEBUG_ROOT}, *const after[] = {"", ".debug/", ""};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (try_file(image,
                     arena_format(&image->search.arena, "%s%s%s%s", before[i], folder, after[i],
                                  link->name),
                     link))
            return true;
    }
    return false;
}

static bool try_names(struct image *image, const char *real)
{
    static const char *const before[] = {"", DEBUG_ROOT, DEBUG_ROOT}, *const after[] = {
                                                                          ".debug", ".debug", ""};
    /* Without a build-id nothing could tell whether it is the right one. */
    for (size_t i = 0; image->build_id_bytes && i < sizeof before / sizeof *before; i++)
        if (try_file(image, arena_format(&image->search.arena, "%s%s%s", before[i], real, after[i]),
                     NULL))
            return true;
    return false;
}

static bool try_server(struct image *image)
{
    char *path = debuginfod_fetch(image->build_id, image->build_id_bytes);
    if (!path && getenv("DEBUGINFOD_URLS"))
        *vec_push(&image->search.looked) =
            arena_format(&image->search.arena, "debuginfod at %s", getenv("DEBUGINFOD_URLS"));
    bool found = path && try_file(image, arena_string(&image->search.arena, path), NULL);
    mem_free(path);
    return found;
}

static bool has_lines(const struct elf_file *file)
{
    GElf_Shdr header;
    return file->elf && (section_named(file->elf, ".debug_line", &header) ||
                         section_named(file->elf, ".zdebug_line", &header));
}

static bool has_table(const struct elf_file *file, uint32_t type)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; file->elf && (section = elf_nextscn(file->elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == type)
            return true;
    return false;
}

void debug_file_find(struct image *image)
{
    if (has_lines(&image->file) || image->path[0] == '[')
        return;
    char real[PATH_MAX];
    bool named = realpath(image->path, real) != NULL;
    struct link link = link_read(image);
    if (try_build_id(image))
        return;
    if (named) {
        const char *folder =
            arena_string_n(&image->search.arena, real, (size_t)(strrchr(real, '/') + 1 - real));
        if ((link.name && try_link(image, folder, &link)) || try_names(image, real))
            return;
    }
    if (!try_server(image) && !has_table(&image->file, SHT_SYMTAB) &&
        mini_debug_open(&image->debug, &image->file))
        image->search.path = arena_format(&image->search.arena, "%s: .gnu_debugdata", image->path);
}

/* ---- what to say when there is none */

static const char *advice(struct image *image)
{
    if (image->known)
        return "it was so where it was recorded";
    struct arena *arena = &image->search.arena;
    const char *package = package_of(arena, image->path);
    return package ? arena_format(arena, "install %s-%s", package,
                                  strcmp(package, "libc6") == 0 ? "dbg" : "dbgsym")
                   : "build it with -g";
}

bool debug_file_names(const struct image *image)
{
    return has_table(&image->file, SHT_SYMTAB) || has_table(&image->debug, SHT_SYMTAB);
}

const char *debug_file_lacking(const struct image *image)
{
    if (image->known)
        return image->known->lacking;
    bool names = debug_file_names(image);
    if (image->path[0] == '[' || (names && (has_lines(&image->file) || has_lines(&image->debug))))
        return NULL;
    return names                                 ? "no lines"
           : has_table(&image->file, SHT_DYNSYM) ? "only exported names, no lines"
                                                 : "no names, no lines";
}

const char *debug_file_missing_brief(struct image *image)
{
    const char *text = debug_file_lacking(image);
    return text ? arena_format(&image->search.arena, "%s: %s", text, advice(image)) : NULL;
}

const char *debug_file_missing(struct image *image)
{
    enum { PLACES_SHOWN = 3 };
    struct debug_search *search = &image->search;
    const char *text = debug_file_lacking(image);
    bool asked = image->known || getenv("DEBUGINFOD_URLS");
    const char *server = asked ? "" : ", or set DEBUGINFOD_URLS";
    if (search->missing || !text)
        return text ? search->missing : NULL;
    if (search->refused)
        text = arena_format(&search->arena, "%s; refused %s", text, search->refused);
    /* The first places, and the last: a server, if one was asked. */
    size_t n = search->looked.n;
    for (size_t i = 0; i < n; i++)
        if (i + 1 < PLACES_SHOWN || i + 1 == n)
            text = arena_format(&search->arena, "%s%s%s", text, i ? ", " : "; looked for ",
                                search->looked.at[i]);
    if (n > PLACES_SHOWN)
        text = arena_format(&search->arena, "%s and %zu more", text, n - PLACES_SHOWN);
    return search->missing = arena_format(&search->arena, "%s; %s%s", text, advice(image), server);
}
