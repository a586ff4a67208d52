#include "profile/names.h"

#include <stdbool.h>
#include <string.h>

static bool comes_before(const struct name *name, uint32_t module, uint64_t start)
{
    return name->module != module ? name->module < module : name->start < start;
}

/* The first that does not come before. */
static size_t position(const struct names *names, uint32_t module, uint64_t start)
{
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before(&names->at[middle], module, start))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void names_add(struct names *names, struct arena *arena, uint32_t module, uint64_t start,
               uint64_t bytes, const char *text)
{
    size_t at = position(names, module, start);
    if (at == names->n || names->at[at].module != module || names->at[at].start != start) {
        (void)vec_push(names);
        memmove(&names->at[at + 1], &names->at[at], (names->n - 1 - at) * sizeof *names->at);
        names->at[at] = (struct name){.module = module, .start = start, .text = ""};
    }
    struct name *name = &names->at[at];
    name->bytes = bytes;
    if (strcmp(name->text, text) != 0)
        name->text = arena_string(arena, text);
}

const struct name *names_find(const struct names *names, uint32_t module, uint64_t address)
{
    size_t at = position(names, module, address);
    if (at < names->n && names->at[at].module == module && names->at[at].start == address)
        return &names->at[at];
    if (!at || names->at[at - 1].module != module ||
        address - names->at[at - 1].start >= names->at[at - 1].bytes)
        return NULL;
    return &names->at[at - 1];
}
