/* A replay as units that watch a core want it (model/pmu/step.h): each instruction with the history
 * of branches before it. */
#pragma once

#include "model/pmu/step.h"
#include "model/replay/replay.h"

struct replay_watch {
    struct replay_listener listener; /* first: it is what the replay knows */
    struct replay *replay;
    uint64_t history; /* before the instruction, */
    uint64_t wrong;   /* and on the wrong way, where the branch went as it was guessed */
    void (*see)(void *context, const struct pmu_step *step);
    void (*gap)(void *context); /* NULL: nobody asks */
    void *context;
};

/* see, gap and context are set; the rest is made. It must stay where it is. */
void replay_watch(struct replay_watch *watch, struct replay *replay);
