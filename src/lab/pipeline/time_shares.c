#include "lab/pipeline/time_shares.h"

#include "base/err.h"
#include "base/map.h"
#include "lab/pipeline/modelled_run.h"
#include "model/pmu/profileme.h"
#include "model/replay/account.h"

#include <math.h>

/* Cycles between two samples of those that take time, instructions between two records. */
enum { EVERY_CYCLES = 100, EVERY_FETCHED = 150 };

enum way {
    WAY_DISPATCHED, /* who is dispatched next is tagged: IBS, SPE. Lost if it aborts. */
    WAY_LAST,       /* who retired last */
    WAY_NEXT,       /* who retires next: PEBS */
    WAY_FETCHED,    /* ProfileMe, by how often, */
    WAY_LATENCY,    /* how long each was in progress, */
    WAY_GAP,        /* and how long retirement waited for it */
    WAYS,
};

static const struct {
    const char *name, *paper;
} ways[WAYS] = {
    [WAY_DISPATCHED] = {"tagged at dispatch", "53.1%"},
    [WAY_LAST] = {"last that retired", "55.4%"},
    [WAY_NEXT] = {"next that retires", "9.3%"},
    [WAY_FETCHED] = {"ProfileMe: records", ""},
    [WAY_LATENCY] = {"ProfileMe: fetch until done", ""},
    [WAY_GAP] = {"ProfileMe: wait of retirement", ""},
};

/* What each way gives an instruction: if every cycle, or instruction, were a sample, and of
 * samples. */
struct shares {
    double all[WAYS], sampled[WAYS];
    double oracle;
};

struct clock {
    struct random random;
    uint64_t last, due; /* cycles: owned so far; of the next sample */
};

struct watch {
    struct map places;
    VEC(struct shares); /* by place */
    struct clock clocks[WAY_NEXT + 1];
    uint32_t last_place; /* that retired */
    uint64_t samples[WAYS];
    uint64_t last_retire;
    struct profileme *unit;
    struct account account;
    struct account_listener *listener;
};

static uint32_t place_of(struct watch *watch, uint64_t at)
{
    uint32_t place = map_add(&watch->places, &at);
    if (place == watch->n)
        *vec_push(watch) = (struct shares){0};
    return place;
}

/* All cycles up to that one belong to the place; MAP_NONE: to nobody. */
static void cycles_own(struct watch *watch, enum way way, uint32_t place, uint64_t until)
{
    struct clock *clock = &watch->clocks[way];
    if (until <= clock->last)
        return;
    uint64_t cycles = until - clock->last, samples = 0;
    for (; clock->due <= until; samples++)
        clock->due += 1 + random_below(&clock->random, 2 * EVERY_CYCLES - 1);
    clock->last = until;
    if (place == MAP_NONE)
        return;
    watch->at[place].all[way] += (double)cycles;
    watch->at[place].sampled[way] += (double)samples;
    watch->samples[way] += samples;
}

static void watch_see(void *context, const struct pmu_step *step)
{
    struct watch *watch = context;
    const struct core_times *times = step->times;
    uint32_t place = place_of(watch, step->fact->at.v);
    profileme_see(watch->unit, step);
    cycles_own(watch, WAY_DISPATCHED, step->aborted ? MAP_NONE : place, times->dispatch);
    if (step->aborted)
        return;
    cycles_own(watch, WAY_NEXT, place, times->retire);
    cycles_own(watch, WAY_LAST, watch->last_place, times->retire);
    struct shares *shares = &watch->at[place];
    shares->all[WAY_FETCHED]++;
    shares->all[WAY_LATENCY] += (double)(times->complete - times->fetch);
    shares->all[WAY_GAP] += (double)(times->retire - watch->last_retire);
    watch->last_retire = times->retire;
    watch->last_place = place;
}

static void watch_take(void *context, const struct sample *samples, size_t n)
{
    struct watch *watch = context;
    for (size_t i = 0; i < n; i++) {
        if (!sample_happened(&samples[i], EVENT_RETIRED))
            continue;
        struct shares *shares = &watch->at[place_of(watch, samples[i].at[SAMPLE_PC])];
        shares->sampled[WAY_FETCHED]++;
        shares->sampled[WAY_LATENCY] += (double)samples[i].at[SAMPLE_DONE];
        shares->sampled[WAY_GAP] += (double)samples[i].at[SAMPLE_RETIRE_GAP];
        for (int way = WAY_FETCHED; way < WAYS; way++)
            watch->samples[way]++;
    }
}

static void watch_begin(void *context, struct replay *replay)
{
    struct watch *watch = context;
    watch->listener = account_listen(&watch->account, replay);
}

static void watch_end(void *context, struct replay *replay)
{
    struct watch *watch = context;
    account_settle(watch->listener);
    for (size_t i = 0; i < watch->account.touched.n; i++) {
        uint32_t id = watch->account.touched.at[i];
        const struct code_place *place = &replay->code->places.at[id];
        uint32_t to = place_of(watch, replay_at(place->module, place->at));
        watch->at[to].oracle += (double)account_row_units(&watch->account.rows.at[id]);
    }
    account_listener_free(watch->listener);
}

/* ---- how far from the truth */

/* The share of time that is given to the wrong ones. */
static double error_of(const struct watch *watch, enum way way, bool sampled)
{
    double sum = 0, oracle = 0, common = 0;
    for (size_t i = 0; i < watch->n; i++) {
        sum += sampled ? watch->at[i].sampled[way] : watch->at[i].all[way];
        oracle += watch->at[i].oracle;
    }
    for (size_t i = 0; i < watch->n; i++) {
        double here = (sampled ? watch->at[i].sampled[way] : watch->at[i].all[way]) / sum;
        common += fmin(here, watch->at[i].oracle / oracle);
    }
    return 1 - common;
}

/* As many samples drawn of what the oracle says. */
static double error_by_chance(const struct watch *watch, uint64_t samples)
{
    struct random random = {1};
    double oracle = 0, common = 0, before = 0;
    uint64_t left = samples;
    for (size_t i = 0; i < watch->n; i++)
        oracle += watch->at[i].oracle;
    for (size_t i = 0; i < watch->n; i++) {
        /* A multinomial, one place after the other: a binomial of those that are left. */
        double p = watch->at[i].oracle / (oracle - before);
        uint64_t limit = p >= 1 ? UINT64_MAX : (uint64_t)(p * 0x1p64), hits = 0;
        for (uint64_t n = p > 0 ? left : 0; n > 0; n--)
            hits += random_next(&random) <= limit;
        left -= hits;
        before += watch->at[i].oracle;
        common += fmin((double)hits / (double)samples, watch->at[i].oracle / oracle);
    }
    return 1 - common;
}

static void rows_put(struct lab_rows *rows, const struct watch *watch)
{
    double error[WAYS];
    for (enum way way = 0; way < WAYS; way++) {
        struct lab_row *row = lab_row_add(rows);
        error[way] = error_of(watch, way, false);
        lab_text(row, ways[way].name);
        lab_share(row, error[way], 1);
        lab_share(row, error_of(watch, way, true), 1);
        lab_cell(row, "%llu", (unsigned long long)watch->samples[way]);
        lab_text(row, ways[way].paper);
    }
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, "the oracle (TIP)");
    lab_share(row, 0, 1);
    lab_share(row, error_by_chance(watch, watch->samples[WAY_NEXT]), 1);
    lab_cell(row, "%llu", (unsigned long long)watch->samples[WAY_NEXT]);
    lab_text(row, "1.6%");
    double dispatched = error[WAY_DISPATCHED], last = error[WAY_LAST], next = error[WAY_NEXT];
    lab_claim(rows,
              "who retires next is much nearer to the truth than who is dispatched, or who retired "
              "last: %.1f %% against %.1f and %.1f: %s",
              100 * next, 100 * dispatched, 100 * last,
              2 * next < dispatched && 2 * next < last ? "holds" : "does not hold");
    bool sums = account_sum(&watch->account) == (u128)watch->account.cycles * ACCOUNT_UNIT;
    lab_claim(rows, "the oracle gives away every cycle once: %llu of them: %s",
              (unsigned long long)watch->account.cycles, sums ? "holds" : "does not hold");
}

static bool time_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    struct watch watch = {.last_place = MAP_NONE};
    struct modelled_watch listen = {watch_begin, watch_see, NULL, watch_end, &watch};
    struct profileme_setup setup = {.interval = EVERY_FETCHED, .tags = 8, .buffer = 16, .seed = 1};
    map_init(&watch.places, sizeof(uint64_t));
    for (uint32_t i = 0; i <= WAY_NEXT; i++)
        watch.clocks[i].random.state = i + 7;
    account_init(&watch.account);
    watch.unit = profileme_make(&setup, watch_take, &watch);
    bool good = modelled_run_watch(run, &listen, err);
    if (good) {
        profileme_finish(watch.unit);
        rows_put(rows, &watch);
    }
    profileme_free(watch.unit);
    account_release(&watch.account);
    map_release(&watch.places);
    vec_release(&watch);
    return good;
}

const struct lab_table lab_time_shares = {
    .name = "pipeline-time",
    .title = "time of instructions, as it is sampled, against the oracle's: share that is given to "
             "others",
    .columns =
        (const char *const[]){"sampling", "error", "of samples", "samples", "TIP's authors", NULL},
    .modelled = time_fill,
    .steps = MODELLED_STEPS,
};
