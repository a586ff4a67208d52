#include "view/advice_say.h"

#include "analysis/report/cost.h"
#include "view/missing_text.h"

#include <string.h>

/* All of the machine was recorded: what waits is not what anybody looks at. */
static bool is_machine(const struct profile *profile)
{
    return profile->command && strncmp(profile->command, "gait record ", 12) == 0;
}

/* Whether the thread that worked most waited for far longer than it worked. */
static bool waits(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    const struct thread_times *busiest = NULL;
    for (size_t i = 0; i < profile->threads.n; i++) {
        const struct thread_times *thread = &profile->threads.at[i];
        if (!busiest || thread->user_ns + thread->kernel_ns > busiest->user_ns + busiest->kernel_ns)
            busiest = thread;
    }
    double on = (double)(busiest ? busiest->user_ns + busiest->kernel_ns
                                 : totals->user_ns + totals->kernel_ns);
    double off = (double)(busiest ? busiest->off_ns : totals->off_ns);
    return off > 3 * on;
}

static void advise_beside(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    double user = (double)totals->user_ns / 1e9, kernel = (double)totals->kernel_ns / 1e9;
    bool in_kernel = report->has_plain && report->plain.filter.kernel;
    if (user + kernel < 0.1 || report->scene->only_module)
        return; /* starting up is all that it did, or it was not asked for */
    if (kernel > 0.2 * (user + kernel) && !in_kernel)
        advise(adviser,
               "%.0f %% of the CPU time is kernel time (%.2f s), which the rows above do not "
               "include%s",
               100 * kernel / (user + kernel), kernel,
               profile->mode == PROFILE_PLAIN || totals->kernel_samples
                   ? "|gait report --module '[kernel]'"
                   : "");
    if (waits(profile) && !is_machine(profile) && !profile_fact_find(profile, "event"))
        advise(adviser,
               "threads were off the CPU for %.2f s and on it for %.2f s: the program waits for "
               "something or for a CPU; gait record -e context-switches shows where",
               (double)totals->off_ns / 1e9, user + kernel);
}

/* Why most or all of it was not walked, or counted; NULL: it was. */
static const char *unseen_why(const struct profile *profile)
{
    const uint64_t *losses = profile->totals.losses;
    if (profile->mode == PROFILE_PLAIN)
        return NULL;
    if (losses[LOSS_no_agent])
        return "a program that did not load the agent";
    if (losses[LOSS_thread_native])
        return "threads that could not be recorded";
    if (losses[LOSS_child_native])
        return "forked children that were not recorded";
    return NULL;
}

/* Of a recording of what ran already: the options; else NULL. */
static const char *options_of(const char *command)
{
    static const char attached[] = "gait record ";
    return strncmp(command, attached, sizeof attached - 1) == 0 ? command + sizeof attached - 1
                                                                : NULL;
}

/* What was not seen at all, and how it could be. */
static void advise_unseen(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const char *why = unseen_why(profile), *command = profile->command ? profile->command : "";
    bool one = *command && !strchr(command, '\n') && strlen(command) < 200;
    const char *options = options_of(command);
    bool program = profile->totals.losses[LOSS_no_agent];
    if (why)
        advise(adviser, "%s %s: gait record --plain%s%s", why,
               program && profile->totals.bare_ns
                   ? "has few samples and no counts; a plain recording has more samples"
               : program ? "is in no row; plain samples include everything"
                         : "are in no row; plain samples include everything",
               !one      ? ""
               : options ? " "
                         : " -- ",
               !one      ? ""
               : options ? options
                         : command);
}

static void advise_losses(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    double lost = (double)totals->losses[LOSS_dropped];
    double seen = (double)(totals->interrupts - totals->losses[LOSS_outside]);
    if (profile->mode != PROFILE_EXACT && lost > 0.05 * (lost + seen))
        advise(adviser,
               "%.0f %% of the samples were lost because a buffer was full: record at a lower "
               "rate|gait info",
               100 * lost / (lost + seen));
    /* Not every sample is to be walked: that few have a window is no loss. */
    double walked = totals->recorded ? walked_share(totals) : (double)totals->windows / seen;
    if (profile->mode == PROFILE_SAMPLED && seen > 0 && walked < 0.8)
        advise(adviser,
               "%.0f %% of the interrupts led to no complete walk, mostly because of generated "
               "code or system calls; counts are of the others; gait record --plain includes "
               "everything|gait info",
               100 - 100 * walked);
    if (profile->mode == PROFILE_EXACT && !profile_whole(profile) && !unseen_why(profile))
        advise(adviser, "part of the run was not counted|gait info");
    double unnamed = missing_share(adviser->report);
    if (unnamed > 0.1)
        advise(adviser,
               "%.0f %% is in code without names or lines: the list above says where to get them",
               100 * unnamed);
}

static void advise_few(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    double samples = (double)totals->interrupts;
    if (profile->mode == PROFILE_PLAIN && totals->interrupts && totals->interrupts < 300)
        advise(adviser,
               "%s: a share of 10 %% is uncertain by ±%.0f %%; record for longer, or more often "
               "with -F",
               number_text(totals->interrupts, "sample is too few", "samples are few"),
               100 * (binomial_share(0.1 * samples, samples).hi - 0.1));
    if (profile->mode == PROFILE_PLAIN && !totals->interrupts)
        advise(adviser, "there is no sample: record for longer, or more often with -F");
    if (profile->mode == PROFILE_SAMPLED && totals->batches && totals->batches < 8)
        advise(
            adviser, "%s, so intervals are wide; record for longer",
            number_text(totals->batches, "batch of walks is too few", "batches of walks are few"));
    if (profile->mode == PROFILE_SAMPLED && !totals->batches && !unseen_why(profile))
        advise(adviser, "nothing was walked: record for longer, or more often with -F%s",
               options_of(profile->command ? profile->command : "")
                   ? ""
                   : "; gait record --exact=counts needs no samples");
}

void advise_limits(struct adviser *adviser)
{
    advise_beside(adviser);
    advise_unseen(adviser);
    advise_losses(adviser);
    advise_few(adviser);
}
