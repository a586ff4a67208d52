#include "consumers/trace_records.h"

#include "model/core/model.h"
#include "model/pmu/profileme.h"
#include "profile/profile.h"
#include "model/replay/watch.h"

#include <inttypes.h>
#include <stdio.h>

enum { BUFFER = 16 };

struct record_listener {
    struct replay_watch watch;
    struct profileme *unit;
    struct trace_records *records;
};

/* What a core had for an address, as the profile has it. */
static void place_set(struct sample *sample, enum sample_field module, enum sample_field at)
{
    uint32_t of;
    struct svma linked;
    if (!sample_knows(sample, at))
        return;
    replay_place(sample->at[at], &of, &linked);
    sample_set(sample, module, of);
    sample_set(sample, at, linked.v);
}

/* Whose memory its data is: asked at once, as modules come and go. MODULE_NONE: no module's. */
static void data_set(struct trace_records *records, struct sample *sample)
{
    if (!sample_knows(sample, SAMPLE_DATA))
        return;
    struct place place = value_pointers_find(&records->pointers, sample->at[SAMPLE_DATA]);
    sample_set(sample, SAMPLE_DATA_MODULE, place.module);
    sample_set(sample, SAMPLE_DATA_LINKED, place.address.v);
}

static void pairs_take(void *context, const struct sample *samples, size_t n)
{
    struct trace_records *records = ((struct record_listener *)context)->records;
    for (size_t i = 0; i < n; i++) {
        struct sample *sample = vec_push(records);
        *sample = samples[i];
        place_set(sample, SAMPLE_MODULE, SAMPLE_PC);
        place_set(sample, SAMPLE_TARGET_MODULE, SAMPLE_TARGET);
        data_set(records, sample);
        sample_set(sample, SAMPLE_PAIR, records->pairs); /* of all threads, not of one */
        records->pairs += i % 2;
    }
}

static void step_see(void *context, const struct pmu_step *step)
{
    profileme_see(((struct record_listener *)context)->unit, step);
}

static void gap_see(void *context)
{
    profileme_gap(((struct record_listener *)context)->unit);
}

struct record_listener *trace_records_listen(struct trace_records *records, struct replay *replay,
                                             int32_t tid)
{
    const struct model *model = replay->code->model;
    if (!records->interval)
        return NULL;
    records->width = model->dispatch_width;
    records->window = profileme_window(model);
    struct profileme_setup setup = {.interval = records->interval,
                                    .window = records->window,
                                    .tags = records->tags ? records->tags : PROFILEME_TAGS_MOST,
                                    .buffer = records->buffer ? records->buffer : BUFFER,
                                    .history_bits = 64,
                                    .context = (uint64_t)tid,
                                    .seed = (uint64_t)tid};
    struct record_listener *listener = mem_alloc(sizeof *listener);
    listener->records = records;
    listener->unit = profileme_make(&setup, pairs_take, listener);
    listener->watch = (struct replay_watch){.see = step_see, .gap = gap_see, .context = listener};
    replay->wrong_ways = true; /* what is thrown away is fetched as well */
    replay_watch(&listener->watch, replay);
    return listener;
}

void trace_records_end(struct record_listener *listener)
{
    if (!listener)
        return;
    profileme_finish(listener->unit);
    listener->records->untagged += profileme_counts(listener->unit)->collided;
    listener->records->interrupts += profileme_counts(listener->unit)->interrupts;
    profileme_free(listener->unit);
    mem_free(listener);
}

static void fact_set(struct profile *profile, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    profile_fact(profile, key, text);
}

void trace_records_give(struct trace_records *records, struct profile *profile)
{
    if (!records->interval || !records->window)
        return;
    uint32_t memory = profile_module(profile, "[memory]", NULL, 0);
    for (size_t i = 0; i < records->n; i++) {
        struct sample *sample = vec_push(&profile->samples);
        *sample = records->at[i];
        if (sample_knows(sample, SAMPLE_DATA) && sample->at[SAMPLE_DATA_MODULE] == MODULE_NONE)
            sample_set(sample, SAMPLE_DATA_MODULE, memory);
    }
    profile_loss(profile, "untagged", records->untagged);
    fact_set(profile, "pairs_width", records->width);
    fact_set(profile, "pairs_window", records->window);
    fact_set(profile, "pairs_interrupts", records->interrupts);
    records->n = 0;
    records->untagged = 0;
}

void trace_records_init(struct trace_records *records, struct mappings *mappings)
{
    *records = (struct trace_records){0};
    value_pointers_init(&records->pointers, mappings);
}

void trace_records_release(struct trace_records *records)
{
    value_pointers_release(&records->pointers);
    vec_release(records);
}
