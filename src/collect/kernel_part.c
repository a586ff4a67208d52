#include "collect/kernel_part.h"

#include "base/clock.h"
#include "base/err.h"
#include "collect/kernel/attach.h"
#include "collect/kernel/wait_source.h"
#include "collect/perf/perf_cost.h"
#include "collect/target/cpu_times.h"
#include "process/recording_options.h"
#include "profile/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    RATE_HZ = 49,      /* at 1 %: no divisor of what programs do regularly */
    RATE_HZ_MAX = 499, /* more would not make kernel time much sharper */
    RATE_PART = 5,     /* of the budget: for samples */
    COST_PART = 2,     /* for all of it but waits; more: it ends */
    WAITS_PART = 5,    /* for stacks of waits, which become fewer then */
    /* A context switch with two events and its two records, on an Emerald Rapids. */
    SWITCH_NS = 800,
    FORK_NS = 2500,       /* for each event that a new thread inherits */
    SURE_NS = 20000000,   /* elapsed time from which on they may be compared with all CPUs' time */
    SETTLED_NS = 2000000, /* another CPU may still be writing a record of this age */
    FIRST_NS = 50000000,  /* CPU time from which on costs are compared with the budget */
    CLAIMS_MAX = 1 << 20, /* the program can write anything over its list of threads */
};
/* Reading all names of the kernel takes some 50 ms, half of the budget of a run of ten seconds: not
 * before the program has used so much CPU time. */
static const uint64_t NAMES_CPU_NS = 20000000000;
/* Perf maps are looked at after this, and then at twice the age. */
static const uint64_t MAPS_NS = 60000000000;

/* Key: no padding, compared by bytes. */
struct claim_key {
    int32_t pid, tid;
    uint64_t start_tsc;
};

static uint64_t tsc_now(void)
{
    return __builtin_ia32_rdtsc();
}

/* CPU time per second that may be used. */
static uint64_t budget_ns(const struct recording_options *options)
{
    return (uint64_t)options->record.overhead_ppm * 1000;
}

/* ---- before */

static uint64_t choose_hz(const struct kernel_part *part)
{
    const struct recording_options *options = part->options;
    if (options->record.fixed_hz)
        return RATE_HZ;
    uint64_t wanted = (uint64_t)RATE_HZ * options->record.overhead_ppm / 10000;
    uint64_t most = budget_ns(options) / RATE_PART / part->sample_ns;
    uint64_t hz = wanted < most ? wanted : most;
    return !hz ? 1 : hz < RATE_HZ_MAX ? hz : RATE_HZ_MAX;
}

static void refuse(struct kernel_part *part, const char *why)
{
    part->on = false;
    snprintf(part->refused, sizeof part->refused, "no samples of the kernel beside the agent's: %s",
             why);
}

/* Parts of a program, or of its time, would be taken for the whole. */
static bool wanted(const struct recording_options *options)
{
    return options->record.mode == RECORD_SAMPLED && !options->no_kernel && !options->only &&
           !options->record.delay_ns && options->record.events & EVENTS_STACK;
}

static void describe(const struct kernel_part *part, struct profile *profile)
{
    char rate[32];
    snprintf(rate, sizeof rate, "%" PRIu64, part->hz);
    if (part->on) {
        char boot[64];
        profile_fact(profile, "kernel_frequency", rate);
        profile_fact(profile, "boot_id", kernel_names_boot(boot, sizeof boot));
    }
    if (*part->refused)
        profile_fact(profile, "refused", part->refused);
}

void kernel_part_open(struct kernel_part *part, const struct recording_options *options,
                      struct profile *profile)
{
    struct err err;
    *part = (struct kernel_part){.options = options};
    if (!wanted(options))
        return;
    struct perf_wish wish = {.hz = RATE_HZ, .beside = true};
    looks_init(&part->looks, profile);
    part->began_ns = clock_ns(CLOCK_MONOTONIC);
    if (!perf_request_settle(&part->request, &wish, &err)) {
        refuse(part, err.text);
        describe(part, profile);
        looks_start(&part->looks, NULL, part->began_ns);
        return;
    }
    part->sample_ns = perf_cost_measure(&part->request);
    part->hz = choose_hz(part);
    part->request.mean_period_ns = part->request.sampler.sample_period = 1000000000u / part->hz;
    part->on = perf_events_init(&part->events, &part->request, options->record.seed, &err);
    if (!part->on)
        refuse(part, err.text);
    else
        snprintf(part->refused, sizeof part->refused, "%s", part->request.refused);
    describe(part, profile);
    part->used = part->on;
    if (!part->on || !part->request.waits)
        looks_start(&part->looks, NULL, part->began_ns);
    if (!part->on)
        return;
    follow_init(&part->follow, &part->request, profile);
    follow_beside(&part->follow, &part->totals);
    part->follow.waits.off = !part->request.waits;
    map_init(&part->claims, sizeof(struct claim_key));
    part->began_ns = clock_ns(CLOCK_MONOTONIC);
    part->began_tsc = tsc_now();
    part->maps_ns = part->began_ns + MAPS_NS;
    wait_pace_start(&part->pace, options->record.overhead_ppm / WAITS_PART, part->began_ns);
}

static void end(struct kernel_part *part, const char *why)
{
    refuse(part, why);
    perf_events_release(&part->events);
    profile_fact(part->follow.profile, "refused", part->refused);
}

void kernel_part_close(struct kernel_part *part)
{
    if (part->looks.profile)
        looks_release(&part->looks);
    if (part->used) {
        follow_release(&part->follow);
        map_release(&part->claims);
    }
    if (part->on)
        perf_events_release(&part->events);
    kernel_table_release(&part->functions);
    *part = (struct kernel_part){0};
}

bool kernel_part_ready(void *closure, pid_t pid, struct err *err)
{
    struct kernel_part *part = closure;
    if (!part->on)
        return true;
    if (perf_events_follow(&part->events, pid, true, err) != PERF_FOLLOWED) {
        end(part, err->text);
        return true;
    }
    part->events.sampling = true;
    part->follow.awaited = (uint32_t)pid;
    return true;
}

void kernel_part_attach(struct kernel_part *part, const int *pids, size_t n)
{
    struct err err = {0};
    uint64_t missed = 0, followed = 0;
    for (size_t i = 0; part->on && i < n; i++)
        followed +=
            attach_process(&part->events, &part->follow, pids[i], part->began_ns, &missed, &err);
    if (!part->on)
        return;
    sum_add(&part->totals.losses[LOSS_unfollowed], missed);
    if (!followed) {
        end(part, err.text);
        return;
    }
    attach_start(&part->events, &part->follow, clock_ns(CLOCK_MONOTONIC));
}

/* ---- while it runs */

/* Between two moments that both clocks know. */
static uint64_t tsc_to_ns(const struct kernel_part *part, uint64_t tsc)
{
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), now_tsc = tsc_now();
    if (tsc <= part->began_tsc || now_tsc <= part->began_tsc)
        return part->began_ns;
    if (tsc >= now_tsc)
        return now_ns;
    return part->began_ns + (uint64_t)((u128)(tsc - part->began_tsc) * (now_ns - part->began_ns) /
                                       (now_tsc - part->began_tsc));
}

void kernel_part_claim(struct kernel_part *part, int pid, int tid, uint64_t start_tsc)
{
    struct claim_key key = {pid, tid, start_tsc};
    if (part->looks.profile)
        looks_process(&part->looks, (uint32_t)pid);
    if (!part->on)
        return;
    if (part->claims.n == CLAIMS_MAX) {
        end(part, "the agent tells of more than a million threads");
        return;
    }
    uint32_t known = part->claims.n;
    if (map_add(&part->claims, &key) == known)
        follow_claim(&part->follow, (struct follow_claim){(uint32_t)pid, (uint32_t)tid,
                                                          tsc_to_ns(part, start_tsc)});
}

void kernel_part_told(struct kernel_part *part, uint32_t pid, const struct wire_thread *slot,
                      uint64_t ns)
{
    char name[sizeof slot->name + 1] = {0};
    memcpy(name, slot->name, sizeof slot->name);
    if (part->used && ns) /* after an end, too: what switches had told by then is held against it */
        lives_told(&part->follow.tasks.lives, pid, (uint32_t)slot->tid, name, ns);
}

bool kernel_part_filling(const struct kernel_part *part)
{
    return part->on && perf_events_filling(&part->events);
}

bool kernel_part_times(const struct kernel_part *part)
{
    return part->on && part->follow.tasks.lives.measured;
}

void kernel_part_own(struct kernel_part *part, int tid)
{
    uint32_t own = (uint32_t)tid;
    if (part->looks.profile)
        map_add(&part->looks.own, &own);
    if (part->on)
        map_add(&part->follow.tasks.own, &own);
}

/* What stacks of waits cost the tool is measured with the rest of its time. */
static uint64_t waits_cost_ns(const struct kernel_part *part)
{
    return wait_cost_ns(part->follow.waits.taken, part->follow.waits.missed) * 2 / 5;
}

static void cost_update(struct kernel_part *part)
{
    const struct follow *follow = &part->follow;
    uint64_t inherited = (2 + part->request.waits) * part->events.cpus.n;
    part->cost_ns = follow->samples.taken * part->sample_ns + follow->switches * SWITCH_NS +
                    follow->forks * inherited * FORK_NS + waits_cost_ns(part);
}

static void waits_update(struct kernel_part *part)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const struct waits *waits = &part->follow.waits;
    if (!part->request.waits || !part->events.sampling)
        return;
    wait_pace_update(&part->pace, now, wait_cost_ns(waits->taken, waits->missed),
                     part->user_ns + part->kernel_ns, now - part->began_ns);
    perf_events_wait(&part->events, part->pace.on);
}

uint64_t kernel_part_due(const struct kernel_part *part)
{
    if (part->looks.on)
        return part->looks.next_ns;
    return part->on && part->request.waits ? part->pace.due_ns : UINT64_MAX;
}

/* Of threads that wait often. Those that others push off their CPU do not count: on a machine with
 * more work than CPUs a quarter of a per cent is the least of it. */
static uint64_t dear_ns(const struct kernel_part *part)
{
    return part->cost_ns - part->follow.preempted * SWITCH_NS - waits_cost_ns(part) -
           part->thin.cost_ns;
}

/* Without switches the samples tell how long it ran. */
static bool costs_too_much(const struct kernel_part *part)
{
    uint64_t taken = part->follow.samples.taken - part->thin.samples;
    uint64_t cpu_ns =
        part->thin.on ? taken * part->request.mean_period_ns : part->user_ns + part->kernel_ns;
    u128 most = (u128)cpu_ns * budget_ns(part->options) / COST_PART;
    return !part->options->record.fixed_hz && cpu_ns >= FIRST_NS &&
           (u128)dear_ns(part) * 1000000000u > most;
}

/* The same before the program's time is known: even if it had all CPUs. */
static bool costs_far_too_much(const struct kernel_part *part, uint64_t now_ns)
{
    uint64_t elapsed = now_ns - (part->thin.on ? part->ended_ns : part->began_ns);
    u128 most = (u128)elapsed * part->events.cpus.n * budget_ns(part->options) / COST_PART;
    return !part->options->record.fixed_hz && elapsed >= SURE_NS &&
           (u128)dear_ns(part) * 1000000000u > most;
}

bool kernel_part_dear(const struct kernel_part *part)
{
    return part->on && costs_far_too_much(part, clock_ns(CLOCK_MONOTONIC));
}

static void end_dear(struct kernel_part *part)
{
    char why[160];
    const struct follow *follow = &part->follow;
    double cpu = (double)(part->user_ns + part->kernel_ns) / 1e9;
    snprintf(why, sizeof why,
             "after %.1f s, because %.0f context switches and %.0f new threads per CPU second cost "
             "too much",
             (double)(clock_ns(CLOCK_MONOTONIC) - part->began_ns) / 1e9,
             (double)(follow->switches - follow->preempted) / cpu, (double)follow->forks / cpu);
    end(part, why);
}

/* Whether it is switches that cost so much, and not new threads. */
static bool switches_are_dear(const struct kernel_part *part)
{
    const struct follow *follow = &part->follow;
    return !part->thin.on && part->request.tracker.context_switch &&
           (follow->switches - follow->preempted) * SWITCH_NS > dear_ns(part) / 2;
}

/* All threads are followed anew, without switches: samples alone have a part of the budget that
 * they keep to, and without them a server's kernel time would be known from its first second. From
 * here on they weigh what their clock says. */
static bool thin_out(struct kernel_part *part, const struct threads_running *running)
{
    struct err err;
    struct follow *follow = &part->follow;
    perf_events_release(&part->events);
    part->request.tracker.context_switch = 0;
    part->request.waits = false;
    cost_update(part); /* new threads cost less now */
    part->thin.on = true;
    part->thin.cost_ns = dear_ns(part);
    part->thin.samples = follow->samples.taken;
    follow->waits.off = true;
    follow->tasks.switches = follow->tasks.lives.measured = false;
    if (!perf_events_init(&part->events, &part->request, part->options->record.seed, &err))
        return false;
    if (!attach_again(&part->events, running))
        return false;
    perf_events_start(&part->events);
    return true;
}

void kernel_part_read(struct kernel_part *part, bool last)
{
    if (part->looks.on)
        looks_take(&part->looks, clock_ns(CLOCK_MONOTONIC));
    if (!part->on)
        return;
    if (last)
        perf_events_stop(&part->events);
    follow_read(&part->follow, &part->events,
                last ? UINT64_MAX : clock_ns(CLOCK_MONOTONIC) - SETTLED_NS);
    if (!last)
        waits_ask(&part->follow.waits, clock_ns(CLOCK_MONOTONIC));
    cost_update(part);
    waits_update(part);
}

/* ---- what it adds up to */

/* Views want to know which processes have fewer samples. Of thousands, some. */
static void agentless_give(struct kernel_part *part)
{
    const struct processes *processes = &part->follow.processes;
    struct profile *profile = part->follow.profile;
    for (size_t i = 0; i < processes->n && profile->facts.n < PROFILE_FACTS_NOTED; i++) {
        const struct process *process = processes->at[i];
        uint32_t task = map_find(&part->follow.tasks.tids, &process->pid);
        char text[48];
        if (process->walked || !process->bare)
            continue;
        snprintf(text, sizeof text, "%u %s", process->pid,
                 task == MAP_NONE ? "" : part->follow.tasks.at[task].name);
        profile_fact(profile, "agentless", text);
    }
}

/* The table is read while the program runs: at the end its user waits. In a short run nobody reads
 * it, unless all names were asked for; then they are added when the profile is shown. */
static void names_give(struct kernel_part *part, uint64_t now_ns, bool last)
{
    struct samples *samples = &part->follow.samples;
    bool long_enough = part->user_ns + part->kernel_ns >= NAMES_CPU_NS;
    bool asked = part->options->keep.all || part->options->keep.sources;
    if ((last ? asked : long_enough) && !part->functions_sought && !part->options->keep.none &&
        samples->kernel_names.addresses.n) {
        kernel_table_read(&part->functions, "/proc/kallsyms");
        part->functions_sought = true;
    }
    if (part->functions.n)
        kernel_names_tell_table(&samples->kernel_names, samples->profile, samples->kernel_module,
                                &part->functions);
    if (last) {
        agentless_give(part);
        jit_names_tell(&samples->jit_names, samples->profile);
    } else if (now_ns >= part->maps_ns) {
        jit_names_look(&samples->jit_names);
        part->maps_ns = now_ns + (now_ns - part->began_ns);
    }
}

/* Who said what is known of waits. */
static void waits_describe(struct kernel_part *part, uint64_t now_ns)
{
    char text[256] = "", all[480];
    double until = (double)((part->ended_ns ? part->ended_ns : now_ns) - part->began_ns) / 1e9;
    if (part->ended_ns)
        snprintf(text, sizeof text, "%s", part->waited);
    else if (part->used && !part->follow.waits.off)
        wait_source_text(text, sizeof text, &part->request, &part->pace, now_ns, part->began_ns);
    if (!part->looks.rounds)
        snprintf(all, sizeof all, "%s%s", text,
                 part->ended_ns ? "; the beginning alone, because there were too many" : "");
    else
        snprintf(all, sizeof all,
                 "%s%s%.0f looks at /proc%s, %.1f a second: times are exact, stacks a part; the "
                 "kernel's context switches %s",
                 text, *text ? "; then " : "", (double)part->looks.rounds,
                 part->looks.waiter ? " and at threads that wait often, for 1 ms each" : "",
                 (double)part->looks.rounds / ((double)(now_ns - part->looks.began_ns) / 1e9),
                 part->ended_ns ? "were too many" : "are not reported, or without stacks");
    if (part->ended_ns && *text && part->looks.rounds)
        snprintf(all + strlen(all), sizeof all - strlen(all), " after %.1f s", until);
    if (*all)
        profile_fact(part->looks.profile, "waits", all);
}

/* Time off CPUs as looks found it. */
static void looks_give(struct kernel_part *part, uint64_t now_ns, bool last)
{
    if (!part->looks.on)
        return;
    bool switches = part->on && !part->thin.on; /* have it */
    uint64_t off = looks_tell(&part->looks, last, !switches);
    if (!switches) {
        sum_add(&part->looks.profile->totals.off_ns, off);
        sum_add(&part->told.off_ns, off);
    }
    if (last)
        waits_describe(part, now_ns);
}

static void totals_add(struct totals *to, const struct totals *from)
{
    sum_add(&to->off_ns, from->off_ns);
    sum_add(&to->samples, from->samples);
    sum_add(&to->sampled_ns, from->sampled_ns);
    sum_add_wide(&to->sampled_xx, from->sampled_xx);
    sum_add(&to->kernel_samples, from->kernel_samples);
    sum_add(&to->bare_ns, from->bare_ns);
    sum_add_wide(&to->bare_xx, from->bare_xx);
    for (int i = 0; i < LOSS_N; i++)
        sum_add(&to->losses[i], from->losses[i]);
}

static void times_give(struct kernel_part *part, uint64_t now_ns, bool last)
{
    follow_tell(&part->follow, now_ns, last);
    sum_add(&part->user_ns, part->totals.user_ns);
    sum_add(&part->kernel_ns, part->totals.kernel_ns);
    totals_add(&part->follow.profile->totals, &part->totals);
    totals_add(&part->told, &part->totals);
    part->totals = (struct totals){0};
    if (last && !part->looks.on && !part->ended_ns)
        waits_describe(part, now_ns);
}

static void spend_less(struct kernel_part *part, uint64_t now_ns)
{
    struct threads_running running = {0};
    bool switches = switches_are_dear(part);
    if (switches)
        threads_list(&running, &part->follow);
    if (!part->ended_ns) {
        if (!part->follow.waits.off)
            wait_source_text(part->waited, sizeof part->waited, &part->request, &part->pace, now_ns,
                             part->began_ns);
        part->ended_ns = now_ns;
        looks_start(&part->looks, part->request.waits ? &part->request.waiter : NULL, now_ns);
    }
    times_give(part, now_ns, true);
    if (!switches || !thin_out(part, &running)) {
        names_give(part, now_ns, true);
        end_dear(part);
    }
    vec_release(&running);
}

static void rest_give(struct kernel_part *part, const struct cpu_times *times)
{
    lives_rest(&part->follow.tasks.lives, times->user_ns + times->kernel_ns,
               part->user_ns + part->kernel_ns);
}

void kernel_part_give(struct kernel_part *part, const struct cpu_times *times, bool last)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct lives *lives = &part->follow.tasks.lives;
    looks_give(part, now, last);
    if (!part->on) {
        if (last && part->ended_ns)
            rest_give(part, times);
        return;
    }
    names_give(part, now, last);
    if (last && !part->follow.samples.taken) { /* too short: nothing divides its time */
        lives->rest[0] = times->user_ns;
        lives->rest[1] = times->kernel_ns;
    }
    times_give(part, now, last);
    if (last)
        rest_give(part, times);
    if (!last && (costs_too_much(part) || costs_far_too_much(part, now)))
        spend_less(part, now);
}

void kernel_part_sum(const struct kernel_part *part, struct totals *totals)
{
    totals_add(totals, &part->told);
}

void kernel_part_forget(struct kernel_part *part)
{
    if (part->looks.profile)
        looks_forget(&part->looks);
    if (part->used)
        follow_forget(&part->follow);
}
