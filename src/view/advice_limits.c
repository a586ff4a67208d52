#include "view/advice.h"
#include "view/advice_say.h"

#include "analysis/report/cost.h"
#include "view/head.h"
#include "view/missing_text.h"

#include <string.h>

/* All of the machine was recorded: what waits is not what anybody looks at. */
static bool is_machine(const struct profile *profile)
{
    return profile->command && strncmp(profile->command, "gait record ", 12) == 0;
}

/* Which node of waits is of the thread; of any: NULL. Callers come before what they call. */
static bool *nodes_of(const struct stacks *waits, const struct thread_times *thread)
{
    bool *of = mem_alloc(waits->nodes.n + 1);
    for (uint32_t i = 0; i < waits->nodes.n; i++) {
        struct stack_key key = stacks_key(waits, i);
        of[i] = key.parent != STACK_NONE
                    ? of[key.parent]
                    : !thread || key.address == stack_thread(thread->pid, thread->tid);
    }
    return of;
}

/* Of the time off the CPU, the part in which a thread, or NULL: all, waited for something, and not
 * for a CPU that others had. */
static double blocked_part(const struct profile *profile, const struct thread_times *thread)
{
    const struct stacks *waits = &profile->waits;
    double of[WAIT_KINDS] = {0};
    bool *meant = nodes_of(waits, thread);
    for (uint32_t i = 0; i < waits->cells.n; i++) {
        const struct stack_cell *cell = map_key(&waits->cells, i);
        uint32_t group = cell->group;
        if (meant[cell->node] &&
            (group == WAIT_BLOCKED + WAIT_NS || group == WAIT_RUNNABLE + WAIT_NS))
            of[group / WAIT_KIND_GROUPS] += (double)waits->weights.at[i];
    }
    mem_free(meant);
    return of[0] + of[1] > 0 ? of[0] / (of[0] + of[1]) : 1;
}

/* For most of the run some thread had a CPU, or would have had one if there were more. Where work
 * goes from thread to thread, as in Go, each of them waits most of the time all the same. */
static bool is_busy(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    const struct time_part samples = times_span(&profile->times);
    const struct time_part waits = times_span(&profile->wait_times);
    const double first = (double)(samples.end_ns - samples.begin_ns);
    const double second = (double)(waits.end_ns - waits.begin_ns);
    double wanted = (double)totals->off_ns * (1 - blocked_part(profile, NULL));
    double busy = (double)(totals->user_ns + totals->kernel_ns) + wanted;
    return busy > (first > second ? first : second) / 2;
}

/* Whether the thread that worked most waited for far longer than it worked. Others may be there for
 * work that does not come. */
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
    return off * blocked_part(profile, busiest) > 3 * on && !is_busy(profile);
}

static bool has_kernel(const struct profile *profile)
{
    return profile->mode == PROFILE_PLAIN || profile->totals.kernel_samples;
}

/* Kernel time as a share of all; 0: too little ran to say anything. */
static double kernel_share(const struct profile *profile)
{
    double user = (double)profile->totals.user_ns, kernel = (double)profile->totals.kernel_ns;
    const double started = 1e8; /* starting up is all that it did */
    return user + kernel < started ? 0 : kernel / (user + kernel);
}

static bool mostly_kernel(const struct report *report)
{
    return kernel_share(report->scene->sides[0]) > 0.5;
}

static bool is_asked(const struct report *report)
{
    return report->scene->only_module || report->scene->only_function ||
           (report->has_plain && (report->plain.filter.pid || report->plain.filter.tid));
}

void advise_verdict(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    const double on = (double)(totals->user_ns + totals->kernel_ns) / 1e9;
    if (is_asked(report) || profile_fact_find(profile, "event"))
        return;
    const double off = (double)totals->off_ns / 1e9, blocked = off * blocked_part(profile, NULL);
    const double little = 0.1; /* seconds: where programs start, nobody has a CPU at once */
    if (waits(profile) && !is_machine(profile) && on > 0)
        advise_line(adviser,
                    "This program mostly waits: its threads worked for %.2f s and waited for "
                    "%.2f s%s",
                    on, blocked,
                    profile->waits.cells.n ? "|gait waits" : "|gait record -e context-switches");
    if (off - blocked > on / 2 && off - blocked > little && on > 0 && !is_machine(profile))
        advise_line(adviser,
                    "There were too few CPUs: threads were ready to run but without one for "
                    "%.2f of %.2f s off the CPU|gait waits --reason runnable",
                    off - blocked, off);
    if (mostly_kernel(report))
        advise_line(adviser, "This program mostly runs in the kernel: %.0f %% of its CPU time%s",
                    100 * kernel_share(profile),
                    has_kernel(profile) ? "|gait contexts --kernel --bottom-up" : "");
}

void verdict_text(FILE *to, const struct report *report, const struct ink *ink)
{
    advise_verdict(&(struct adviser){.to = to, .report = report, .ink = ink});
}

void advise_kernel(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    const struct profile *profile = report->scene->sides[0];
    double share = kernel_share(profile);
    bool in_kernel = report->has_plain && report->plain.filter.kernel;
    if (report->both && report->has_plain && report->weight == WEIGHT_COUNT &&
        !report->plain.kept.sum && report->kernel_sampled)
        advise(adviser, "all %s were seen in the kernel; who caused them|gait contexts --kernel",
               profile_fact_find(profile, "event"));
    if (!(share > 0.2) || mostly_kernel(report) || in_kernel || is_asked(report))
        return;
    advise(adviser, "%.0f %% of the CPU time is kernel time (%.2f s)%s%s", 100 * share,
           (double)profile->totals.kernel_ns / 1e9,
           report->both ? "" : ", which the rows do not include",
           has_kernel(profile) ? "|gait contexts --kernel --bottom-up" : "");
}

/* Why most or all of it was not walked, or counted; NULL: it was. */
static const char *unseen_why(const struct profile *profile)
{
    const uint64_t *losses = profile->totals.losses;
    if (profile->mode == PROFILE_PLAIN)
        return NULL;
    if (losses[LOSS_no_agent])
        return "a program that did not load the agent";
    if (loss_matters(&profile->totals, LOSS_thread_native))
        return "threads that could not be recorded";
    if (loss_matters(&profile->totals, LOSS_child_native))
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

void advise_unseen(struct adviser *adviser)
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

/* What kept most interrupts from a complete walk; NULL: nothing that was counted. */
static const char *unwalked_why(const struct profile *profile)
{
    static const struct {
        const char *why;
        enum loss of[4]; /* LOSS_dropped, said elsewhere: no further one */
    } reasons[] = {
        {"system calls", {LOSS_at_syscall}},
        {"generated or changed code", {LOSS_at_anonymous, LOSS_at_writable, LOSS_at_undecoded}},
        {"processes that others started and that lived for less than 1 s: they are not walked",
         {LOSS_young}},
        {"interrupts in the kernel", {LOSS_kernel}},
        {"modules being loaded", {LOSS_in_loader, LOSS_in_agent}},
        {"threads that waited for each other's code cache",
         {LOSS_busy, LOSS_counting, LOSS_cache_full}},
        {"faults and traps of the program", {LOSS_at_fault, LOSS_at_trap}},
        {"windows that were cut short", {LOSS_cut, LOSS_unwalked}},
    };
    const char *why = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        uint64_t n = 0;
        for (size_t k = 0; k < 4 && reasons[i].of[k] != LOSS_dropped; k++)
            n += profile->totals.losses[reasons[i].of[k]];
        if (n > most) {
            most = n;
            why = reasons[i].why;
        }
    }
    return why;
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
    bool weighed = totals->recorded || profile->part.end_ns;
    double walked = weighed ? walked_share(totals) : (double)totals->windows / seen;
    const char *why = unwalked_why(profile);
    if (profile->mode == PROFILE_SAMPLED && seen > 0 && walked < 0.8)
        advise(adviser,
               "%.0f %% of the interrupts led to no complete walk%s%s; counts are of the others; "
               "gait record --plain includes everything|gait info",
               100 - 100 * walked, why ? ", mostly because of " : "", why ? why : "");
    if (profile->mode == PROFILE_EXACT && !profile_whole(profile) && !unseen_why(profile))
        advise(adviser, "part of the run was not counted|gait info");
    double unnamed = missing_share(adviser->report);
    if (unnamed > 0.1)
        advise(adviser,
               "%.0f %% is in code without names or lines; the report lists where to get them",
               100 * unnamed);
}

/* Nothing ran that a sample could see, because threads waited. */
static bool advise_idle(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    if (totals->interrupts || profile->mode == PROFILE_EXACT || !profile->waits.cells.n ||
        !waits(profile))
        return false;
    advise(adviser,
           "there is no sample: threads worked for %.4f s and waited for %.2f s|gait waits",
           (double)(totals->user_ns + totals->kernel_ns) / 1e9,
           (double)totals->off_ns / 1e9 * blocked_part(profile, NULL));
    return true;
}

static void advise_unwalked(struct adviser *adviser, const struct profile *profile)
{
    if (profile->totals.losses[LOSS_thread_native]) /* the kernel's samples have its time */
        advise(adviser, "nothing was walked: a thread blocks the sampling signal, or there are too "
                        "many; times are of the kernel's samples, counts of a program that gait "
                        "record starts itself");
    else
        advise(adviser, "nothing was walked: record for longer, or more often with -F%s",
               options_of(profile->command ? profile->command : "")
                   ? ""
                   : "; gait record --exact=counts needs no samples");
}

static void advise_few(struct adviser *adviser)
{
    const struct profile *profile = adviser->report->scene->sides[0];
    const struct totals *totals = &profile->totals;
    double samples = (double)totals->interrupts;
    if (advise_idle(adviser))
        return;
    if (profile->mode == PROFILE_PLAIN && totals->interrupts && totals->interrupts < 300)
        advise(adviser,
               "%s: a share of 10 %% is uncertain by ±%.0f %%; record for longer, or more often "
               "with -F",
               number_text(totals->interrupts, "sample is too few", "samples are few"),
               100 * (binomial_share(0.1 * samples, samples).hi - 0.1));
    if (profile->mode == PROFILE_PLAIN && !totals->interrupts)
        advise(adviser, "there is no sample: record for longer, or more often with -F");
    if (profile->mode == PROFILE_SAMPLED && totals->batches &&
        totals->batches < ADVICE_BATCHES_LEAST)
        advise(
            adviser, "%s, so intervals are wide; record for longer",
            number_text(totals->batches, "batch of walks is too few", "batches of walks are few"));
    if (profile->mode == PROFILE_SAMPLED && !totals->batches && !unseen_why(profile))
        advise_unwalked(adviser, profile);
}

void advise_limits(struct adviser *adviser)
{
    advise_losses(adviser);
    advise_few(adviser);
}

void limits_text(FILE *to, const struct report *report, const struct ink *ink)
{
    advise_limits(&(struct adviser){
        .to = to, .report = report, .ink = ink, .title = "how far this can be trusted"});
}
