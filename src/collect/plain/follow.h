/* What the kernel's records say, record by record in the order of their time: who there is, what is
 * mapped, what was seen. All of it ends up in the profile. */
#pragma once

#include "collect/plain/processes.h"
#include "collect/plain/samples.h"
#include "collect/plain/tasks.h"

#include <stdbool.h>

struct perf_event_header;
struct perf_request;
struct profile;

struct follow {
    struct profile *profile;
    struct processes processes;
    struct tasks tasks;
    struct samples samples;
    bool chains; /* samples carry the kernel's */
    uint32_t
        awaited; /* time is accounted from the moment when this process becomes a program, or 0 */
    uint32_t own_pid; /* whose samples are left out */
};

/* The profile must outlive it. Time is accounted from tasks.began_ns on. */
void follow_init(struct follow *follow, const struct perf_request *request,
                 struct profile *profile);
void follow_release(struct follow *follow);

void follow_take(struct follow *follow, const struct perf_event_header *record);
