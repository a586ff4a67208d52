/* The walked threads of one process: what each of their samples stands for, and what the profile is
 * told of them.
 *
 * Threads are sampled at densities of their own, so a sample counts by the CPU time between it and
 * the one before of the same thread. A trigger that only fires in the program passes over the time
 * in the kernel, which would be in that difference: it tells its period instead. So what samples
 * stand for adds up to the user time of their thread, as far as chance allows; the rest of its CPU
 * time is the kernel's. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

enum {
    CREW_FIRST_NS = 10000000, /* at most, for the first sample: a delay may lie before it */
    CREW_MOST_NS = 1000000000,
};

struct crew_thread {
    uint32_t tid;
    uint64_t told_ns;   /* CPU time of its latest sample; 0: it had none yet */
    uint64_t weight_ns; /* what that stands for */
    uint64_t user_ns;   /* that its samples stand for, since the profile was told */
    uint64_t cpu_ns;    /* since its recording began, that the profile was told */
    uint64_t start_tsc; /* of its recording: tells it from another of the same number */
};

struct crew {
    bool sampled; /* else nothing tells the kernel's time from the program's */
    struct map tids;
    VEC(struct crew_thread); /* as tids: the latest thread of each number */
};

/* What a sample stands for. */
struct crew_sample {
    uint64_t weight_ns; /* 0: nothing */
    uint64_t since_ns;  /* CPU time since the thread's last, in the kernel or not */
};

void crew_init(struct crew *crew, bool sampled);
void crew_release(struct crew *crew);

struct crew_sample crew_sample(struct crew *crew, const struct event_walk *walk);

/* Tells the profile's threads what is new of one, as its slot has it. */
void crew_tell(struct crew *crew, const struct wire_thread *slot, uint32_t pid,
               struct profile *profile);
/* It has ended: whoever has its number from now on is another. */
void crew_end(struct crew *crew, uint32_t tid);
