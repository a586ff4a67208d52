/* All perf events of a recording and their rings, one ring for each CPU.
 *
 * Records of all rings are read in time order, so that a mapping is known before its first sample,
 * whatever CPUs the two came from. Records of the last few milliseconds wait: another CPU may be
 * about to publish an older one.
 *
 * Clocks tick regularly, and a program with the same rhythm would always be sampled at the same
 * place. So each CPU has a period of its own, and now and then sampling pauses for a random part of
 * a period: no ioctl but enable and disable reaches inherited events. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/perf/perf_request.h"
#include "collect/perf/perf_ring.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* A ring and its next record. */
struct perf_feed {
    struct perf_ring ring;
    const struct perf_event_header *next; /* NULL: none, or younger than the limit */
    uint64_t next_ns;
};

/* Waits have a ring of their own: threads that switch often fill it within a millisecond, and other
 * records must not be lost for them. */
enum { PERF_FEED_ALL, PERF_FEED_WAITS, PERF_FEEDS };

struct perf_cpu {
    int cpu;
    int fd;      /* tracker that owns the ring; -1: none yet */
    int wait_fd; /* waiter, likewise */
    uint64_t period_ns;
    struct perf_feed feeds[PERF_FEEDS];
};

struct perf_events {
    struct perf_request *request;
    struct perf_cpus {
        VEC(struct perf_cpu);
    } cpus;
    struct perf_fds {
        VEC(int);
    } trackers, samplers, waiters;
    struct perf_fds counters; /* what samples by other events than clocks: they do not pause */
    struct map ids;           /* the kernel's numbers of events, if there are several, */
    struct perf_of_others {
        VEC(uint32_t);
    } of_ids;           /* and which they are of: of the others, or PERF_FIRST */
    size_t ring_bytes;  /* as the limit on locked memory allows */
    size_t ring_wanted; /* more than ring_bytes: the limit was met */
    uint64_t random;    /* state */
    bool mapped, sampling, paused;
    bool waiting;              /* the waiter is on */
    uint64_t limit_ns;         /* of the current reading */
    struct perf_feed *current; /* of the last record */
};

/* Finds the CPUs. The request must outlive the events. */
bool perf_events_init(struct perf_events *events, struct perf_request *request, uint64_t seed,
                      struct err *err);
void perf_events_release(struct perf_events *events);

enum perf_follow {
    PERF_FOLLOWED,
    PERF_GONE,    /* no such thread */
    PERF_REFUSED, /* err says why */
};
/* Follows a thread and all that it starts; -1: all threads. `on_exec`: sampling starts when the
 * thread calls exec. */
enum perf_follow perf_events_follow(struct perf_events *events, int tid, bool on_exec,
                                    struct err *err);

/* Starts sampling of all that is followed. */
void perf_events_start(struct perf_events *events);
void perf_events_stop(struct perf_events *events);
/* Begins or ends a pause. Returns the ns until the next call is due. */
uint64_t perf_events_shift(struct perf_events *events);
/* Factor of weights of clocks for the pauses, minus 1, in 2^-20. */
uint64_t perf_events_pauses(const struct perf_events *events);

/* Turns the waiter on or off, if there is one. */
void perf_events_wait(struct perf_events *events, bool on);

/* Starts reading all records older than the limit (CLOCK_MONOTONIC). */
void perf_events_refresh(struct perf_events *events, uint64_t limit_ns);
/* The next record in time order; NULL: no more. Valid until the next call. */
const struct perf_event_header *perf_events_next(struct perf_events *events);
/* Which of the request's others the last record, a sample, is of; PERF_FIRST: the first event. */
uint32_t perf_events_which(const struct perf_events *events);
/* Whether the last record is of the waiter's ring. */
bool perf_events_from_waiter(const struct perf_events *events);
/* Whether a ring has less than three quarters of its room left. */
bool perf_events_filling(const struct perf_events *events);
/* Returns what was read to the kernel. */
void perf_events_publish(struct perf_events *events);
