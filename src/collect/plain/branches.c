#include "collect/plain/branches.h"

#include "base/clock.h"
#include "base/err.h"
#include "collect/perf/perf_events.h"
#include "collect/target/cpu_times.h"
#include "collect/target/launch.h"
#include "collect/target/vigil.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- the file */

enum { ATTRS = 104 }; /* offset: the header ends there */
static const size_t FILE_MOST = (size_t)1 << 30;

static void bytes_put(struct branches_file *file, const void *bytes, size_t n)
{
    vec_room(file, file->n + n);
    memcpy(file->at + file->n, bytes, n);
    file->n += n;
}

static size_t data_offset(void)
{
    return ATTRS + sizeof(struct perf_event_attr) + 2 * sizeof(uint64_t);
}

void branches_file_begin(struct branches_file *file, const struct perf_event_attr *attr)
{
    const uint64_t attr_bytes = sizeof *attr + 2 * sizeof(uint64_t);
    /* Its own size, that of an attribute; where attributes, data and types are; features. */
    const uint64_t head[] = {ATTRS, attr_bytes, ATTRS, attr_bytes, data_offset(), 0, 0, 0,
                             0,     0,          0,     0};
    const uint64_t no_ids[2] = {0};
    *file = (struct branches_file){0};
    bytes_put(file, "PERFILE2", 8);
    bytes_put(file, head, sizeof head);
    bytes_put(file, attr, sizeof *attr);
    bytes_put(file, no_ids, sizeof no_ids);
}

bool branches_file_add(struct branches_file *file, const struct perf_event_header *record)
{
    if (file->n + record->size > FILE_MOST)
        return false;
    bytes_put(file, record, record->size);
    return true;
}

void branches_file_end(struct branches_file *file)
{
    enum { DATA_BYTES = 48 }; /* offset of the length */
    uint64_t bytes = file->n - data_offset();
    memcpy(file->at + DATA_BYTES, &bytes, sizeof bytes);
}

/* ---- the recording */

/* Another CPU may still be writing a record of this age. */
static const uint64_t SETTLED_NS = 2000000;
static const uint64_t LOOK_NS = 200000000;

struct branch_run {
    struct branches_recording *recording;
    struct perf_request request;
    struct perf_events events;
    struct child child;
    struct vigil vigil;
};

static bool request_settle(struct perf_request *request, uint32_t hz, bool bare, struct err *err)
{
    struct perf_wish wish = {.hz = hz};
    return perf_request_branches(request, &wish, bare, err);
}

bool branches_granted(uint32_t hz, bool bare, struct err *err)
{
    struct perf_request request;
    return request_settle(&request, hz, bare, err);
}

static bool child_ready(void *closure, pid_t pid, struct err *err)
{
    struct branch_run *run = closure;
    return perf_events_follow(&run->events, pid, true, err) == PERF_FOLLOWED;
}

static bool begin(struct branch_run *run, const struct branches_options *options, struct err *err)
{
    struct launch launch = {.argv = options->argv, .ready = child_ready, .closure = run};
    if (!vigil_init(&run->vigil, &run->child, err) ||
        !launch_start(&launch, &run->child, &run->recording->exec_errno, err))
        return false;
    for (size_t i = 0; i < run->events.cpus.n; i++)
        if (run->events.cpus.at[i].fd >= 0)
            vigil_ring(&run->vigil, run->events.cpus.at[i].fd);
    return true;
}

static void drain(struct branch_run *run, uint64_t limit_ns)
{
    const struct perf_event_header *record;
    perf_events_refresh(&run->events, limit_ns);
    while ((record = perf_events_next(&run->events)))
        run->recording->dropped += !branches_file_add(&run->recording->file, record);
    perf_events_publish(&run->events);
}

static void record(struct branch_run *run)
{
    while (!run->vigil.ended) {
        vigil_wait(&run->vigil, clock_ns(CLOCK_MONOTONIC) + LOOK_NS);
        drain(run, clock_ns(CLOCK_MONOTONIC) - SETTLED_NS);
    }
    perf_events_stop(&run->events);
    drain(run, UINT64_MAX);
    branches_file_end(&run->recording->file);
}

bool branches_run(const struct branches_options *options, struct branches_recording *ret_recording,
                  struct err *err)
{
    struct branch_run run = {.recording = ret_recording};
    char program[PATH_MAX];
    uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
    *ret_recording = (struct branches_recording){0};
    bool begun = launch_find_program(options->argv[0], program, &ret_recording->exec_errno, err) &&
                 request_settle(&run.request, options->hz, options->bare, err) &&
                 perf_events_init(&run.events, &run.request, options->seed, err);
    if (begun) {
        branches_file_begin(&ret_recording->file, &run.request.sampler);
        begun = begin(&run, options, err);
    }
    if (begun) {
        record(&run);
        while (!run.child.ended)
            launch_wait(&run.child, LOOK_NS);
        ret_recording->status = run.child.status;
        ret_recording->usage = run.child.usage;
        snprintf(ret_recording->event, sizeof ret_recording->event, "%s", run.request.event.text);
    }
    vigil_release(&run.vigil);
    perf_events_release(&run.events);
    if (!begun)
        vec_release(&ret_recording->file);
    ret_recording->wall_ns = clock_ns(CLOCK_MONOTONIC) - began_ns;
    ret_recording->tool_ns = cpu_times_own_ns();
    return begun;
}
