#include "model/replay/watch.h"

static void step_hear(struct replay_listener *listener, const struct replay_step *heard)
{
    struct replay_watch *watch = (struct replay_watch *)listener;
    struct core_fact fact = *heard->fact;
    if (!heard->addressed) /* what the replay made up is nobody's memory */
        fact.address.v = 0;
    struct pmu_step step = {&heard->insn->core, &fact, heard->times,
                            heard->aborted ? watch->wrong : watch->history, heard->aborted};
    if (!heard->aborted) {
        watch->history = core_history(watch->replay->core);
        watch->wrong = watch->history ^ (heard->insn->core.kind == INSN_COND);
    }
    if (!heard->warming)
        watch->see(watch->context, &step);
}

static void gap_hear(struct replay_listener *listener)
{
    struct replay_watch *watch = (struct replay_watch *)listener;
    if (watch->gap)
        watch->gap(watch->context);
}

void replay_watch(struct replay_watch *watch, struct replay *replay)
{
    watch->listener = (struct replay_listener){step_hear, gap_hear};
    watch->replay = replay;
    watch->history = watch->wrong = core_history(replay->core);
    replay_listen(replay, &watch->listener);
}
