/* All events of a recording and the rings they write to, one ring a CPU.
 *
 * Records are read over all rings in the order of their time, so that a mapping is known before the
 * first sample in it, whatever CPUs the two came from. What is younger than a few milliseconds
 * stays where it is: another CPU may be about to publish something older.
 *
 * Clocks tick at their own steady pace, and a program that does so, too, would always be met at the
 * same place. So each CPU has a period of its own, and now and then sampling pauses for a random
 * part of one: no ioctl but enable and disable reaches the events that threads inherited. */
#pragma once

#include "base/vec.h"
#include "collect/perf/perf_request.h"
#include "collect/perf/perf_ring.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct perf_cpu {
    int cpu;
    int fd; /* of the tracker that owns the ring; -1: none yet */
    struct perf_ring ring;
    uint64_t period_ns;
    const struct perf_event_header *next; /* NULL: none, or younger than the limit */
    uint64_t next_ns;
};

struct perf_events {
    struct perf_request *request;
    struct perf_cpus {
        VEC(struct perf_cpu);
    } cpus;
    struct perf_fds {
        VEC(int);
    } trackers, samplers;
    size_t ring_bytes;  /* as the limit on locked memory allows */
    size_t ring_wanted; /* more than ring_bytes: the limit was met */
    uint64_t random;    /* state */
    bool mapped, sampling, paused;
    uint64_t limit_ns;        /* of the reading that goes on */
    struct perf_cpu *current; /* whose record was given out last */
};

/* Finds the CPUs. The request must outlive the events. */
bool perf_events_init(struct perf_events *events, struct perf_request *request, uint64_t seed,
                      struct err *err);
void perf_events_release(struct perf_events *events);

enum perf_follow {
    PERF_FOLLOWED,
    PERF_GONE,    /* there is no such thread (any more) */
    PERF_REFUSED, /* err says why */
};
/* Follows a thread and all that it will start; -1 is everybody. `on_exec`: sampling starts by
 * itself when the thread becomes another program. */
enum perf_follow perf_events_follow(struct perf_events *events, int tid, bool on_exec,
                                    struct err *err);

/* From now on samples are taken of all that are followed. */
void perf_events_start(struct perf_events *events);
void perf_events_stop(struct perf_events *events);
/* Begins or ends a pause; returns the time until the next call is due, in ns. */
uint64_t perf_events_shift(struct perf_events *events);
/* What a weight must be multiplied with for the pauses, less one, in 2^-20. */
uint64_t perf_events_pauses(const struct perf_events *events);

/* Starts reading all that is older than the limit (CLOCK_MONOTONIC). */
void perf_events_refresh(struct perf_events *events, uint64_t limit_ns);
/* The next record in time; NULL: no more. Good until the next call. */
const struct perf_event_header *perf_events_next(struct perf_events *events);
/* Gives what was read back to the kernel. */
void perf_events_publish(struct perf_events *events);
