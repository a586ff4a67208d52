#include "collect/kernel/follow.h"

#include "base/memory.h"
#include "collect/perf/perf_events.h"
#include "collect/perf/perf_record.h"
#include "collect/perf/perf_request.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <unistd.h>

/* Names of code are the first event's business. */
static void others_init(struct follow *follow, const struct perf_request *request)
{
    struct samples *named = &follow->samples;
    follow->n_others = request->n_others;
    if (!follow->n_others)
        return;
    follow->others = mem_alloc(follow->n_others * sizeof *follow->others);
    named->kernel_module = profile_module(follow->profile, "[kernel]", NULL, 0);
    for (uint32_t i = 0; i < follow->n_others; i++) {
        const struct perf_other *asked = &request->others[i];
        struct samples *other = &follow->others[i];
        samples_init(other, follow->profile, &follow->processes, &follow->tasks);
        other->nodes = &follow->profile->events;
        other->named = named;
        other->event = asked->event.text;
        other->clock = asked->clock;
        other->chains = asked->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
    }
}

void follow_init(struct follow *follow, const struct perf_request *request, struct profile *profile)
{
    *follow = (struct follow){.profile = profile, .totals = &profile->totals};
    processes_init(&follow->processes, profile);
    tasks_init(&follow->tasks, profile);
    follow->tasks.own_pid = (uint32_t)getpid();
    follow->tasks.one_by_one = request->sampler.inherit;
    follow->tasks.switches = request->tracker.context_switch;
    follow->tasks.lives.measured = request->clock && request->tracker.context_switch;
    follow->tasks.lives.only[0] = !request->kernel;
    follow->tasks.lives.only[1] = request->sampler.exclude_user;
    follow->tasks.lives.short_ns = 2 * request->mean_period_ns;
    samples_init(&follow->samples, profile, &follow->processes, &follow->tasks);
    follow->samples.chains = request->kernel;
    follow->samples.clock = request->clock;
    others_init(follow, request);
    waits_init(&follow->waits, &follow->samples);
}

void follow_beside(struct follow *follow, struct totals *totals)
{
    follow->totals = follow->samples.totals = follow->tasks.lives.totals = totals;
    follow->samples.beside = follow->tasks.lives.beside = true;
    follow->processes.files.partial = true;
}

void follow_release(struct follow *follow)
{
    vec_release(&follow->claims);
    waits_release(&follow->waits);
    for (uint32_t i = 0; i < follow->n_others; i++)
        samples_release(&follow->others[i]);
    mem_free(follow->others);
    samples_release(&follow->samples);
    tasks_release(&follow->tasks);
    processes_release(&follow->processes);
}

static void lose(struct follow *follow, enum loss loss, uint64_t n)
{
    sum_add(&follow->totals->losses[loss], n);
}

/* ---- agents */

void follow_claim(struct follow *follow, struct follow_claim claim)
{
    *vec_push(&follow->claims) = claim;
}

/* Claims are few, and known before their time has come. */
static void claims_apply(struct follow *follow, uint64_t now_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < follow->claims.n; i++) {
        struct follow_claim claim = follow->claims.at[i];
        if (claim.since_ns > now_ns) {
            follow->claims.at[kept++] = claim;
            continue;
        }
        processes_get(&follow->processes, claim.pid)->walked = true;
        if (claim.tid)
            task_walked(&follow->tasks,
                        tasks_get(&follow->tasks, claim.pid, claim.tid, claim.since_ns), true);
    }
    follow->claims.n = kept;
}

/* ---- records */

static bool take_sample(struct follow *follow, const struct perf_event_header *record,
                        struct samples *samples)
{
    struct perf_sample sample;
    if (!perf_record_sample(record, samples->chains, true, &sample))
        return false;
    sample.ids.tid = tasks_tid(&follow->tasks, &sample.ids);
    if (tasks_own(&follow->tasks, sample.ids.pid, sample.ids.tid))
        return true;
    if (samples->event)
        samples_add_other(samples, &sample);
    else
        samples_add(samples, &sample);
    return true;
}

static bool take_switch(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_ids ids;
    if (!perf_record_ids(record, &ids))
        return false;
    bool out = record->misc & PERF_RECORD_MISC_SWITCH_OUT, gone = ids.tid == (uint32_t)TID_GONE;
    ids.tid = tasks_tid(&follow->tasks, &ids);
    tasks_switch(&follow->tasks, &ids, out);
    bool preempted = out && record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    if (!gone) /* it waits for nothing */
        waits_switch(&follow->waits, &ids, out, preempted);
    follow->switches += out;
    follow->preempted += preempted;
    return true;
}

static bool take_name(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_name name;
    if (!perf_record_name(record, &name))
        return false;
    if (name.exec)
        processes_exec(&follow->processes, name.pid);
    if (name.exec && name.pid == follow->awaited) {
        follow->awaited = 0;
        follow->tasks.began_ns = name.ids.time_ns;
    }
    tasks_name(&follow->tasks, &name);
    if (name.exec)
        task_walked(&follow->tasks, tasks_get(&follow->tasks, name.pid, name.tid, name.ids.time_ns),
                    false);
    return true;
}

static bool take_task(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_task task;
    if (!perf_record_task(record, &task))
        return false;
    if (record->type == PERF_RECORD_FORK) {
        follow->forks++;
        processes_fork(&follow->processes, &task);
        tasks_fork(&follow->tasks, &task);
    } else {
        processes_exit(&follow->processes, &task);
        tasks_exit(&follow->tasks, &task);
        waits_exit(&follow->waits, task.tid);
    }
    return true;
}

static bool take_mapping(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_mapping mapping;
    if (!perf_record_mapping(record, &mapping))
        return false;
    processes_map(&follow->processes, &mapping);
    return true;
}

static bool take(struct follow *follow, const struct perf_event_header *record)
{
    switch (record->type) {
    case PERF_RECORD_SAMPLE: return take_sample(follow, record, &follow->samples);
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE: return take_switch(follow, record);
    case PERF_RECORD_MMAP2: return take_mapping(follow, record);
    case PERF_RECORD_COMM: return take_name(follow, record);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: return take_task(follow, record);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        lose(follow, LOSS_sample_lost, perf_record_lost(record));
        follow->tasks.lossy = true;
        return true;
    case PERF_RECORD_THROTTLE: lose(follow, LOSS_throttled, 1); return true;
    default: return true;
    }
}

/* What its ring had no room for is no loss: other waits stand for it. */
static bool take_wait(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_sample sample;
    follow->waits.missed += perf_record_lost(record);
    if (record->type != PERF_RECORD_SAMPLE)
        return true;
    if (!perf_record_sample(record, true, true, &sample))
        return false;
    waits_stack(&follow->waits, &sample);
    return true;
}

void follow_take(struct follow *follow, const struct perf_event_header *record, bool waits)
{
    if (follow->claims.n)
        claims_apply(follow, perf_record_time(record));
    if (!(waits ? take_wait : take)(follow, record))
        lose(follow, LOSS_garbled, 1);
}

void follow_take_other(struct follow *follow, const struct perf_event_header *record,
                       uint32_t which)
{
    if (!take_sample(follow, record, &follow->others[which]))
        lose(follow, LOSS_garbled, 1);
}

void follow_read(struct follow *follow, struct perf_events *events, uint64_t limit_ns)
{
    const struct perf_event_header *record;
    perf_events_refresh(events, limit_ns);
    while ((record = perf_events_next(events))) {
        uint32_t which = perf_events_which(events);
        if (which != PERF_FIRST)
            follow_take_other(follow, record, which);
        else
            follow_take(follow, record, perf_events_from_waiter(events));
    }
    perf_events_publish(events);
}

void follow_stretch(struct follow *follow, uint64_t pauses)
{
    follow->samples.stretch = follow->samples.clock ? pauses : 0;
    for (uint32_t i = 0; i < follow->n_others; i++)
        follow->others[i].stretch = follow->others[i].clock ? pauses : 0;
}

void follow_tell(struct follow *follow, uint64_t now_ns, bool last)
{
    tasks_tell(&follow->tasks, now_ns, last);
    waits_tell(&follow->waits, now_ns, last);
}

void follow_forget(struct follow *follow)
{
    samples_forget(&follow->samples);
    for (uint32_t i = 0; i < follow->n_others; i++)
        samples_forget(&follow->others[i]);
    waits_forget(&follow->waits);
}
