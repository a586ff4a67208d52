/* One recorded process: its channel, read as it grows.
 *
 * source_read brings everything that the process published into the profile. Positions are kept
 * here, never taken back from the shared memory, and every length is checked. What makes no sense
 * is counted as garbled and skipped, if need be to the end of what was published. */
#pragma once

#include "collect/channel/banks.h"
#include "collect/channel/ring_entry.h"
#include "collect/exact/exact_process.h"
#include "collect/exact/traced.h"
#include "collect/windows/crew.h"
#include "collect/windows/decode.h"
#include "consumers/exact.h"
#include "process/mappings.h"
#include "process/recording_session.h"
#include "process/units.h"
#include "values/payloads.h"
#include "wire/channel.h"

#include <stdbool.h>

struct source {
    const struct recording_session *session;
    struct channel *channel;
    struct profile *profile; /* the session's */
    struct mappings mappings;
    struct units units;
    struct crew crew;
    struct decode *decode; /* RECORD_SAMPLED */
    struct exact *exact;   /* all other modes, with */
    struct banks *banks;   /* counters, or */
    struct traced *traced; /* traces */
    struct payload_sum payloads;
    uint64_t maps_read; /* bytes */
    bool maps_broken;
    uint64_t units_dropped;  /* bytes of the section, from its second page on */
    uint64_t only_told;      /* changes of the mappings that the agent's table of places has */
    uint64_t ring_read;      /* bytes ever read */
    struct ring_bytes entry; /* private copy of one ring entry */
    struct source_stack {
        VEC(uint64_t);
    } stack; /* of one walk */
    uint64_t garbled;
    uint64_t refused; /* counters, at the last reading: no code can have counted that much */
    bool outlives;    /* it still ran when its counters or traces were read for the last time */
};

/* `index`: of the channel. */
void source_init(struct source *source, const struct recording_session *session, uint32_t index,
                 struct channel *channel, int pid);
void source_release(struct source *source);

/* Takes maps, units and walks published so far; returns the bytes read from the ring. */
uint64_t source_read(struct source *source);
/* Tells the kernel's part which threads the process samples. */
void source_claim(struct source *source);
/* Updates the thread's times in the profile. */
void source_tell(struct source *source, const struct wire_thread *slot);
/* Takes maps and units alone. */
void source_read_units(struct source *source);
/* Takes traces, and the units that they name, until this time of CLOCK_MONOTONIC; returns the bytes
 * of traces. */
uint64_t source_read_trace(struct source *source, uint64_t until_ns);
/* What the process traces from now on is lost, whether or not it ends before the recording does. */
void source_trace_over(struct source *source);
/* Exact counts as they are now (`last`: for good), or the open batch, if it shall close.
 * `passed_ns`: CPU time of all CPUs since the recording began. Returns the CPU time of work that
 * was put off until the process has ended. */
uint64_t source_count(struct source *source, uint64_t passed_ns, bool close_batch, bool last);
/* Of a process with banks. */
struct exact_process source_exact_process(struct source *source);

/* Entries and walks that made no sense, of all sections. */
uint64_t source_garbled(const struct source *source);
