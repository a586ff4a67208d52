/* gait info: what a profile holds, without looking at any binary. */
#include "base/err.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "analysis/report/cost.h"
#include "cmd/options/flags.h"
#include "cmd/info_json.h"
#include "cmd/options/view_options.h"
#include "profile/no_values.h"
#include "view/head.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    const char *input;
    bool json, quiet;
};

static const struct flag flags[] = {
    {"input", 'i', "FILE", NULL, "the profile", TAKE(text, struct options, input)},
    {"json", 0, NULL, NULL, "as JSON, schema gait/info/1", TAKE(set, struct options, json)},
    {"quiet", 'q', NULL, NULL, "do not mention damage", TAKE(set, struct options, quiet)},
    /* All views take these; here is neither colour nor pager. */
    {"no-pager", 0, NULL, NULL, NULL, .take = take_nothing},
    {"color", 0, "WHEN", NULL, NULL, .take = take_nothing},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait info [options] [FILE]\n\nShows what a profile (gait.data) contains: "
             "mode, command, modules, totals, cost and losses.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){.input = "gait.data"};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    if (optind < argc)
        options->input = argv[optind++];
    if (optind < argc)
        return err_set(err, ERR_USAGE, "one file at a time; gait merge adds several up");
    return true;
}

/* ---- what is derived */

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static double per_second(uint64_t n, uint64_t ns)
{
    return 1e9 * ratio(n, ns);
}

/* ---- as text */

/* Neither a control character, of one byte or of two, nor a byte that is no text at all. */
static bool is_letter(const unsigned char *at)
{
    return *at >= ' ' && *at != 0x7f && utf8_bytes(at) && !(*at == 0xc2 && at[1] < 0xa0);
}

/* A profile is somebody else's text: what could steer a terminal is shown, not sent. Lines behind
 * the first go under it. */
static void print_quoted(const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            printf("\n%-14s", "");
        else if (!is_letter((const unsigned char *)text))
            printf("\\x%02x", (unsigned char)*text);
        else
            text += fwrite(text, 1, utf8_bytes((const unsigned char *)text), stdout) - 1;
}

static void line(const char *label, const char *text)
{
    print_quoted(label);
    printf("%*s", strlen(label) < 13 ? 14 - (int)strlen(label) : 1, "");
    print_quoted(text);
    putchar('\n');
}

static void print_start(uint64_t unix_ns)
{
    char text[64];
    struct tm tm;
    time_t seconds = (time_t)(unix_ns / 1000000000u);
    if (unix_ns && gmtime_r(&seconds, &tm) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
        line("started", text);
}

static void print_modules(const struct modules *modules)
{
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *module = &modules->at[i];
        printf("%-14s", i ? "" : "modules");
        print_quoted(module->path);
        putchar(' ');
        for (uint32_t b = 0; b < module->build_id_bytes; b++)
            printf("%02x", module->build_id[b]);
        puts(module->build_id_bytes ? "" : "(no build-id)");
    }
}

static void print_sampled(const struct totals *totals)
{
    double walked = walked_share(totals);
    printf("%-14s%llu windows of %llu interrupts", "recorded", (unsigned long long)totals->windows,
           (unsigned long long)totals->interrupts);
    if (!isnan(walked))
        printf("; %.1f %% of user time walked", 100 * walked);
    putchar('\n');
    printf("%-14s%llu instructions, %.3f million per CPU second\n", "",
           (unsigned long long)totals->instructions,
           per_second(totals->instructions, totals->user_ns) / 1e6);
    printf("%-14s%llu batches of walks\n", "", (unsigned long long)totals->batches);
    if (totals->kernel_samples)
        printf("%-14s%llu samples of the kernel, and of processes without the agent\n", "",
               (unsigned long long)totals->kernel_samples);
    struct cost cost = cost_of(totals);
    if (!cost.known) {
        printf("%-14snot known: %.2f s by the agent's measure, more than the program took\n",
               "own cost", (double)totals->agent_ns / 1e9);
        return;
    }
    printf("%-14sagent %.2f %%, tool %.2f %% of the CPU time; not included: start-up and end, %.1f "
           "ms\n",
           "own cost", cost.agent, cost.tool, cost.once_ms);
    printf("%-14sthe agent's: interrupts %.2f %%, walking %.2f %%, copying code %.2f %%\n", "",
           cost.interrupts, cost.walking, cost.copying);
}

static void print_plain(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    printf("%-14s%.3f s off CPU\n", "", (double)totals->off_ns / 1e9);
    printf("%-14s%llu samples, %.1f per CPU second\n", "recorded",
           (unsigned long long)totals->interrupts,
           per_second(totals->interrupts, totals->user_ns + totals->kernel_ns));
    struct cost cost = cost_of(totals);
    printf("%-14stool %.2f %% of the CPU time; not included: start-up, names and file, %.1f ms\n",
           "own cost", cost.tool, cost.once_ms);
    printf("%-14s%u nodes of stacks, %zu threads, %zu names\n", "keys", profile->stacks.nodes.n,
           threads_count(&profile->threads), profile->names.n);
    if (profile->samples.n)
        printf("%-14s%zu of hardware; gait pipeline shows them\n", "records", profile->samples.n);
}

/* The busiest, as they come in the file if equally busy. */
static int thread_order(const void *a, const void *b)
{
    const struct thread_times *x = *(const struct thread_times *const *)a,
                              *y = *(const struct thread_times *const *)b;
    uint64_t x_ns = x->user_ns + x->kernel_ns, y_ns = y->user_ns + y->kernel_ns;
    return x_ns != y_ns ? (x_ns < y_ns ? 1 : -1) : x < y ? -1 : x > y;
}

static void print_times(const struct thread_times *thread)
{
    printf(": user %.3f s, kernel %.3f s", (double)thread->user_ns / 1e9,
           (double)thread->kernel_ns / 1e9);
    if (thread->off_ns || thread->switches)
        printf(", off CPU %.3f s; %llu switches", (double)thread->off_ns / 1e9,
               (unsigned long long)thread->switches);
}

static void print_threads(const struct threads *threads)
{
    enum { SHOWN = 10 };
    struct {
        VEC(const struct thread_times *);
    } order = {0};
    for (size_t i = 0; i < threads->n; i++)
        *vec_push(&order) = &threads->at[i];
    if (order.n)
        qsort(order.at, order.n, sizeof *order.at, thread_order);
    for (size_t i = 0; i < order.n && i < SHOWN; i++) {
        printf("%-14s%u/%u ", i ? "" : "threads", order.at[i]->pid, order.at[i]->tid);
        print_quoted(order.at[i]->name);
        if (thread_times_known(order.at[i]))
            print_times(order.at[i]);
        putchar('\n');
    }
    if (order.n > SHOWN)
        printf("%-14s... and %zu more; --json has all\n", "", order.n - SHOWN);
    vec_release(&order);
}

static void print_totals(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    printf("%-14suser %.3f s, kernel %.3f s%s\n", "CPU time", (double)totals->user_ns / 1e9,
           (double)totals->kernel_ns / 1e9, time_divided_text(profile));
    if (totals->whole_user_ns + totals->whole_kernel_ns > totals->user_ns + totals->kernel_ns)
        printf("%-14sof user %.3f s, kernel %.3f s of the whole program\n", "",
               (double)totals->whole_user_ns / 1e9, (double)totals->whole_kernel_ns / 1e9);
    if (profile->mode == PROFILE_PLAIN) {
        print_plain(profile);
        return;
    }
    if (totals->off_ns)
        printf("%-14s%.3f s off CPU\n", "", (double)totals->off_ns / 1e9);
    if (profile->mode == PROFILE_EXACT)
        printf("%-14s%llu instructions counted\n", "recorded",
               (unsigned long long)totals->instructions);
    else
        print_sampled(totals);
    print_threads(&profile->threads);
    printf("%-14s%zu edges, %zu ranges\n", "keys", profile->edges.n, profile->ranges.n);
}

static void print_losses(const struct profile *profile)
{
    const char *label = "losses";
    for (int i = 0; i < LOSS_N; i++) {
        if (!profile->totals.losses[i])
            continue;
        printf("%-14s%llu x %s: %s\n", label, (unsigned long long)profile->totals.losses[i],
               loss_name((enum loss)i), loss_text((enum loss)i));
        label = "";
    }
    for (size_t i = 0; i < profile->other_losses.n; i++) {
        printf("%-14s%llu x ", label, (unsigned long long)profile->other_losses.at[i].n);
        print_quoted(profile->other_losses.at[i].name);
        puts(": known to a newer gait");
        label = "";
    }
    if (*label)
        line("losses", "none");
}

static void print_text(const struct profile *profile)
{
    printf("%-14s%s%s\n", "mode", profile_mode_name(profile->mode),
           profile->complete  ? ""
           : profile->damaged ? ", damaged"
                              : ", not closed: still running or killed");
    if (profile->totals.recordings)
        printf("%-14s%llu recording%s\n", "merged", (unsigned long long)profile->totals.recordings,
               profile->totals.recordings == 1 ? "" : "s");
    if (profile->command)
        line("command", profile->command);
    print_start(profile->start_unix_ns);
    for (size_t i = 0; i < profile->facts.n; i++)
        if (!fact_tells_value(&profile->facts.at[i]))
            line(profile->facts.at[i].key, profile->facts.at[i].value);
    print_modules(&profile->modules);
    print_totals(profile);
    print_losses(profile);
}

int cmd_info(int argc, char **argv)
{
    struct options options;
    struct err err;
    struct profile profile;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    int status = profile_load_any(options.input, options.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    if (options.json) {
        info_json(stdout, &profile);
    } else {
        output_wrap();
        print_text(&profile);
    }
    profile_release(&profile);
    return output_status();
}
