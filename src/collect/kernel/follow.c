#include "collect/kernel/follow.h"

#include "collect/perf/perf_record.h"
#include "collect/perf/perf_request.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <unistd.h>

void follow_init(struct follow *follow, const struct perf_request *request, struct profile *profile)
{
    *follow = (struct follow){
        .profile = profile, .chains = request->kernel, .own_pid = (uint32_t)getpid()};
    processes_init(&follow->processes, profile);
    tasks_init(&follow->tasks, profile);
    follow->tasks.own_pid = follow->own_pid;
    follow->tasks.one_by_one = request->sampler.inherit;
    follow->tasks.switches = request->tracker.context_switch;
    follow->tasks.lives.measured = request->clock && request->tracker.context_switch;
    follow->tasks.lives.only[0] = !request->kernel;
    follow->tasks.lives.only[1] = request->sampler.exclude_user;
    follow->tasks.lives.short_ns = 2 * request->mean_period_ns;
    samples_init(&follow->samples, profile, &follow->processes, &follow->tasks);
}

void follow_release(struct follow *follow)
{
    samples_release(&follow->samples);
    tasks_release(&follow->tasks);
    processes_release(&follow->processes);
}

static void lose(struct follow *follow, enum loss loss, uint64_t n)
{
    sum_add(&follow->profile->totals.losses[loss], n);
}

static bool take_sample(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_sample sample;
    if (!perf_record_sample(record, follow->chains, true, &sample))
        return false;
    if (sample.ids.pid != follow->own_pid)
        samples_add(&follow->samples, &sample);
    return true;
}

static bool take_switch(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_ids ids;
    if (!perf_record_ids(record, &ids))
        return false;
    tasks_switch(&follow->tasks, &ids, record->misc & PERF_RECORD_MISC_SWITCH_OUT);
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
    return true;
}

static bool take_task(struct follow *follow, const struct perf_event_header *record)
{
    struct perf_task task;
    if (!perf_record_task(record, &task))
        return false;
    if (record->type == PERF_RECORD_FORK) {
        processes_fork(&follow->processes, &task);
        tasks_fork(&follow->tasks, &task);
    } else {
        processes_exit(&follow->processes, &task);
        tasks_exit(&follow->tasks, &task);
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
    case PERF_RECORD_SAMPLE: return take_sample(follow, record);
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE: return take_switch(follow, record);
    case PERF_RECORD_MMAP2: return take_mapping(follow, record);
    case PERF_RECORD_COMM: return take_name(follow, record);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: return take_task(follow, record);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        lose(follow, LOSS_sample_lost, perf_record_lost(record));
        return true;
    case PERF_RECORD_THROTTLE: lose(follow, LOSS_throttled, 1); return true;
    default: return true;
    }
}

void follow_take(struct follow *follow, const struct perf_event_header *record)
{
    if (!take(follow, record))
        lose(follow, LOSS_garbled, 1);
}
