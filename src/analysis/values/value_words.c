#include "analysis/values/values.h"

#include "analysis/counts/labels.h"
#include "analysis/values/latencies.h"

#include "profile/signal_set.h"
#include "profile/system_calls.h"
#include "analysis/values/value_registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* As the module that made it shows it. */
static const char *custom_text(const struct scene *scene, uint64_t value)
{
    static char number[24];
    const struct profile *profile = scene->sides[0];
    int n = snprintf(number, sizeof number, "0x%" PRIx64 " ", value);
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        if (!strcmp(fact->key, "module_text") && !strncmp(fact->value, number, (size_t)n))
            return fact->value + n;
    }
    number[n - 1] = 0;
    return number;
}

static const char *thread_name(const struct profile *profile, uint64_t tid)
{
    for (size_t i = 0; i < profile->threads.n; i++)
        if (profile->threads.at[i].tid == tid)
            return profile->threads.at[i].name;
    return "?";
}

/* The line is an address of a module, or of the process. */
static const char *line_words(struct scene *scene, const struct place_value *value)
{
    uint64_t line = value->value & -(uint64_t)LINE_BYTES, bin = value->value % LINE_BYTES;
    const char *name = bin < LATENCY_BINS ? latency_bin_name((enum latency_bin)bin) : "?";
    if (value->to != MODULE_NONE)
        return arena_format(&scene->arena, "%s %s", address_text(scene, value->to, line), name);
    return arena_format(&scene->arena, "0x%" PRIx64 " %s", line, name);
}

/* As the words of a sentence: "blocks INT TERM". */
static const char *set_words(struct scene *scene, const char *what, uint64_t set)
{
    char text[160];
    signal_set_text(set, text, sizeof text);
    return arena_format(&scene->arena, "%s %s", what, text);
}

const char *value_words(struct scene *scene, const struct value_place *place,
                        const struct place_value *value)
{
    switch ((enum value_use)place->use) {
    case VALUE_CUSTOM: return custom_text(scene, value->value);
    case VALUE_LINE: return line_words(scene, value);
    case VALUE_THREAD:
        return arena_format(&scene->arena, "thread %" PRIu64 " (%s)", value->value,
                            name_text(scene, thread_name(scene->sides[0], value->value)));
    case VALUE_CPU: return arena_format(&scene->arena, "CPU %" PRIu64, value->value);
    case VALUE_NODE: return arena_format(&scene->arena, "node %" PRIu64, value->value);
    case VALUE_USER: return arena_format(&scene->arena, "user %" PRIu64, value->value);
    case VALUE_SIGNAL: return set_words(scene, "blocks", value->value);
    case VALUE_PENDING: return set_words(scene, "waiting:", value->value);
    case VALUE_PAGE: return arena_format(&scene->arena, "0x%" PRIx64, value->value);
    case VALUE_SYSCALL:
        if (!value_register_syscall(place->detail) && *system_call_name(value->value))
            return system_call_name(value->value);
        break;
    case VALUE_LOCK:
        if (!value->value)
            return "no lock";
        break;
    default: break;
    }
    return value->to == MODULE_NONE ? value_text(place->form, value->value)
                                    : value_pointer_text(scene, value->to, value->value);
}
