#include "keep/kept_image.h"

#include "base/err.h"
#include "keep/kept_dwarf.h"
#include "keep/kept_function.h"
#include "keep/kept_module.h"
#include "profile/profile.h"
#include "program/elf/image.h"
#include "program/elf/known.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Larger than any program, and no harm as long as nothing is in it. */
#define FILE_BYTES_MAX (UINT64_C(1) << 36)

struct opening {
    const struct profile *profile;
    uint32_t module;
    struct image *image;
    struct known *known;
    struct kept_dwarf *dwarf;
    const struct image *file;      /* the build that ran, if it is here; else NULL */
    bool borrowed;                 /* symbols of data are those of a debug file */
    struct kept_function function; /* scratch */
};

bool kept_image_there(const struct profile *profile, uint32_t module)
{
    size_t n;
    kept_of(&profile->kept, module, KEPT_MODULE, &n);
    return n != 0;
}

struct kept_knowledge kept_image_knows(const struct profile *profile, uint32_t module)
{
    size_t n;
    const struct kept_part *part = kept_of(&profile->kept, module, KEPT_MODULE, &n);
    struct kept_knowledge knows = {0};
    struct kept_module head;
    struct arena arena = {0};
    struct err ignored;
    if (n && kept_module_decode(&head, &arena, part->bytes, part->n, &ignored)) {
        knows.names = head.has_names;
        knows.symbols = head.has_names && !head.borrowed;
        kept_module_release(&head);
        part = kept_of(&profile->kept, module, KEPT_FUNCTION, &n);
        for (size_t i = 0; i < n && !knows.lines; i++)
            knows.lines = kept_function_lined(part[i].bytes, part[i].n);
    }
    arena_release(&arena);
    return knows;
}

/* ---- the file */

/* Its code stays what it is. A file that has less than its headers say is of no use. */
static void file_under(struct elf_file *to, const struct elf_file *file)
{
    if (file && file->n_bytes >= to->n_bytes)
        memcpy(to->bytes, file->bytes, to->n_bytes);
}

/* A file as large as the one that was, with its headers; the rest are holes. */
static bool file_make(const struct kept_module *head, const struct elf_file *under,
                      struct elf_file *ret_file, struct err *err)
{
    size_t programs = head->programs.n * sizeof(Elf64_Phdr);
    uint64_t bytes = sizeof head->header + programs;
    for (size_t i = 0; i < head->programs.n; i++) {
        uint64_t end = head->programs.at[i].p_offset + head->programs.at[i].p_filesz;
        if (end < head->programs.at[i].p_offset || end > FILE_BYTES_MAX)
            return err_set(err, ERR_FORMAT, "the kept headers make no sense");
        bytes = end > bytes ? end : bytes;
    }
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return err_errno(err, "cannot map %llu bytes", (unsigned long long)bytes);
    *ret_file = (struct elf_file){.bytes = at, .n_bytes = bytes, .mapped = true};
    file_under(ret_file, under);
    memcpy(ret_file->bytes, &head->header, sizeof head->header);
    memcpy(ret_file->bytes + sizeof head->header, head->programs.at, programs);
    return true;
}

/* False: the file has no such place. */
static bool bytes_put(struct opening *opening, uint64_t at, const uint8_t *bytes, uint64_t n)
{
    struct foff offset;
    size_t room;
    if (!n || !image_bytes(opening->image, (struct svma){at}, &room) || room < n ||
        !image_to_foff(opening->image, (struct svma){at}, &offset))
        return false;
    memcpy(opening->image->file.bytes + offset.v, bytes, n);
    return true;
}

static bool head_read(struct opening *opening, struct err *err)
{
    size_t n;
    const struct kept_part *part =
        kept_of(&opening->profile->kept, opening->module, KEPT_MODULE, &n);
    const struct module *module = &opening->profile->modules.at[opening->module];
    struct kept_module head;
    struct arena arena = {0};
    struct elf_file file;
    if (!kept_module_decode(&head, &arena, part->bytes, part->n, err)) {
        arena_release(&arena);
        return false;
    }
    bool ok = file_make(&head, opening->file ? &opening->file->file : NULL, &file, err) &&
              image_open_memory(opening->image, module->path, file, err);
    if (ok) {
        struct known *known = opening->known = opening->image->known = mem_alloc(sizeof *known);
        opening->image->build_id_bytes = module->build_id_bytes;
        memcpy(opening->image->build_id, module->build_id, module->build_id_bytes);
        known->arena = arena;
        known->evidence.relro = head.relro;
        known->evidence.has_names = head.has_names;
        opening->borrowed = head.borrowed;
        known->fs_discriminators = head.fs_discriminators;
        known->lacking = *head.lacking ? head.lacking : NULL;
        for (size_t i = 0; i < head.starts.n; i++)
            *vec_push(&known->starts) = (struct svma){head.starts.at[i]};
        for (size_t i = 0; i < opening->image->segments.n; i++) {
            const struct segment *segment = &opening->image->segments.at[i];
            if (segment->writable)
                *vec_push(&known->evidence.writable) =
                    (struct data_object){segment->start, segment->memory_bytes};
        }
    } else {
        arena_release(&arena);
    }
    kept_module_release(&head);
    return ok;
}

/* ---- functions */

static int range_order(const void *a, const void *b)
{
    const struct known_range *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static bool function_put(struct opening *opening, const struct kept_function *function)
{
    struct known *known = opening->known;
    for (size_t i = 0; i < function->ranges.n; i++) {
        const struct kept_range *range = &function->ranges.at[i];
        size_t room;
        if (!range->bytes || !image_executable(opening->image, (struct svma){range->start}))
            return false;
        if (function->has_code &&
            (!image_bytes(opening->image, (struct svma){range->start}, &room) ||
             room < range->bytes))
            return false;
    }
    for (size_t i = 0; i < function->ranges.n; i++) {
        const struct kept_range *range = &function->ranges.at[i];
        if (function->has_code)
            bytes_put(opening, range->start, range->code, range->bytes);
        *vec_push(&known->ranges) =
            (struct known_range){{range->start}, range->bytes, (uint32_t)known->functions.n};
    }
    for (size_t i = 0; i < function->arrivals.n; i++)
        *vec_push(&known->arrivals) = (struct svma){function->arrivals.at[i]};
    *vec_push(&known->functions) =
        (struct known_function){function->name, {function->start}, (uint8_t)function->source};
    return true;
}

/* Functions of one build do not overlap. Of those that do, the one behind is left out. */
static void overlaps_drop(struct known *known)
{
    size_t n = known->functions.n, kept = 0;
    bool *bad = mem_alloc(n + 1);
    uint32_t *number = mem_alloc((n + 1) * sizeof *number);
    uint64_t end = 0;
    if (known->ranges.n)
        qsort(known->ranges.at, known->ranges.n, sizeof *known->ranges.at, range_order);
    for (size_t i = 0; i < known->ranges.n; i++) {
        const struct known_range *range = &known->ranges.at[i];
        bad[range->function] |= i && range->start.v < end;
        if (range->start.v + range->bytes > end)
            end = range->start.v + range->bytes;
    }
    for (size_t i = 0; i < n; i++) {
        number[i] = (uint32_t)kept;
        if (!bad[i])
            known->functions.at[kept++] = known->functions.at[i];
    }
    known->functions.n = kept;
    kept = 0;
    for (size_t i = 0; i < known->ranges.n; i++) {
        struct known_range range = known->ranges.at[i];
        if (bad[range.function])
            continue;
        range.function = number[range.function];
        known->ranges.at[kept++] = range;
    }
    known->ranges.n = kept;
    mem_free(bad);
    mem_free(number);
}

static void functions_read(struct opening *opening, enum kept_kind kind)
{
    struct kept_function *function = &opening->function;
    size_t n;
    const struct kept_part *parts = kept_of(&opening->profile->kept, opening->module, kind, &n);
    struct err ignored;
    for (size_t i = 0; i < n; i++)
        if (kept_function_decode(function, &opening->known->arena, parts[i].at, parts[i].bytes,
                                 parts[i].n, &ignored) &&
            function_put(opening, function) && function->has_lines)
            kept_dwarf_add(opening->dwarf, function);
    overlaps_drop(opening->known);
}

/* ---- constants */

static int object_order(const void *a, const void *b)
{
    const struct data_object *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int number_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int pointer_order(const void *a, const void *b)
{
    const struct data_pointer *x = a, *y = b;
    return x->at.v < y->at.v ? -1 : x->at.v > y->at.v;
}

/* Neighbouring parts say some things twice. */
#define SORT_UNIQUE(vec, order)                                                                    \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        if ((vec)->n)                                                                              \
            qsort((vec)->at, (vec)->n, sizeof *(vec)->at, order);                                  \
        for (size_t k = 0; k < (vec)->n; k++)                                                      \
            if (!k || order(&(vec)->at[k], &(vec)->at[kept - 1]) != 0)                             \
                (vec)->at[kept++] = (vec)->at[k];                                                  \
        (vec)->n = kept;                                                                           \
    } while (0)

static void data_read(struct opening *opening)
{
    struct evidence *evidence = &opening->known->evidence;
    size_t n;
    const struct kept_part *parts =
        kept_of(&opening->profile->kept, opening->module, KEPT_DATA, &n);
    struct err ignored;
    for (size_t i = 0; i < n; i++) {
        struct kept_data data;
        if (kept_data_decode(&data, evidence, parts[i].at, parts[i].bytes, parts[i].n, &ignored))
            bytes_put(opening, data.start, data.bytes, data.n);
    }
    SORT_UNIQUE(&evidence->objects, object_order);
    SORT_UNIQUE(&evidence->filled, number_order);
    SORT_UNIQUE(&evidence->references, number_order);
    SORT_UNIQUE(&evidence->pointers, pointer_order);
}

bool kept_image_open(struct image *image, const struct profile *profile, uint32_t module, bool own,
                     const struct image *file, struct err *err)
{
    struct opening opening = {.profile = profile, .module = module, .image = image, .file = file};
    if (!head_read(&opening, err))
        return err_in(err, "%s, as kept in the profile", profile->modules.at[module].path);
    opening.dwarf = kept_dwarf_new();
    size_t n = 0;
    if (own)
        kept_of(&profile->kept, module, KEPT_OWN, &n);
    functions_read(&opening, n ? KEPT_OWN : KEPT_FUNCTION);
    data_read(&opening);
    if (n && opening.borrowed) {
        opening.known->evidence.objects.n = 0;
        opening.known->evidence.has_names = false;
    }
    kept_dwarf_finish(opening.dwarf, &image->debug);
    kept_function_release(&opening.function);
    return true;
}
