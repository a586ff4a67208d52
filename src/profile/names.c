#include "profile/names.h"

#include <stdbool.h>
#include <stdlib.h>
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

struct said {
    struct name name;
    size_t when;
};

static int name_compare(const struct name *x, const struct name *y)
{
    return comes_before(x, y->module, y->start) ? -1 : comes_before(y, x->module, x->start);
}

static int said_compare(const void *a, const void *b)
{
    const struct said *x = a, *y = b;
    int order = name_compare(&x->name, &y->name);
    return order ? order : x->when < y->when ? -1 : 1;
}

void names_sort(struct names *names)
{
    struct saids {
        VEC(struct said);
    } all = {0};
    for (size_t i = 0; i < names->n; i++)
        *vec_push(&all) = (struct said){names->at[i], i};
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, said_compare);
    names->n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (i + 1 == all.n || name_compare(&all.at[i].name, &all.at[i + 1].name) != 0)
            names->at[names->n++] = all.at[i].name;
    vec_release(&all);
}

static bool is_larger(const struct name *x, const struct name *y)
{
    return x->bytes != y->bytes ? x->bytes > y->bytes : strcmp(x->text, y->text) > 0;
}

void names_merge(struct names *into, struct arena *arena, const struct names *other,
                 enum names_rule rule)
{
    struct names both = {0};
    for (size_t a = 0, b = 0; a < into->n || b < other->n;) {
        int order = a == into->n    ? 1
                    : b == other->n ? -1
                                    : name_compare(&into->at[a], &other->at[b]);
        struct name *name = vec_push(&both);
        if (order > 0 ||
            (order == 0 && (rule == NAMES_LATER || is_larger(&other->at[b], &into->at[a])))) {
            *name = other->at[b];
            name->text = order == 0 && strcmp(name->text, into->at[a].text) == 0
                             ? into->at[a].text
                             : arena_string(arena, name->text);
        } else {
            *name = into->at[a];
        }
        a += order <= 0;
        b += order >= 0;
    }
    vec_release(into);
    *into = both;
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
