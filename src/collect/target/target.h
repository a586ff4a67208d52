/* What is recorded: a program that was started, or processes that ran already. Its end, and the CPU
 * time that it took.
 *
 * A started program is given up when it ends. From processes that ran already the agent is taken
 * out when the recording ends: by a signal, because time is over, or because the last of them is
 * gone. */
#pragma once

#include "base/vec.h"
#include "collect/target/cpu_times.h"
#include "collect/target/inject.h"
#include "collect/target/launch.h"
#include "collect/target/vigil.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* The agent in a process that did not load it. */
struct attached {
    struct injected injected;
    struct cpu_times before, now; /* of the process: when it was attached to, and last seen */
    bool gone;                    /* ended, or another program by now */
};

struct recording_target {
    bool started;
    struct child child; /* if so */
    struct vigil vigil; /* if not */
    VEC(struct attached);
    bool ended;
    char left[512]; /* what a process was left with, or became; "" if there is nothing to say */
    char bare[512]; /* it could not be put into the program that was started, and why */
};

/* How the agent comes into a program: it loads it, or it is put in, to sample or for an exact run.
 */
enum target_way { TARGET_LOADS, TARGET_SAMPLED, TARGET_EXACT };

/* Starts the program. One that loads nothing gets the agent before its first instruction, if it
 * can: else it runs without. */
bool target_start(struct recording_target *target, const struct launch *launch, enum target_way way,
                  int *ret_exec_errno, struct err *err);
/* All of these processes, or none. */
bool target_attach(struct recording_target *target, const int *pids, size_t n, int channel_fd,
                   struct err *err);

/* Until something happened, or the time is over. */
void target_wait(struct recording_target *target, uint64_t timeout_ns);
/* Threads that are new since the last time are recorded, too. */
void target_refresh(struct recording_target *target);
/* No more is recorded. */
void target_leave(struct recording_target *target);
void target_release(struct recording_target *target);

/* Whether a program stands there with no thread recorded yet. */
bool target_wants(const struct recording_target *target);
/* Threads that could not be recorded, because they block the signal of samples. */
uint64_t target_deaf(const struct recording_target *target);
/* While it was recorded. */
void target_times(struct recording_target *target, struct cpu_times *ret_times);
