/* Instructions for units that watch a core: with times that a test makes up, or those of a model
 * that runs a small loop. */
#pragma once

#include "base/err.h"
#include "model/core/model.h"
#include "model/pmu/step.h"
#include "compress/random.h"

#include <string.h>

struct feed_insn {
    const char *bytes;
    uint8_t n;
    bool far; /* its address is anywhere in 64 MiB */
};
#define FEED(bytes)                                                                                \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, false                                                            \
    }
#define FEED_FAR(bytes)                                                                            \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, true                                                             \
    }

enum { FEED_MOST = 64 };

/* A loop whose last instruction is a branch back to the first. One branch in it may go either way,
 * by chance, to the one behind the next. */
struct feed {
    struct model model;
    struct core *core;
    struct core_insn insns[FEED_MOST];
    uint64_t at[FEED_MOST + 1];
    const struct feed_insn *list;
    int n;
    struct random random;
    void (*see)(void *, const struct pmu_step *);
    void *context;
};

static inline void feed_open(struct feed *feed, const char *core, const struct feed_insn *list,
                             int n)
{
    struct err err;
    memset(feed, 0, sizeof *feed);
    ASSERT(model_open(core, &feed->model, &err) && n <= FEED_MOST);
    feed->core = core_make(&feed->model);
    feed->list = list;
    feed->n = n;
    feed->at[0] = 0x1000;
    for (int i = 0; i < n; i++) {
        ASSERT(core_insn_make(&feed->model, (const uint8_t *)list[i].bytes, list[i].n,
                              &feed->insns[i]));
        feed->at[i + 1] = feed->at[i] + list[i].n;
    }
}

static inline void feed_close(struct feed *feed)
{
    core_free(feed->core);
    model_release(&feed->model);
}

static inline void feed_wrong(struct feed *feed, int from, uint64_t history)
{
    struct core_times times;
    for (int i = from; i < feed->n; i++) {
        struct core_fact fact = {.at = {feed->at[i]}, .next = {feed->at[i + 1]}};
        struct pmu_step step = {&feed->insns[i], &fact, &times, history, true};
        if (!core_wrong(feed->core, &feed->insns[i], &fact, &times))
            return;
        feed->see(feed->context, &step);
    }
}

static inline void feed_turn(struct feed *feed)
{
    struct core_times times;
    for (int i = 0; i < feed->n; i++) {
        bool last = i == feed->n - 1, cond = feed->insns[i].kind == INSN_COND;
        bool taken = last || (cond && random_next(&feed->random) & 1);
        int to = last ? 0 : taken ? i + 2 : i + 1;
        struct core_fact fact = {
            .at = {feed->at[i]}, .next = {feed->at[to]}, .address = {0x10000}, .taken = taken};
        if (feed->list[i].far)
            fact.address.v = (uint64_t)1 << 32 | random_below(&feed->random, 1 << 26);
        struct pmu_step step = {&feed->insns[i], &fact, &times, core_history(feed->core), false};
        core_step(feed->core, &feed->insns[i], &fact, &times);
        feed->see(feed->context, &step);
        if (times.events & CORE_MISPREDICT)
            feed_wrong(feed, taken ? i + 1 : i + 2, step.history);
        i = !last && taken ? i + 1 : i;
    }
}
