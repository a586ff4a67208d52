#include "view/advice_say.h"

#include "base/quote.h"
#include "program/names/brief.h"
#include "program/names/match.h"
#include "text/ink.h"
#include "text/json.h"

#include <stdarg.h>
#include <string.h>

const char *advice_quoted(const struct report *report, const char *word)
{
    return quote_word(&report->scene->arena, word);
}

/* Another function that was seen and goes by this name, too. */
static bool is_ambiguous(const struct report *report, const char *name, const char *linkage)
{
    for (size_t i = 0; i < report->n; i++) {
        const char *other = report->at[i].name;
        if (other && strcmp(other, linkage) != 0 &&
            name_matches(name, other, scene_readable(report->scene, other)))
            return true;
    }
    return false;
}

const char *advice_function(const struct report *report, const char *linkage)
{
    struct scene *scene = report->scene;
    const char *readable = scene_readable(scene, linkage);
    size_t room = strlen(readable) + 1;
    char *bare = arena_alloc(&scene->arena, room);
    name_bare(readable, bare, room);
    name_untemplated(bare);
    bool made = strcmp(readable, linkage) == 0; /* a space in it ends no return type */
    bool good = !(made && strchr(linkage, ' ')) && strlen(bare) < strlen(linkage) &&
                !strchr(bare, '|') && name_matches(bare, linkage, readable) &&
                !is_ambiguous(report, bare, linkage);
    return advice_quoted(report, good ? bare : linkage);
}

static void say_json(struct json *json, const char *text, const char *command)
{
    json_object(json, NULL);
    json_string(json, "text", text);
    if (command)
        json_string(json, "command", command);
    json_object_end(json);
}

static void say_text(const struct adviser *adviser, const char *before, const char *text,
                     const char *command)
{
    const char *input = adviser->report->input;
    /* What is recorded anew is not read from a file. */
    bool usual = !input || strcmp(input, "gait.data") == 0 ||
                 (command && strncmp(command, "gait record", 11) == 0);
    if (!command)
        fprintf(adviser->to, "%s%s\n", before, text);
    else
        fprintf(adviser->to, "%s%s:\n      %s%s%s%s%s\n", before, text,
                ink_begin(adviser->ink, INK_NAME), command, usual ? "" : " -i ",
                usual ? "" : advice_quoted(adviser->report, input),
                ink_end(adviser->ink, INK_NAME));
}

static void say(struct adviser *adviser, const char *before, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            *at = '?';
    char *command = strrchr(text, '|');
    if (command)
        *command++ = 0;
    if (adviser->json)
        say_json(adviser->json, text, command);
    else
        say_text(adviser, before, text, command);
}

void advise(struct adviser *adviser, const char *format, ...)
{
    va_list args;
    if (!adviser->said++ && !adviser->json)
        fprintf(adviser->to, "\n%s%s%s\n", ink_begin(adviser->ink, INK_HEAD), adviser->title,
                ink_end(adviser->ink, INK_HEAD));
    va_start(args, format);
    say(adviser, "- ", format, args);
    va_end(args);
}

void advise_line(struct adviser *adviser, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(adviser, "", format, args);
    va_end(args);
}

bool advice_attached(const struct report *report)
{
    const char *command = report->scene->sides[0]->command;
    return command && strncmp(command, "gait record ", 12) == 0;
}

const char *advice_command(const struct report *report)
{
    const char *command = report->scene->sides[0]->command;
    bool one = command && *command && !strchr(command, '\n') && strlen(command) < 200;
    return one && !advice_attached(report) ? command : "COMMAND";
}

const char *advice_share(struct estimate share)
{
    static char buffers[2][64];
    static unsigned turn;
    char *text = buffers[turn++ % 2];
    double value = 100 * share.value, lo = 100 * share.lo, hi = 100 * share.hi;
    int digits = value < 10 ? 1 : 0;
    if (share.lo == share.hi)
        snprintf(text, sizeof *buffers, "%.*f %%", digits, value);
    else
        snprintf(text, sizeof *buffers, "%.*f %% (%.*f to %.*f)", digits, value, digits, lo, digits,
                 hi);
    return text;
}

const char *advice_weight(const struct report *report)
{
    if (report->both && report->weight == WEIGHT_TIME)
        return "CPU time";
    if (report->has_plain && report->weight == WEIGHT_COUNT)
        return profile_fact_find(report->scene->sides[0], "event");
    if (report->has_plain && report->plain.filter.kernel)
        return "kernel time";
    return report->weight == WEIGHT_TIME ? "user time" : "all instructions";
}

const char *advice_name(const struct report *report, const struct report_row *row)
{
    return name_text(report->scene, row->name);
}
