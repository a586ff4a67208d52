#include "collect/perf/perf_events.h"

#include "base/err.h"
#include "base/scope.h"
#include "collect/perf/perf_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    STACK_BYTES_MAX = 1 << 15,
    RING_BYTES_MIN = 1 << 16,
    RING_BYTES_MAX = 1 << 23,  /* stays in the cache: with 32 MiB a sample took 3.5 us more */
    RING_BYTES_ALL = 1 << 25,  /* of all processes */
    RINGS_BYTES_MAX = 1 << 28, /* all together */
    RINGS_BYTES_BESIDE = 1 << 24,
    RING_SAMPLES_MIN = 64, /* that fit into a ring */
    RING_PARTS = 4,        /* we are woken when one of them is full */
    /* A wait is 4 us with a copy of 8 KiB. Waits are deeper in the stack than most other code, but
     * a stack that is longer than its copy continues like the last complete one. */
    WAIT_STACK_BYTES = 1 << 13,
    WAIT_RING_BYTES = 1 << 20,
};
static const uint64_t SHIFT_EVERY_NS = 250000000, SHIFT_EVERY_PERIODS = 32;

/* xorshift64*: only has to be unlike anything that programs do. */
static uint64_t random_next(struct perf_events *events)
{
    uint64_t x = events->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    events->random = x;
    return (x * 0x2545f4914f6cdd1du) >> 11;
}

/* ---- CPUs */

/* "0-3,6": the kernel's word for the CPUs that are there. */
static bool cpus_parse(struct perf_events *events, const char *text)
{
    while (*text >= '0' && *text <= '9') {
        char *end;
        long first = strtol(text, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        for (long cpu = first; cpu <= last && cpu < 1 << 16; cpu++)
            *vec_push(&events->cpus) = (struct perf_cpu){.cpu = (int)cpu, .fd = -1, .wait_fd = -1};
        text = *end == ',' ? end + 1 : end;
    }
    return events->cpus.n;
}

static bool cpus_read(struct perf_events *events, struct err *err)
{
    static const char path[] = "/sys/devices/system/cpu/online";
    char text[4096];
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n < 0) /* no sysfs */
        n = snprintf(text, sizeof text, "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
    text[n] = 0;
    return cpus_parse(events, text) || err_set(err, ERR_SYSTEM, "%s makes no sense", path);
}

/* A twentieth more or less, for each CPU its own. */
static void choose_periods(struct perf_events *events)
{
    uint64_t mean = events->request->mean_period_ns;
    for (size_t i = 0; i < events->cpus.n; i++)
        events->cpus.at[i].period_ns = mean - mean / 20 + random_next(events) % (mean / 10 + 1);
}

/* Room for half a second if that is not too much, and in any case for the time that it takes to
 * read the unwind rules of a large program; of many CPUs each has less. Beside an agent's samples
 * the kernel's are few, and nobody asked for them: making the rings takes time, too. */
static size_t ring_wanted(const struct perf_request *request, size_t cpus)
{
    uint64_t bytes =
        500000000 / request->mean_period_ns * STACK_BYTES_MAX * (1 + request->n_others);
    uint64_t most = (request->beside ? RINGS_BYTES_BESIDE : RINGS_BYTES_MAX) / cpus;
    bool everybody = !request->sampler.inherit; /* and their switches, while we wait for a CPU */
    size_t ring = request->beside ? 1 << 18 : 1 << 20;
    while ((ring < bytes || everybody) && 2 * ring <= most &&
           ring < (everybody ? RING_BYTES_ALL : RING_BYTES_MAX))
        ring *= 2;
    return ring;
}

/* Every followed thread takes two on each CPU, and one for each further event. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool perf_events_init(struct perf_events *events, struct perf_request *request, uint64_t seed,
                      struct err *err)
{
    *events = (struct perf_events){.request = request, .random = seed | 1};
    map_init(&events->ids, sizeof(uint64_t));
    if (!cpus_read(events, err)) {
        perf_events_release(events);
        return false;
    }
    events->ring_bytes = events->ring_wanted = ring_wanted(request, events->cpus.n);
    choose_periods(events);
    return true;
}

static void fds_cut(struct perf_fds *fds, size_t n)
{
    while (fds->n > n)
        close(fds->at[--fds->n]);
}

static void fds_close(struct perf_fds *fds)
{
    fds_cut(fds, 0);
    vec_release(fds);
}

void perf_events_release(struct perf_events *events)
{
    for (size_t i = 0; i < events->cpus.n; i++)
        for (int k = 0; k < PERF_FEEDS; k++)
            perf_ring_unmap(&events->cpus.at[i].feeds[k].ring);
    vec_release(&events->cpus);
    fds_close(&events->waiters);
    fds_close(&events->counters);
    fds_close(&events->samplers);
    fds_close(&events->trackers);
    map_release(&events->ids);
    vec_release(&events->of_ids);
}

/* ---- following */

static int open_patiently(const struct perf_event_attr *attr, int tid, int cpu)
{
    int fd = perf_open(attr, tid, cpu);
    if (fd < 0 && errno == EMFILE) {
        raise_descriptor_limit();
        fd = perf_open(attr, tid, cpu);
    }
    return fd;
}

static bool tracker_open(struct perf_events *events, struct perf_cpu *cpu, int tid)
{
    struct perf_event_attr *attr = &events->request->tracker;
    attr->wakeup_watermark = (uint32_t)(events->ring_bytes / RING_PARTS);
    int fd = open_patiently(attr, tid, cpu->cpu);
    if (fd < 0)
        return false;
    *vec_push(&events->trackers) = fd;
    if (cpu->fd >= 0)
        return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd) == 0;
    cpu->fd = fd;
    return true;
}

static bool rings_try(struct perf_events *events)
{
    for (size_t i = 0; i < events->cpus.n; i++) {
        struct perf_cpu *cpu = &events->cpus.at[i];
        if (cpu->fd >= 0 &&
            !perf_ring_map(&cpu->feeds[PERF_FEED_ALL].ring, cpu->fd, events->ring_bytes))
            return false;
    }
    return true;
}

/* The first event on each CPU owns its ring. All are of one size: a smaller one where the limit on
 * locked memory is met, which is for all of them together. */
static bool rings_map(struct perf_events *events)
{
    if (events->mapped)
        return true;
    while (!rings_try(events)) {
        int why = errno;
        for (size_t i = 0; i < events->cpus.n; i++)
            perf_ring_unmap(&events->cpus.at[i].feeds[PERF_FEED_ALL].ring);
        errno = why;
        if ((why != EPERM && why != ENOMEM) || events->ring_bytes <= RING_BYTES_MIN)
            return false;
        events->ring_bytes /= 2;
    }
    events->mapped = true;
    return true;
}

/* -1 with errno. */
static int sampler_open(struct perf_events *events, struct perf_cpu *cpu, int tid, bool on_exec,
                        struct perf_event_attr *attr)
{
    size_t stack = events->ring_bytes / RING_SAMPLES_MIN;
    attr->sample_stack_user = (uint32_t)(stack < STACK_BYTES_MAX ? stack : STACK_BYTES_MAX);
    attr->enable_on_exec = on_exec;
    if (!attr->freq)
        attr->sample_period = cpu->period_ns;
    int fd = open_patiently(attr, tid, cpu->cpu);
    if (fd < 0)
        return -1;
    *vec_push(attr->freq ? &events->counters : &events->samplers) = fd;
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd) == 0 ? fd : -1;
}

/* Samples of all events come through one ring: the kernel's number tells them apart. */
static bool number_note(struct perf_events *events, int fd, uint32_t which)
{
    uint64_t id;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
        return false;
    uint32_t index = map_add(&events->ids, &id);
    if (index == events->of_ids.n)
        *vec_push(&events->of_ids) = which;
    events->of_ids.at[index] = which;
    return true;
}

static bool other_open(struct perf_events *events, struct perf_cpu *cpu, int tid, bool on_exec,
                       uint32_t which)
{
    int fd = sampler_open(events, cpu, tid, on_exec, &events->request->others[which].attr);
    return fd >= 0 && number_note(events, fd, which);
}

static bool samplers_open(struct perf_events *events, struct perf_cpu *cpu, int tid, bool on_exec)
{
    struct perf_request *request = events->request;
    int fd = sampler_open(events, cpu, tid, on_exec, &request->sampler);
    bool ok = fd >= 0 && (!request->n_others || number_note(events, fd, PERF_FIRST));
    for (uint32_t i = 0; ok && i < request->n_others; i++)
        ok = other_open(events, cpu, tid, on_exec, i);
    return ok;
}

/* Where two events count the same switch, the kernel gives both samples the number of one of them
 * (Linux 6.18). */
static bool waiter_number(struct perf_events *events, int fd)
{
    static const struct perf_event_name switches = {.type = PERF_TYPE_SOFTWARE,
                                                    .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    const struct perf_request *request = events->request;
    for (uint32_t i = 0; i < request->n_others; i++)
        if (perf_name_shares(&request->others[i].event, &switches) && !number_note(events, fd, i))
            return false;
    return true;
}

static bool waiter_open(struct perf_events *events, struct perf_cpu *cpu, int tid, bool on_exec)
{
    struct perf_event_attr *attr = &events->request->waiter;
    struct perf_ring *ring = &cpu->feeds[PERF_FEED_WAITS].ring;
    attr->sample_stack_user = WAIT_STACK_BYTES;
    attr->wakeup_watermark = WAIT_RING_BYTES / RING_PARTS;
    attr->enable_on_exec = on_exec;
    int fd = open_patiently(attr, tid, cpu->cpu);
    if (fd < 0)
        return false;
    *vec_push(&events->waiters) = fd;
    if (!waiter_number(events, fd))
        return false;
    if (cpu->wait_fd >= 0)
        return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->wait_fd) == 0;
    cpu->wait_fd = fd;
    return perf_ring_map(ring, fd, WAIT_RING_BYTES);
}

/* Nothing else depends on waits. Where they are refused after all, there are none. */
static void waiters_open(struct perf_events *events, int tid, bool on_exec)
{
    for (size_t i = 0; events->request->waits && i < events->cpus.n; i++) {
        struct perf_cpu *cpu = &events->cpus.at[i];
        if (cpu->fd >= 0 && !waiter_open(events, cpu, tid, on_exec))
            events->request->waits = false;
    }
    if (!events->request->waits)
        fds_cut(&events->waiters, 0);
    events->waiting = events->request->waits && on_exec;
}

static enum perf_follow refused(int tid, int cpu, struct err *err)
{
    int why = errno;
    if (why == ESRCH)
        return PERF_GONE;
    if (why == EACCES || why == EPERM)
        err_errno(err, "it is another user's, or protected; root may sample it, and who has "
                       "CAP_PERFMON and CAP_SYS_PTRACE");
    else
        err_errno(err, "cannot sample thread %d on CPU %d", tid, cpu);
    return PERF_REFUSED;
}

static bool went_offline(const struct perf_events *events)
{
    return errno == ENODEV && events->cpus.n > 1;
}

static enum perf_follow follow(struct perf_events *events, int tid, bool on_exec, struct err *err)
{
    for (size_t i = 0; i < events->cpus.n; i++)
        if (!tracker_open(events, &events->cpus.at[i], tid) && !went_offline(events))
            return refused(tid, events->cpus.at[i].cpu, err);
    if (!rings_map(events)) {
        err_errno(err, "no memory for the kernel's samples: ulimit -l, kernel.perf_event_mlock_kb");
        return PERF_REFUSED;
    }
    for (size_t i = 0; i < events->cpus.n; i++) {
        struct perf_cpu *cpu = &events->cpus.at[i];
        if (cpu->fd >= 0 && !samplers_open(events, cpu, tid, on_exec) && !went_offline(events))
            return refused(tid, cpu->cpu, err);
    }
    waiters_open(events, tid, on_exec);
    return PERF_FOLLOWED;
}

enum perf_follow perf_events_follow(struct perf_events *events, int tid, bool on_exec,
                                    struct err *err)
{
    size_t trackers = events->trackers.n, samplers = events->samplers.n;
    size_t waiters = events->waiters.n, counters = events->counters.n;
    bool rings = events->mapped;
    enum perf_follow followed = follow(events, tid, on_exec, err);
    /* No thread is followed on some CPUs only. The first ones own the rings and stay. */
    if (followed != PERF_FOLLOWED && rings) {
        fds_cut(&events->trackers, trackers);
        fds_cut(&events->samplers, samplers);
        fds_cut(&events->counters, counters);
        fds_cut(&events->waiters, waiters);
    }
    return followed;
}

/* ---- sampling */

static void fds_tell(const struct perf_fds *fds, unsigned long what)
{
    for (size_t i = 0; i < fds->n; i++)
        ioctl(fds->at[i], what, 0);
}

void perf_events_wait(struct perf_events *events, bool on)
{
    if (events->waiting != on)
        fds_tell(&events->waiters, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    events->waiting = on;
}

void perf_events_start(struct perf_events *events)
{
    fds_tell(&events->samplers, PERF_EVENT_IOC_ENABLE);
    fds_tell(&events->counters, PERF_EVENT_IOC_ENABLE);
    perf_events_wait(events, true);
    events->sampling = true;
}

void perf_events_stop(struct perf_events *events)
{
    fds_tell(&events->samplers, PERF_EVENT_IOC_DISABLE);
    fds_tell(&events->counters, PERF_EVENT_IOC_DISABLE);
    perf_events_wait(events, false);
    events->sampling = false;
}

static uint64_t shift_every_ns(const struct perf_events *events)
{
    uint64_t periods = SHIFT_EVERY_PERIODS * events->request->mean_period_ns;
    return periods > SHIFT_EVERY_NS ? periods : SHIFT_EVERY_NS;
}

uint64_t perf_events_shift(struct perf_events *events)
{
    uint64_t every = shift_every_ns(events), period = events->request->mean_period_ns;
    if (!events->sampling || !events->samplers.n)
        return every;
    events->paused = !events->paused;
    fds_tell(&events->samplers, events->paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE);
    return events->paused ? random_next(events) % period : every;
}

uint64_t perf_events_pauses(const struct perf_events *events)
{
    return (events->request->mean_period_ns / 2 << 20) / shift_every_ns(events);
}

/* ---- reading */

static void feed_peek(struct perf_feed *feed, uint64_t limit_ns)
{
    feed->next = perf_ring_peek(&feed->ring);
    feed->next_ns = feed->next ? perf_record_time(feed->next) : 0;
    if (feed->next_ns > limit_ns)
        feed->next = NULL;
}

/* All rings that are mapped, one after the other; NULL: no more. */
static struct perf_feed *feeds_next(const struct perf_events *events, size_t *at)
{
    while (*at < events->cpus.n * PERF_FEEDS) {
        struct perf_feed *feed = &events->cpus.at[*at / PERF_FEEDS].feeds[*at % PERF_FEEDS];
        (*at)++;
        if (feed->ring.page)
            return feed;
    }
    return NULL;
}

void perf_events_refresh(struct perf_events *events, uint64_t limit_ns)
{
    size_t at = 0;
    events->limit_ns = limit_ns;
    events->current = NULL;
    for (struct perf_feed *feed; (feed = feeds_next(events, &at));) {
        perf_ring_refresh(&feed->ring);
        feed_peek(feed, limit_ns);
    }
}

const struct perf_event_header *perf_events_next(struct perf_events *events)
{
    struct perf_feed *first = events->current;
    size_t at = 0;
    if (first) {
        perf_ring_skip(&first->ring, first->next);
        feed_peek(first, events->limit_ns);
        first = NULL;
    }
    for (struct perf_feed *feed; (feed = feeds_next(events, &at));)
        if (feed->next && (!first || feed->next_ns < first->next_ns))
            first = feed;
    events->current = first;
    return first ? first->next : NULL;
}

bool perf_events_filling(const struct perf_events *events)
{
    size_t at = 0;
    for (const struct perf_feed *feed; (feed = feeds_next(events, &at));) {
        struct perf_ring ring = feed->ring;
        perf_ring_refresh(&ring);
        if (perf_ring_filled(&ring) > ring.data_bytes / RING_PARTS)
            return true;
    }
    return false;
}

bool perf_events_from_waiter(const struct perf_events *events)
{
    for (size_t i = 0; i < events->cpus.n; i++)
        if (events->current == &events->cpus.at[i].feeds[PERF_FEED_WAITS])
            return true;
    return false;
}

uint32_t perf_events_which(const struct perf_events *events)
{
    struct perf_ids ids;
    const struct perf_event_header *record = events->current ? events->current->next : NULL;
    if (!events->ids.n || !record || perf_events_from_waiter(events) ||
        !perf_record_sample_ids(record, &ids))
        return PERF_FIRST;
    uint32_t index = map_find(&events->ids, &ids.event);
    return index == MAP_NONE ? events->request->stranger : events->of_ids.at[index];
}

void perf_events_publish(struct perf_events *events)
{
    size_t at = 0;
    for (struct perf_feed *feed; (feed = feeds_next(events, &at));)
        perf_ring_publish(&feed->ring);
}
