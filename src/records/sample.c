#include "records/sample.h"

#include <string.h>

#define WORD_OF(name, word, text) #word,
static const char *const field_names[SAMPLE_N] = {SAMPLE_FIELDS(WORD_OF)};
#define TEXT_OF(name, word, text) text,
static const char *const field_texts[SAMPLE_N] = {SAMPLE_FIELDS(TEXT_OF)};
#define EVENT_OF(name, word) #word,
static const char *const event_names[EVENTS_N] = {SAMPLE_EVENT_LIST(EVENT_OF)};
static const char *const origin_names[ORIGINS] = {"model", "ibs_fetch", "ibs_op", "spe", "pebs"};
static const char *const source_names[SOURCES] = {
    "l1", "fill", "l2", "l3", "peer", "memory", "far_cache", "far_memory", "slow_memory", "device"};

const enum sample_field sample_module_fields[SAMPLE_MODULE_FIELDS] = {
    SAMPLE_MODULE, SAMPLE_TARGET_MODULE, SAMPLE_DATA_MODULE};

_Static_assert(SAMPLE_N <= 64 && EVENTS_N <= 64, "masks have 64 bits");

bool sample_between(const struct sample *sample, enum sample_field from, enum sample_field to,
                    uint64_t *ret_cycles)
{
    if (!sample_knows(sample, from) || !sample_knows(sample, to) ||
        sample->at[to] < sample->at[from])
        return false;
    *ret_cycles = sample->at[to] - sample->at[from];
    return true;
}

const char *sample_field_name(enum sample_field field)
{
    return field_names[field];
}

const char *sample_field_text(enum sample_field field)
{
    return field_texts[field];
}

const char *sample_event_name(enum sample_event event)
{
    return event_names[event];
}

const char *sample_origin_name(enum sample_origin origin)
{
    return origin_names[origin];
}

const char *sample_source_name(enum sample_source source)
{
    return source_names[source];
}

static size_t word_find(const char *const *words, size_t n_words, const char *name, size_t n)
{
    size_t i = 0;
    while (i < n_words && (strlen(words[i]) != n || memcmp(words[i], name, n) != 0))
        i++;
    return i;
}

enum sample_field sample_field_find(const char *name, size_t n)
{
    return (enum sample_field)word_find(field_names, SAMPLE_N, name, n);
}

enum sample_event sample_event_find(const char *name, size_t n)
{
    return (enum sample_event)word_find(event_names, EVENTS_N, name, n);
}

int sample_compare(const struct sample *a, const struct sample *b)
{
    for (int i = 0; i < SAMPLE_N; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return a->known < b->known ? -1 : a->known > b->known;
}
