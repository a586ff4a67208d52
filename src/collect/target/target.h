/* What is recorded: a started program, or running processes. Their end, and their CPU time.
 *
 * A started program is recorded to its end. The agent is removed from running processes when the
 * recording ends: by a signal, when time is over, or with the last of them. */
#pragma once

#include "base/vec.h"
#include "collect/target/cpu_times.h"
#include "collect/target/inject.h"
#include "collect/target/launch.h"
#include "collect/target/vigil.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* A process with an injected agent. */
struct attached {
    struct injected injected;
    struct cpu_times before, now; /* of the process: when it was attached to, and last */
    bool gone;                    /* ended, or called exec */
};

struct recording_target {
    bool started;
    struct child child; /* if started */
    struct vigil vigil; /* else */
    VEC(struct attached);
    bool ended;
    char left[512]; /* what remained in a process, or what it became; or "" */
    char bare[512]; /* why the agent could not be injected into the started program; or "" */
};

/* How the agent gets into a program: the program loads it, or it is injected, to sample or for an
 * exact run. */
enum target_way { TARGET_LOADS, TARGET_SAMPLED, TARGET_EXACT };

/* Starts the program. A static one gets the agent before its first instruction, if possible; else
 * it runs without. */
bool target_start(struct recording_target *target, const struct launch *launch, enum target_way way,
                  int *ret_exec_errno, struct err *err);
/* Attaches to all of these processes, or to none; with `any`, to those that it can, at least one.
 */
bool target_attach(struct recording_target *target, const int *pids, size_t n, bool any,
                   int channel_fd, struct err *err);

/* Waits until something happens, or the time is over. */
void target_wait(struct recording_target *target, uint64_t timeout_ns);
/* Records new threads, too. */
void target_refresh(struct recording_target *target);
/* Ends the recording. */
void target_leave(struct recording_target *target);
void target_release(struct recording_target *target);

/* Whether a program has no recorded thread yet. */
bool target_wants(const struct recording_target *target);
/* Threads that cannot be sampled, because they block the signal. */
uint64_t target_deaf(const struct recording_target *target);
/* CPU time while it was recorded. */
void target_times(struct recording_target *target, struct cpu_times *ret_times);
