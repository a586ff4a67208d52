#include "keep/kept_module.h"

#include "base/err.h"
#include "keep/fields.h"
#include "program/elf/debug_file.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/elf/symtab.h"
#include "program/symbols/starts.h"

enum { FLAG_NAMES = 1, FLAG_FS = 2, FLAG_BORROWED = 4, FLAGS = 7, PROGRAMS_MAX = 64 };

void kept_module_release(struct kept_module *module)
{
    vec_release(&module->programs);
    vec_release(&module->starts);
}

/* ---- headers */

static void programs_read(struct kept_module *module, const struct image *image)
{
    const uint8_t *bytes = image->file.bytes;
    Elf64_Ehdr *header = &module->header;
    memcpy(header, bytes, sizeof *header);
    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr program;
        memcpy(&program, bytes + header->e_phoff + i * sizeof program, sizeof program);
        if (program.p_type == PT_LOAD)
            *vec_push(&module->programs) = program;
    }
    header->e_phoff = sizeof *header;
    header->e_phnum = (uint16_t)module->programs.n;
    header->e_shoff = 0;
    header->e_shnum = header->e_shstrndx = 0;
}

static bool has_symtab(const struct image *image)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->file.elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            return true;
    return false;
}

void kept_module_read(struct kept_module *module, const struct image *image,
                      const struct symbols *symbols)
{
    struct starts starts;
    *module = (struct kept_module){.relro = symbols->evidence.relro,
                                   .has_names = symbols->evidence.has_names,
                                   .fs_discriminators = image_has_symbol(image, FS_DISCRIMINATORS),
                                   .borrowed = !has_symtab(image),
                                   .lacking = debug_file_lacking(image)};
    programs_read(module, image);
    starts_find(&starts, image, symbols);
    for (size_t i = 0; i < starts.n; i++)
        *vec_push(&module->starts) = symbols->functions.at[starts.at[i]].start.v;
    starts_release(&starts);
}

void kept_module_encode(const struct kept_module *module, struct bytes *to)
{
    uint64_t at = 0;
    to->n = 0;
    field_put(to, (module->has_names ? FLAG_NAMES : 0u) |
                      (module->fs_discriminators ? FLAG_FS : 0u) |
                      (module->borrowed ? FLAG_BORROWED : 0u));
    field_put_text(to, module->lacking);
    field_put(to, module->relro.start.v);
    field_put(to, module->relro.bytes);
    bytes_add(to, &module->header, sizeof module->header);
    field_put(to, module->programs.n);
    bytes_add(to, module->programs.at, module->programs.n * sizeof *module->programs.at);
    field_put(to, module->starts.n);
    for (size_t i = 0; i < module->starts.n; i++)
        field_put_from(to, module->starts.at[i], &at);
}

static void get_raw(struct cursor *cursor, void *to, size_t n)
{
    const uint8_t *from = cursor->at;
    if (cursor_has(cursor, n)) {
        memcpy(to, from, n);
        cursor->at += n;
    }
}

bool kept_module_decode(struct kept_module *module, struct arena *arena, const uint8_t *bytes,
                        size_t n, struct err *err)
{
    struct cursor cursor = {.at = bytes, .end = bytes + n};
    uint64_t at = 0, flags = field_get(&cursor);
    *module = (struct kept_module){.has_names = flags & FLAG_NAMES,
                                   .fs_discriminators = flags & FLAG_FS,
                                   .borrowed = flags & FLAG_BORROWED};
    module->lacking = field_get_text(&cursor, arena);
    module->relro.start.v = field_get(&cursor);
    module->relro.bytes = field_get(&cursor);
    get_raw(&cursor, &module->header, sizeof module->header);
    size_t count = field_get_count(&cursor, sizeof(Elf64_Phdr));
    for (size_t i = 0; i < count; i++)
        get_raw(&cursor, vec_push(&module->programs), sizeof(Elf64_Phdr));
    count = field_get_count(&cursor, 1);
    for (size_t i = 0; i < count; i++)
        *vec_push(&module->starts) = field_get_from(&cursor, &at);
    const Elf64_Ehdr *header = &module->header;
    if (!cursor.bad && cursor.at == cursor.end && !(flags & ~(uint64_t)FLAGS) &&
        header->e_phoff == sizeof *header && header->e_phnum == module->programs.n &&
        module->programs.n <= PROGRAMS_MAX && !header->e_shoff && !header->e_shnum)
        return true;
    kept_module_release(module);
    return err_set(err, ERR_FORMAT, "the kept headers make no sense");
}

/* ---- constants */

/* Index of the first of n sorted numbers, `step` bytes apart, that is not below. */
static size_t first_from(const void *numbers, size_t n, size_t step, uint64_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t number;
        memcpy(&number, (const char *)numbers + middle * step, sizeof number);
        if (number < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Objects may begin before; they do not nest. */
static void put_objects(struct bytes *to, const struct data_objects *objects, uint64_t start,
                        uint64_t end)
{
    size_t first = first_from(objects->at, objects->n, sizeof *objects->at, start);
    size_t last = first_from(objects->at, objects->n, sizeof *objects->at, end);
    while (first && objects->at[first - 1].start.v + objects->at[first - 1].bytes > start)
        first--;
    field_put(to, last - first);
    for (size_t i = first; i < last; i++) {
        field_put_from(to, objects->at[i].start.v, &start);
        field_put(to, objects->at[i].bytes);
    }
}

static void put_numbers(struct bytes *to, const uint64_t *numbers, size_t n, uint64_t start,
                        uint64_t end)
{
    size_t first = first_from(numbers, n, sizeof *numbers, start);
    size_t last = first_from(numbers, n, sizeof *numbers, end);
    field_put(to, last - first);
    for (size_t i = first; i < last; i++)
        field_put_from(to, numbers[i], &start);
}

static void put_pointers(struct bytes *to, const struct data_pointers *pointers, uint64_t start,
                         uint64_t end)
{
    size_t first = first_from(pointers->at, pointers->n, sizeof *pointers->at, start);
    size_t last = first_from(pointers->at, pointers->n, sizeof *pointers->at, end);
    uint64_t value = 0;
    field_put(to, last - first);
    for (size_t i = first; i < last; i++) {
        field_put_from(to, pointers->at[i].at.v, &start);
        field_put_from(to, pointers->at[i].value, &value);
    }
}

size_t kept_data_encode(const struct kept_data *data, const struct evidence *evidence,
                        struct bytes *to)
{
    uint64_t start = data->start, end = start + data->n;
    to->n = 0;
    field_put(to, data->n);
    size_t at = to->n;
    bytes_add(to, data->bytes, data->n);
    put_objects(to, &evidence->objects, start, end);
    put_numbers(to, evidence->filled.at, evidence->filled.n, start, end);
    /* The next one, too: it is where the last table ends. */
    put_numbers(to, evidence->references.at, evidence->references.n, start, end + 1);
    put_pointers(to, &evidence->pointers, start, end);
    return at;
}

bool kept_data_decode(struct kept_data *data, struct evidence *evidence, uint64_t start,
                      const uint8_t *bytes, size_t n, struct err *err)
{
    struct cursor cursor = {.at = bytes, .end = bytes + n};
    data->start = start;
    data->n = field_get_count(&cursor, 1);
    data->bytes = cursor.at;
    cursor_skip(&cursor, data->n);
    uint64_t at = start, value = 0;
    size_t count = field_get_count(&cursor, 2);
    for (size_t i = 0; i < count; i++) {
        struct data_object *object = vec_push(&evidence->objects);
        object->start.v = field_get_from(&cursor, &at);
        object->bytes = field_get(&cursor);
    }
    count = field_get_count(&cursor, 1);
    at = start;
    for (size_t i = 0; i < count; i++)
        *vec_push(&evidence->filled) = field_get_from(&cursor, &at);
    count = field_get_count(&cursor, 1);
    at = start;
    for (size_t i = 0; i < count; i++)
        *vec_push(&evidence->references) = field_get_from(&cursor, &at);
    count = field_get_count(&cursor, 2);
    at = start;
    for (size_t i = 0; i < count; i++) {
        struct data_pointer *pointer = vec_push(&evidence->pointers);
        pointer->at.v = field_get_from(&cursor, &at);
        pointer->value = field_get_from(&cursor, &value);
    }
    if (cursor.bad || cursor.at != cursor.end)
        return err_set(err, ERR_FORMAT, "the data kept at 0x%llx makes no sense",
                       (unsigned long long)start);
    return true;
}
