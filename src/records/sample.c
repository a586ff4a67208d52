#include "records/sample.h"

#include <string.h>

#define WORD_OF(name, word, text) #word,
static const char *const field_names[SAMPLE_N] = {SAMPLE_FIELDS(WORD_OF)};
#define TEXT_OF(name, word, text) text,
static const char *const field_texts[SAMPLE_N] = {SAMPLE_FIELDS(TEXT_OF)};
#define EVENT_OF(name, word) #word,
static const char *const event_names[EVENTS_N] = {SAMPLE_EVENT_LIST(EVENT_OF)};
static const char *const origin_names[ORIGINS] = {"model", "ibs_fetch", "ibs_op", "spe", "pebs"};
const enum sample_field sample_module_fields[SAMPLE_MODULE_FIELDS] = {
    SAMPLE_MODULE, SAMPLE_TARGET_MODULE, SAMPLE_DATA_MODULE};

_Static_assert(SAMPLE_N <= 64 && EVENTS_N <= 64, "masks have 64 bits");

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
