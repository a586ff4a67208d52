/* The walked threads of one process: the CPU time that each sample stands for, and the rows of
 * threads in the profile.
 *
 * Threads are sampled at different densities, so a sample stands for the CPU time since the last
 * sample of its thread. A trigger that only fires in user code reports its period instead, because
 * that difference would include time in the kernel. So the samples of a thread add up to its user
 * time, as far as chance allows; the rest of its CPU time is the kernel's. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

enum {
    CREW_FIRST_NS = 10000000, /* at most, for the first sample: a delay may precede it */
    CREW_MOST_NS = 1000000000,
    CREW_MOMENT = 4, /* samples */
};

struct crew_thread {
    uint32_t tid;
    uint64_t samples;   /* so far */
    uint64_t told_ns;   /* CPU time at its latest sample; 0: none yet */
    uint64_t weight_ns; /* that it stands for */
    uint64_t user_ns;   /* that its samples stand for, not in the profile yet */
    uint64_t cpu_ns;    /* since its recording began, as the profile has it */
    uint64_t start_tsc; /* of its recording: tells apart threads with the same tid */
};

struct crew {
    bool sampled; /* else kernel time is not known apart */
    struct map tids;
    VEC(struct crew_thread); /* as tids: the latest thread of each tid */
};

/* The CPU time that a sample stands for. */
struct crew_sample {
    uint64_t weight_ns; /* 0: nothing */
    uint64_t since_ns;  /* since the thread's last sample, kernel time included */
};

void crew_init(struct crew *crew, bool sampled);
void crew_release(struct crew *crew);

struct crew_sample crew_sample(struct crew *crew, const struct event_walk *walk);

/* Whether other threads than that one have run for more than a moment, as one that only starts it
 * does not. */
bool crew_others(const struct crew *crew, uint32_t tid);

/* Updates the thread's row in the profile from its slot. Returns the CPU time that it added. */
uint64_t crew_tell(struct crew *crew, const struct wire_thread *slot, uint32_t pid,
                   struct profile *profile);
/* The thread has ended: the next one with this tid is another. */
void crew_end(struct crew *crew, uint32_t tid);
