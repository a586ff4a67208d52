#include "cmd/optimize/optimize_left.h"

#include "base/memory.h"
#include "base/vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct left {
    const char *name;
    uint64_t count; /* of branches in it */
};
struct lefts {
    VEC(struct left);
};

/* "... indirect branches for NAME(*2)": it may have other names as well. */
static void names_read(struct lefts *lefts, struct arena *arena, const char *log)
{
    static const char before[] = "failed to post-process indirect branches for ";
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(log, "re");
    while (file && getline(&line, &room, file) > 0) {
        char *name = strstr(line, before);
        if (!name)
            continue;
        name += strlen(before);
        name[strcspn(name, "(\r\n")] = 0;
        *vec_push(lefts) = (struct left){.name = arena_string(arena, name)};
    }
    free(line);
    if (file)
        fclose(file);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct left *)a)->name, ((const struct left *)b)->name);
}

/* "1 FROM offset 1 TO offset mispredicted count"; the sum of all. */
static uint64_t counts_read(struct lefts *lefts, const char *fdata)
{
    uint64_t sum = 0;
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(fdata, "re");
    while (file && getline(&line, &room, file) > 0) {
        char *count = strrchr(line, ' '), *name = strchr(line, ' ');
        if (!count || name == count)
            continue;
        uint64_t n = strtoull(count, NULL, 10);
        name++;
        name[strcspn(name, " ")] = 0;
        struct left key = {.name = name};
        struct left *found = bsearch(&key, lefts->at, lefts->n, sizeof key, by_name);
        if (found)
            found->count += n;
        sum += n;
    }
    free(line);
    if (file)
        fclose(file);
    return sum;
}

static int by_count(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return by_name(a, b);
}

const char *optimize_left(struct arena *arena, const char *log, const char *fdata)
{
    struct lefts lefts = {0};
    const char *list = NULL;
    names_read(&lefts, arena, log);
    if (!lefts.n)
        return NULL;
    qsort(lefts.at, lefts.n, sizeof *lefts.at, by_name);
    uint64_t sum = counts_read(&lefts, fdata);
    qsort(lefts.at, lefts.n, sizeof *lefts.at, by_count);
    for (size_t i = 0; i < lefts.n && sum; i++) {
        double share = 100.0 * (double)lefts.at[i].count / (double)sum;
        if (share >= 1)
            list = arena_format(arena, "%s%s%s (%.0f %%)", list ? list : "", list ? ", " : "",
                                lefts.at[i].name, share);
    }
    vec_release(&lefts);
    return list ? arena_format(arena,
                               "BOLT left as they are, with their shares of all branches, since it "
                               "does not understand their indirect jumps: %s",
                               list)
                : NULL;
}
