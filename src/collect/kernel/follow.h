/* The kernel's records in time order: processes, mappings and samples. All go into the profile. */
#pragma once

#include "collect/kernel/processes.h"
#include "collect/kernel/samples.h"
#include "collect/kernel/tasks.h"
#include "collect/kernel/waits.h"

#include <stdbool.h>

struct perf_event_header;
struct perf_events;
struct perf_request;
struct profile;
struct totals;

/* A process has an agent from this time on, or a thread of it is sampled by the agent. */
struct follow_claim {
    uint32_t pid, tid; /* 0: the process */
    uint64_t since_ns; /* CLOCK_MONOTONIC */
};

struct follow {
    struct profile *profile;
    struct totals *totals; /* get losses; the profile's own unless follow_beside was called */
    struct processes processes;
    struct tasks tasks;
    struct samples samples;
    struct samples *others; /* of further events */
    uint32_t n_others;
    struct waits waits;
    uint32_t awaited;   /* time is accounted from the exec of this process; 0: from the beginning */
    uint64_t switches;  /* threads that left a CPU, so far */
    uint64_t preempted; /* of them: because others wanted it */
    uint64_t forks;     /* new threads, so far */
    struct follow_claims {
        VEC(struct follow_claim);
    } claims; /* whose time has not come */
};

/* The profile must outlive it. Time is accounted from tasks.began_ns. */
void follow_init(struct follow *follow, const struct perf_request *request,
                 struct profile *profile);
/* The profile is that of walks: agents sample user mode, and all else is taken from the kernel.
 * What is to be added to the profile's totals is added to these. */
void follow_beside(struct follow *follow, struct totals *totals);
void follow_release(struct follow *follow);

/* To be told before records of that time are taken. A new program of the process has none. */
void follow_claim(struct follow *follow, struct follow_claim claim);

/* Pauses lengthen what samples of clocks stand for (perf_events_pauses). */
void follow_stretch(struct follow *follow, uint64_t pauses);

/* `waits`: it comes from the waiter's ring. */
void follow_take(struct follow *follow, const struct perf_event_header *record, bool waits);

/* A sample of another event than the first, by its number in the request. */
void follow_take_other(struct follow *follow, const struct perf_event_header *record,
                       uint32_t which);

/* Takes all records that are older than the limit (CLOCK_MONOTONIC). */
void follow_read(struct follow *follow, struct perf_events *events, uint64_t limit_ns);

/* What was recorded up to `now_ns` is added to the profile, which is then stored and emptied. */
void follow_tell(struct follow *follow, uint64_t now_ns, bool last);
void follow_forget(struct follow *follow);
