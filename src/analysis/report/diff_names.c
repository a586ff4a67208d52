#include "analysis/report/diff_names.h"

#include <ctype.h>
#include <string.h>

/* ---- functions */

/* How long the suffix is that the name ends in; 0: none. */
static size_t suffix_bytes(const char *name, size_t length)
{
    static const char *const kinds[] = {"cold",     "part", "constprop",  "isra",
                                        "lto_priv", "llvm", "localalias", "clone"};
    size_t end = length;
    while (end && isdigit((unsigned char)name[end - 1]))
        end--;
    bool numbered = end < length && end && name[end - 1] == '.';
    size_t stop = numbered ? end - 1 : length;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);
        if (stop > n + 1 && name[stop - n - 1] == '.' && strncmp(name + stop - n, kinds[i], n) == 0)
            return length - (stop - n - 1);
    }
    return 0;
}

const char *diff_base_name(struct arena *arena, const char *linkage)
{
    size_t whole = strlen(linkage), length = whole, suffix;
    while ((suffix = suffix_bytes(linkage, length)))
        length -= suffix;
    return length == whole ? linkage : arena_string_n(arena, linkage, length);
}

/* ---- modules */

/* "libx.so.1.2" -> "libx.so": how much of the name stays. */
static size_t stem_bytes(const char *name)
{
    const char *so = strstr(name, ".so.");
    if (so && strspn(so + 4, "0123456789.") == strlen(so + 4))
        return (size_t)(so + 3 - name);
    return strlen(name);
}

static bool same_stem(const char *a, const char *b)
{
    return stem_bytes(a) == stem_bytes(b) && strncmp(a, b, stem_bytes(a)) == 0;
}

static bool same_build(const struct module *a, const struct module *b)
{
    return a->build_id_bytes && a->build_id_bytes == b->build_id_bytes &&
           memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0;
}

struct pairing {
    struct diff *diff;
    uint32_t **pair_of;
    const char *only;
};

static void pair_take(struct pairing *pairing, uint32_t before, uint32_t after)
{
    struct diff *diff = pairing->diff;
    const struct scene_module *sides[SIDES_MAX] = {
        before == MODULE_NONE ? NULL : &diff->scenes[BEFORE]->modules.at[before],
        after == MODULE_NONE ? NULL : &diff->scenes[AFTER]->modules.at[after]};
    uint32_t pair = (uint32_t)diff->modules.n;
    struct diff_module *module = vec_push(&diff->modules);
    for (int side = 0; side < SIDES_MAX; side++)
        if (sides[side]) {
            module->names[side] = sides[side]->name;
            module->nameless |= !sides[side]->binary && sides[side]->name[0] != '[';
            module->shown |= !pairing->only || strcmp(pairing->only, sides[side]->name) == 0 ||
                             strcmp(pairing->only, sides[side]->module.path) == 0;
            pairing->pair_of[side][side == BEFORE ? before : after] = pair;
        }
    /* What has no file is made by the same kernel or JIT, as far as can be told. */
    module->same_build = sides[BEFORE] && sides[AFTER] &&
                         (sides[BEFORE]->name[0] == '[' ||
                          same_build(&sides[BEFORE]->module, &sides[AFTER]->module));
}

typedef bool pair_rule(const struct scene *const *scenes, uint32_t before, uint32_t after);

static bool by_build(const struct scene *const *scenes, uint32_t before, uint32_t after)
{
    return same_build(&scenes[BEFORE]->modules.at[before].module,
                      &scenes[AFTER]->modules.at[after].module);
}

static bool by_name(const struct scene *const *scenes, uint32_t before, uint32_t after)
{
    return strcmp(scenes[BEFORE]->modules.at[before].name, scenes[AFTER]->modules.at[after].name) ==
           0;
}

static bool by_stem(const struct scene *const *scenes, uint32_t before, uint32_t after)
{
    return same_stem(scenes[BEFORE]->modules.at[before].name,
                     scenes[AFTER]->modules.at[after].name);
}

static bool by_program(const struct scene *const *scenes, uint32_t before, uint32_t after)
{
    return scene_is_program(scenes[BEFORE], before) && scene_is_program(scenes[AFTER], after);
}

static void pair_by(struct pairing *pairing, pair_rule *rule)
{
    const struct scene *const scenes[SIDES_MAX] = {pairing->diff->scenes[BEFORE],
                                                   pairing->diff->scenes[AFTER]};
    for (uint32_t i = 0; i < scenes[BEFORE]->modules.n; i++)
        for (uint32_t k = 0; k < scenes[AFTER]->modules.n; k++)
            if (pairing->pair_of[BEFORE][i] == MODULE_NONE &&
                pairing->pair_of[AFTER][k] == MODULE_NONE && rule(scenes, i, k))
                pair_take(pairing, i, k);
}

void diff_pair_modules(struct diff *diff, uint32_t *ret_pair_of[SIDES_MAX], const char *only)
{
    struct pairing pairing = {diff, ret_pair_of, only};
    for (int side = 0; side < SIDES_MAX; side++) {
        size_t n = diff->scenes[side]->modules.n;
        ret_pair_of[side] = mem_alloc((n + 1) * sizeof **ret_pair_of);
        for (size_t i = 0; i < n; i++)
            ret_pair_of[side][i] = MODULE_NONE;
    }
    static pair_rule *const rules[] = {by_build, by_name, by_stem, by_program};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        pair_by(&pairing, rules[i]);
    for (uint32_t side = 0; side < SIDES_MAX; side++)
        for (uint32_t i = 0; i < diff->scenes[side]->modules.n; i++)
            if (ret_pair_of[side][i] == MODULE_NONE)
                pair_take(&pairing, side == BEFORE ? i : MODULE_NONE,
                          side == AFTER ? i : MODULE_NONE);
}
