#include "carry/functions.h"

#include "base/map.h"
#include "program/binary.h"
#include "program/fingerprint.h"

#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    size_t bytes; /* of the name that count */
    function_id function;
};

struct names {
    VEC(struct named);
};

/* Stubs that nothing names are all "[plt]". */
static bool has_name(const struct function *function)
{
    return function->source == FUNCTION_STUB ||
           (function->source == FUNCTION_SYMBOL && function->name[0] != '[');
}

static int name_order(const struct named *x, const struct named *y)
{
    size_t shorter = x->bytes < y->bytes ? x->bytes : y->bytes;
    int order = memcmp(x->name, y->name, shorter);
    return order ? order : x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Functions are numbered by their addresses. */
static int named_order(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = name_order(x, y);
    return order ? order : x->function < y->function ? -1 : x->function > y->function;
}

/* Those that have no partner yet. */
static struct names names_list(const struct symbols *symbols, const function_id *partners,
                               bool stems)
{
    struct names names = {0};
    for (function_id f = 0; f < symbols->functions.n; f++) {
        const struct function *function = &symbols->functions.at[f];
        if (partners[f] == FUNCTION_NONE && has_name(function))
            *vec_push(&names) =
                (struct named){function->name,
                               stems ? name_stem_bytes(function->name) : strlen(function->name), f};
    }
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, named_order);
    return names;
}

void carry_functions_join(struct carry_functions *functions, function_id old, function_id new)
{
    if (functions->new_of[old] != FUNCTION_NONE || functions->old_of[new] != FUNCTION_NONE)
        return;
    functions->new_of[old] = new;
    functions->old_of[new] = old;
}

static void join_named(struct carry_functions *functions, const struct symbols *old,
                       const struct symbols *new, bool stems)
{
    struct names olds = names_list(old, functions->new_of, stems),
                 news = names_list(new, functions->old_of, stems);
    for (size_t i = 0, k = 0; i < olds.n && k < news.n;) {
        int order = name_order(&olds.at[i], &news.at[k]);
        if (order == 0)
            carry_functions_join(functions, olds.at[i].function, news.at[k].function);
        i += order <= 0;
        k += order >= 0;
    }
    vec_release(&olds);
    vec_release(&news);
}

/* ---- by what they are */

/* Functions shorter than this are alike by chance. */
enum { INSTRUCTIONS_LEAST = 8 };

/* Of the main range, names of what is called left out; 0: too short. */
static uint64_t content_print(const struct binary *binary, function_id f)
{
    const struct symbols *symbols = &binary->symbols;
    const struct code_range *range = &symbols->ranges.at[symbols->functions.at[f].first_range];
    struct instruction at;
    uint64_t print = 1, n = 0;
    for (uint64_t offset = 0; offset < range->bytes; offset += at.bytes, n++) {
        if (!disasm_at(&binary->image, (struct svma){range->start.v + offset}, &at))
            return 0;
        print = fingerprint_mix(print, fingerprint_of(&binary->image, NULL, &at).exact);
    }
    return n < INSTRUCTIONS_LEAST ? 0 : print;
}

struct content {
    function_id old, new;
    uint32_t n_old, n_new;
};

struct contents {
    struct map prints;
    VEC(struct content);
};

static struct content *content_of(struct contents *contents, uint64_t print)
{
    uint32_t index = map_add(&contents->prints, &print);
    return index == contents->n ? vec_push(contents) : &contents->at[index];
}

static void join_equal(struct carry_functions *functions, const struct binary *old,
                       const struct binary *new)
{
    struct contents contents = {0};
    map_init(&contents.prints, sizeof(uint64_t));
    for (function_id f = 0; f < old->symbols.functions.n; f++) {
        uint64_t print = functions->new_of[f] == FUNCTION_NONE ? content_print(old, f) : 0;
        struct content *content = print ? content_of(&contents, print) : NULL;
        if (content && !content->n_old++)
            content->old = f;
    }
    for (function_id f = 0; f < new->symbols.functions.n; f++) {
        uint64_t print = functions->old_of[f] == FUNCTION_NONE ? content_print(new, f) : 0;
        struct content *content = print ? content_of(&contents, print) : NULL;
        if (content && !content->n_new++)
            content->new = f;
    }
    for (size_t i = 0; i < contents.n; i++)
        if (contents.at[i].n_old == 1 && contents.at[i].n_new == 1)
            carry_functions_join(functions, contents.at[i].old, contents.at[i].new);
    map_release(&contents.prints);
    vec_release(&contents);
}

/* ---- all */

static function_id *partners_none(size_t n)
{
    function_id *partners = mem_alloc(n * sizeof *partners + 1);
    memset(partners, 0xff, n * sizeof *partners);
    return partners;
}

void carry_functions_match(struct carry_functions *functions, const struct binary *old,
                           const struct binary *new)
{
    functions->new_of = partners_none(old->symbols.functions.n);
    functions->old_of = partners_none(new->symbols.functions.n);
    join_named(functions, &old->symbols, &new->symbols, false);
    join_named(functions, &old->symbols, &new->symbols, true);
    join_equal(functions, old, new);
}

void carry_functions_release(struct carry_functions *functions)
{
    mem_free(functions->new_of);
    mem_free(functions->old_of);
    *functions = (struct carry_functions){0};
}
