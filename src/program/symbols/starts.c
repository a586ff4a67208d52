#include "program/symbols/starts.h"

#include "program/elf/dynamic.h"
#include "program/elf/image.h"
#include "program/elf/known.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    struct starts *starts;
    const struct image *image;
    const struct symbols *symbols;
};

static void start_add(struct finder *finder, uint64_t at)
{
    function_id function = symbols_find(finder->symbols, (struct svma){at});
    if (function != FUNCTION_NONE && finder->symbols->functions.at[function].start.v == at)
        *vec_push(finder->starts) = function;
}

/* Arrays of pointers that the loader calls one by one. */
static void array_add(struct finder *finder, int64_t tag, int64_t bytes_tag)
{
    uint64_t at, bytes, value;
    if (!dynamic_value(finder->image, tag, &at) || !dynamic_value(finder->image, bytes_tag, &bytes))
        return;
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
        if (!evidence_number(&finder->symbols->evidence, finder->image, (struct svma){at + i}, 8,
                             &value))
            return; /* behind the end of the file */
        start_add(finder, value);
    }
}

static int function_order(const void *a, const void *b)
{
    const function_id *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void starts_sort(struct starts *starts)
{
    size_t kept = 0;
    if (starts->n)
        qsort(starts->at, starts->n, sizeof *starts->at, function_order);
    for (size_t i = 0; i < starts->n; i++)
        if (!kept || starts->at[kept - 1] != starts->at[i])
            starts->at[kept++] = starts->at[i];
    starts->n = kept;
}

void starts_find(struct starts *starts, const struct image *image, const struct symbols *symbols)
{
    static const int64_t single[] = {DT_INIT, DT_FINI};
    static const int64_t arrays[][2] = {{DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ},
                                        {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                        {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};
    struct finder finder = {starts, image, symbols};
    Elf64_Ehdr header;
    *starts = (struct starts){0};
    for (size_t i = 0; image->known && i < image->known->starts.n; i++)
        start_add(&finder, image->known->starts.at[i].v);
    if (image->known) {
        starts_sort(starts);
        return;
    }
    memcpy(&header, image->file.bytes, sizeof header);
    start_add(&finder, header.e_entry);
    for (size_t i = 0; i < symbols->functions.n; i++)
        if (strcmp(symbols->functions.at[i].name, "main") == 0)
            *vec_push(starts) = (function_id)i;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        uint64_t at;
        if (dynamic_value(image, single[i], &at))
            start_add(&finder, at);
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_add(&finder, arrays[i][0], arrays[i][1]);
    starts_sort(starts);
}

void starts_release(struct starts *starts)
{
    vec_release(starts);
}
