/* Targets of indirect calls: rows of edges, call by call. */
#include "analysis/values/values.h"

#include "program/binary.h"
#include "program/insn/decoded.h"
#include "profile/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct going {
    uint32_t module, to_module; /* of the scene */
    uint64_t from, to;
    const struct sums *sums;
};

struct goings {
    VEC(struct going);
};

static int by_call(const void *a, const void *b)
{
    const struct going *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->sums->count != y->sums->count)
        return x->sums->count > y->sums->count ? -1 : 1;
    if (x->to_module != y->to_module)
        return x->to_module < y->to_module ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void goings_take(struct goings *goings, struct scene *scene)
{
    const struct table *edges = &scene->sides[0]->edges;
    for (uint32_t i = 0; i < edges->n; i++) {
        struct edge_key key;
        memcpy(&key, map_key(&edges->keys, i), sizeof key);
        uint32_t module = scene_module(scene, 0, key.from_module);
        if (key.kind != EDGE_ICALL || !scene_place_wanted(scene, module, key.from.v))
            continue;
        *vec_push(goings) = (struct going){module, scene_module(scene, 0, key.to_module),
                                           key.from.v, key.to.v, &edges->at[i]};
    }
    if (goings->n)
        qsort(goings->at, goings->n, sizeof *goings->at, by_call);
}

/* Calls through a slot that the loader fills have one target by design. */
static bool by_slot(const struct scene *scene, uint32_t module, uint64_t at)
{
    const struct binary *binary = scene_binary(scene, module);
    struct decoded decoded;
    return binary && decoded_read(&binary->image, (struct svma){at}, &decoded) &&
           decoded.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
           decoded.operands[0].mem.base == ZYDIS_REGISTER_RIP;
}

/* As of values, but how a target varies with all is not known: as if they did not vary together,
 * which makes it wider. And no narrower than of as many throws of a coin as there were calls in
 * windows. */
static struct estimate share_of(const struct profile *profile, const struct sums *one,
                                const struct sums *all, double seen)
{
    double total = (double)all->count, share = (double)one->count / total;
    if (profile->mode == PROFILE_EXACT)
        return (struct estimate){share, share, share};
    double batches = (double)profile->totals.batches;
    struct estimate coin = binomial_share(share * seen, fmax(seen, 1));
    if (batches < 2) { /* calls of one window may all be alike: it is windows that are thrown */
        double windows = fmax(fmin(seen, (double)profile->totals.windows), 1);
        coin = binomial_share(share * windows, windows);
        return (struct estimate){share, coin.lo, coin.hi};
    }
    double others = fmax((double)all->count_yy - (double)one->count_yy, 0);
    double spread = (1 - share) * (1 - share) * (double)one->count_yy + share * share * others;
    double wide =
        student_t((uint64_t)(batches - 1)) * sqrt(spread * batches / (batches - 1)) / total;
    return (struct estimate){share, fmax(0, fmin(share - wide, coin.lo)),
                             fmin(1, fmax(share + wide, coin.hi))};
}

static void call_add(struct places_values *places, const struct going *goings, size_t n)
{
    const struct profile *profile = places->scene->sides[0];
    const struct totals *totals = &profile->totals;
    struct sums all = {0};
    for (size_t i = 0; i < n; i++)
        sums_add(&all, goings[i].sums);
    /* How often it was seen, in windows: what counts of values are. */
    bool exact = profile->mode == PROFILE_EXACT;
    double seen_of = exact           ? 1
                     : totals->count ? (double)totals->instructions / (double)totals->count
                                     : 0;
    struct value_place place = {.module = goings[0].module,
                                .address = goings[0].from,
                                .use = VALUE_TARGET,
                                .form = {VALUE_INTEGER, 8},
                                .constant =
                                    by_slot(places->scene, goings[0].module, goings[0].from),
                                .caller_module = MODULE_NONE,
                                .unsure = (double)NAN,
                                .total = (double)all.count * seen_of,
                                .first = places->values.n};
    if (!all.count)
        return;
    for (size_t i = 0; i < n; i++)
        *vec_push(&places->values) = (struct place_value){
            goings[i].to, goings[i].to_module, (double)goings[i].sums->count * seen_of,
            share_of(profile, goings[i].sums, &all, place.total)};
    values_place_add(places, &place);
}

void values_targets(struct places_values *places)
{
    struct goings goings = {0};
    goings_take(&goings, places->scene);
    for (size_t i = 0, n; i < goings.n; i += n) {
        for (n = 1; i + n < goings.n && goings.at[i + n].module == goings.at[i].module &&
                    goings.at[i + n].from == goings.at[i].from;
             n++)
            ;
        call_add(places, &goings.at[i], n);
    }
    vec_release(&goings);
}
