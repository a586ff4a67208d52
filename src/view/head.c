#include "view/head.h"

#include "profile/command.h"
#include "profile/events.h"
#include "text/clean.h"
#include "view/profile_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- JSON */

static void modules_json(struct json *json, const struct scene *scene)
{
    json_array(json, "modules");
    for (size_t i = 0; i < scene->modules.n; i++)
        module_json(json, i, &scene->modules.at[i].module);
    json_array_end(json);
}

/* Ranges and edges in code whose binary is not there. */
static uint64_t unbacked(const struct scene *scene, uint32_t side)
{
    uint64_t n = 0;
    for (size_t i = 0; i < scene->touches.n; i++)
        n += scene->touches.at[i].side == side && scene->touches.at[i].function == FUNCTION_NONE;
    return n;
}

static void losses_json(struct json *json, const struct scene *scene, uint32_t side, uint64_t stray)
{
    json_object(json, "losses");
    losses_met_json(json, scene->sides[side]);
    if (unbacked(scene, side))
        json_integer(json, "no_binary", unbacked(scene, side));
    if (stray)
        json_integer(json, "unexplained", stray);
    json_object_end(json);
}

const char *counts_text(const struct scene *scene, uint32_t side, enum item_by by)
{
    return scene->inferred[side] && item_by_inferred(by) ? ", made consistent (inferred)"
                                                         : ", as recorded (raw)";
}

/* A moment of the run; its first slice begins before it. */
static double part_seconds(uint64_t unix_ns, uint64_t start)
{
    return unix_ns > start ? (double)(unix_ns - start) / 1e9 : 0;
}

static void head_open(struct json *json, const char *name, const struct scene *scene, uint32_t side,
                      const char *by, enum weight weight, bool raw, uint64_t stray)
{
    char schema[64];
    snprintf(schema, sizeof schema, "gait/%s/1", name);
    const struct profile *profile = scene->sides[side];
    json_object(json, NULL);
    json_string(json, "schema", schema);
    json_string(json, "command", profile->command ? profile->command : "");
    json_string(json, "mode", profile_mode_name(profile->mode));
    json_string(json, "by", by);
    json_string(json, "weight", weight_name(weight));
    json_bool(json, "raw", raw);
    if (profile->mode == PROFILE_EXACT)
        json_bool(json, "whole", profile_whole(profile));
    if (profile_fact_find(profile, "only"))
        json_string(json, "only", profile_fact_find(profile, "only"));
    if (profile_fact_find(profile, "carried"))
        json_string(json, "carried", profile_fact_find(profile, "carried"));
    if (profile_fact_find(profile, "imported"))
        json_string(json, "imported", profile_fact_find(profile, "imported"));
    if (profile->mode == PROFILE_PLAIN) {
        const char *event = profile_fact_find(profile, "event");
        json_integer(json, "samples", profile->totals.interrupts);
        if (event)
            json_string(json, "event", event);
    }
    if (profile->part.end_ns) {
        uint64_t start = times_start(profile);
        json_object(json, "part");
        json_number(json, "from", part_seconds(profile->part.begin_ns, start));
        json_number(json, "to", part_seconds(profile->part.end_ns, start));
        if (profile->part_counts.end_ns) {
            json_integer(json, "batches", profile->totals.batches);
            json_number(json, "counts_from", part_seconds(profile->part_counts.begin_ns, start));
            json_number(json, "counts_to", part_seconds(profile->part_counts.end_ns, start));
        }
        if (profile->part_waits.end_ns) {
            json_number(json, "waits_from", part_seconds(profile->part_waits.begin_ns, start));
            json_number(json, "waits_to", part_seconds(profile->part_waits.end_ns, start));
        }
        if (profile->part_values.end_ns) {
            json_number(json, "values_from", part_seconds(profile->part_values.begin_ns, start));
            json_number(json, "values_to", part_seconds(profile->part_values.end_ns, start));
        }
        json_object_end(json);
    }
    json_number(json, "user_time", (double)profile->totals.user_ns / 1e9);
    json_number(json, "kernel_time", (double)profile->totals.kernel_ns / 1e9);
    /* Of a part it is not known. */
    json_number(json, "off_time",
                profile->part.end_ns ? (double)NAN : (double)profile->totals.off_ns / 1e9);
    modules_json(json, scene);
    losses_json(json, scene, side, stray);
}

void head_json(struct json *json, const char *name, const struct scene *scene, uint32_t side,
               enum item_by by, enum weight weight, uint64_t stray)
{
    head_open(json, name, scene, side, item_by_name(by), weight,
              !(scene->inferred[side] && item_by_inferred(by)), stray);
}

void head_json_by(struct json *json, const char *name, const struct scene *scene, uint32_t side,
                  const char *by, enum weight weight)
{
    head_open(json, name, scene, side, by, weight, true, 0);
}

void estimate_json(struct json *json, const char *value, const char *lo, const char *hi,
                   struct estimate estimate)
{
    json_number(json, value, estimate.value);
    json_number(json, lo, estimate.lo);
    json_number(json, hi, estimate.hi);
}

/* ---- text */

void shown_text(FILE *to, size_t shown, size_t all, const char *what)
{
    fprintf(to, "\n%zu of %zu %s%s\n", shown, all, what,
            shown < all ? "; --limit shows others" : "");
}

const char *share_text(const struct profile *profile, struct estimate share)
{
    static char buffers[2][32];
    static unsigned turn;
    char *text = buffers[turn++ % 2];
    double half = fmax(share.hi - share.value, share.value - share.lo);
    const char *sign = share.value + half > 1 ? "-" : share.value < half ? "+" : "±";
    if (isnan(share.value))
        snprintf(text, sizeof *buffers, "?");
    else if (profile->mode == PROFILE_EXACT && !(half > 0)) /* ticks of some have one */
        snprintf(text, sizeof *buffers, "%.2f%%", 100 * share.value);
    else if (!isfinite(half))
        snprintf(text, sizeof *buffers, "%.2f%% ±?", 100 * share.value);
    else
        snprintf(text, sizeof *buffers, "%.2f%% %s%.2f", 100 * share.value, sign, 100 * half);
    return text;
}

/* One line's worth; what could steer a terminal is not sent to it. */
static void command_text(FILE *to, const char *command, size_t bytes)
{
    enum { SHOWN = 120 };
    for (size_t i = 0; i < bytes && i < SHOWN; i++)
        fputc((unsigned char)command[i] < ' ' || command[i] == 0x7F ? '?' : command[i], to);
    fputs(bytes > SHOWN ? "..." : "", to);
}

/* The command, or of a merged profile that there are several, which commands_text then shows. */
static void title_text(FILE *to, const struct profile *profile)
{
    char *command = profile->command && *profile->command ? profile->command : NULL;
    char *end = command ? command_end(command) : NULL;
    uint64_t n = 1;
    if (!command)
        fprintf(to, "(no command)");
    else if (!*end)
        command_text(to, command, (size_t)(end - command));
    else {
        for (; *end; n++)
            end = command_end(end + 1);
        fprintf(to, "merged, %s", number_text(n, "command", "commands"));
    }
    fputs(": ", to);
}

static void commands_text(FILE *to, const struct profile *profile)
{
    enum { SHOWN = 10 };
    char *command = profile->command ? profile->command : NULL;
    uint64_t n = 0;
    if (!command || !*command_end(command))
        return;
    for (char *end;; command = end + 1, n++) {
        end = command_end(command);
        if (n < SHOWN) {
            fprintf(to, "  ");
            command_text(to, command, (size_t)(end - command));
            fputc('\n', to);
        }
        if (!*end)
            break;
    }
    if (n >= SHOWN)
        fprintf(to, "  ... and %" PRIu64 " more\n", n + 1 - SHOWN);
}

/* Which part of the run is shown. What was counted is known by whole batches. */
static void part_text(FILE *to, const struct profile *profile)
{
    uint64_t start = times_start(profile);
    const struct time_part *part = &profile->part, *counts = &profile->part_counts;
    if (!part->end_ns)
        return;
    fprintf(to, "from %.3f s to %.3f s of the run, by samples", part_seconds(part->begin_ns, start),
            part_seconds(part->end_ns, start));
    if (counts->end_ns)
        fprintf(to, ", counts from %.3f s to %.3f s", part_seconds(counts->begin_ns, start),
                part_seconds(counts->end_ns, start));
    if (profile->part_values.end_ns)
        fprintf(to, ", values from %.3f s to %.3f s",
                part_seconds(profile->part_values.begin_ns, start),
                part_seconds(profile->part_values.end_ns, start));
    fprintf(to, ": ");
}

static void seen_text(FILE *to, const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    const char *chance = "; ± is a 95 % interval", *event = profile_fact_find(profile, "event");
    switch (profile->mode) {
    case PROFILE_EXACT:
        fprintf(to, "exact, %" PRIu64 " instructions%s", totals->instructions,
                profile_whole(profile)
                    ? ""
                    : "; INCOMPLETE: not all of the run was counted, see the end");
        break;
    case PROFILE_PLAIN:
        part_text(to, profile);
        fprintf(to, "plain, %s%s%s%s", number_text(totals->interrupts, "sample", "samples"),
                event ? " of " : "", event ? event : "", totals->interrupts ? chance : "");
        break;
    case PROFILE_SAMPLED:
        part_text(to, profile);
        fprintf(to, "sampled, %s instructions in %s window%s and %s%s",
                count_text((double)totals->instructions, false),
                count_text((double)totals->windows, false), totals->windows == 1 ? "" : "s",
                number_text(totals->batches, "batch", "batches"),
                totals->batches < 2 ? ": too few for intervals" : chance);
        break;
    }
}

/* What ran natively is in no figure. */
static void native_text(FILE *to, const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    uint64_t threads = totals->losses[LOSS_thread_native];
    uint64_t children = totals->losses[LOSS_child_native];
    if (profile->mode != PROFILE_SAMPLED ||
        !(loss_matters(totals, LOSS_thread_native) || loss_matters(totals, LOSS_child_native)))
        return;
    fprintf(to, "not all of the program is shown: ");
    if (threads)
        fprintf(to, "%s", number_text(threads, "thread", "threads"));
    if (children)
        fprintf(to, "%s%s", threads ? " and " : "",
                number_text(children, "forked child", "forked children"));
    fprintf(to, " ran unseen\n");
}

/* Nobody is to take a part for the whole. */
static void only_text(FILE *to, const struct profile *profile)
{
    const char *only = profile_fact_find(profile, "only");
    double kept = 0, all = (double)profile->totals.count;
    if (profile->mode == PROFILE_EXACT)
        all = (double)profile->totals.instructions;
    for (uint32_t i = 0; only && i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        kept += (double)profile->ranges.at[i].count * key->instructions;
    }
    if (only)
        fprintf(to,
                "only %s was kept: %.2f %% of what ran; shares of time and of instructions are of "
                "the whole\n",
                only, all > 0 ? 100 * kept / all : 0);
}

/* Counts that were not recorded of this code, or not by this tool. */
static void origin_text(FILE *to, const struct profile *profile)
{
    struct arena arena = {0};
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        if (strcmp(fact->key, "carried") == 0)
            fprintf(to, "carried over: %s\n", text_clean(&arena, fact->value));
        else if (strcmp(fact->key, "imported") == 0)
            fprintf(to, "imported from %s\n", text_clean(&arena, fact->value));
    }
    arena_release(&arena);
}

/* Samples of further events (profile/events.h). */
static void others_text(FILE *to, const struct profile *profile)
{
    struct arena arena = {0};
    const char *between = "also sampled: ";
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "other_event") == 0 &&
            strcmp(profile->facts.at[i].value, event_first(profile)) != 0) {
            fprintf(to, "%s%s", between, text_clean(&arena, profile->facts.at[i].value));
            between = ", ";
        }
    if (*between == ',')
        fputs("; --event NAME shows one\n", to);
    arena_release(&arena);
}

const char *time_divided_text(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    bool ticks = profile->mode == PROFILE_EXACT && totals->user_ns + totals->kernel_ns;
    return ticks ? " (divided by the kernel's ticks)" : "";
}

void head_text(FILE *to, const struct scene *scene, uint32_t side)
{
    const struct profile *profile = scene->sides[side];
    const struct totals *totals = &profile->totals;
    title_text(to, profile);
    seen_text(to, profile);
    fputc('\n', to);
    commands_text(to, profile);
    origin_text(to, profile);
    if (profile->mode != PROFILE_EXACT && !totals->user_ns && !totals->kernel_ns &&
        totals->interrupts)
        fputs("CPU time not known", to); /* imported samples of another event than a clock */
    else
        fprintf(to, "user time %.3f s, kernel %.3f s%s", (double)totals->user_ns / 1e9,
                (double)totals->kernel_ns / 1e9, time_divided_text(profile));
    if (totals->off_ns)
        fprintf(to, ", off the CPU %.3f s", (double)totals->off_ns / 1e9);
    if (threads_count(&profile->threads) > 1)
        fprintf(to, " in %zu threads", threads_count(&profile->threads));
    if (totals->whole_user_ns > totals->user_ns + totals->user_ns / 100)
        fprintf(to, "; of the whole program user %.3f s, kernel %.3f s",
                (double)totals->whole_user_ns / 1e9, (double)totals->whole_kernel_ns / 1e9);
    fputs(profile->complete  ? "\n"
          : profile->damaged ? "; the file is damaged: some of it is missing\n"
                             : "; the recording was not closed: what came last is missing\n",
          to);
    others_text(to, profile);
    native_text(to, profile);
    only_text(to, profile);
}

void different_text(FILE *to, bool any, double common_first, double common_second)
{
    const double little = 0.05;
    if (any && common_first < little && common_second < little)
        fprintf(to,
                "THESE LOOK LIKE DIFFERENT PROGRAMS: what both have is %.1f %% of the first and "
                "%.1f %% of the second.\n",
                100 * common_first, 100 * common_second);
}
