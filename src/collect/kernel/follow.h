/* The kernel's records in time order: processes, mappings and samples. All go into the profile. */
#pragma once

#include "collect/kernel/processes.h"
#include "collect/kernel/samples.h"
#include "collect/kernel/tasks.h"

#include <stdbool.h>

struct perf_event_header;
struct perf_request;
struct profile;

struct follow {
    struct profile *profile;
    struct processes processes;
    struct tasks tasks;
    struct samples samples;
    bool chains;      /* samples have the kernel's call chain */
    uint32_t awaited; /* time is accounted from the exec of this process; 0: from the beginning */
    uint32_t own_pid; /* of gait: its samples are left out */
};

/* The profile must outlive it. Time is accounted from tasks.began_ns. */
void follow_init(struct follow *follow, const struct perf_request *request,
                 struct profile *profile);
void follow_release(struct follow *follow);

void follow_take(struct follow *follow, const struct perf_event_header *record);
