#include "agent/exact/exact_pause.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"

/* Frames are some KiB apart; those of different depths seldom meet. */
static struct exact_pause *pause_of(struct thread *thread, uint64_t frame)
{
    return &thread->pauses[(frame >> 9) % THREAD_PAUSES];
}

static void publish(struct exact_pause *pause)
{
    struct unit_log *units = &agent.cache->units;
    if (!pause->frame)
        return;
    gate_lock(&agent.cache->gate, true);
    struct wire_abandoned *unit = unit_take(units, sizeof *unit);
    if (unit) {
        *unit =
            (struct wire_abandoned){.kind = UNIT_ABANDONED, .bytes = sizeof *unit, .pc = pause->pc};
        unit_publish(units, sizeof *unit, 0);
        agent_lose(LOSS_abandoned);
    } else {
        agent_lose(LOSS_garbled);
    }
    gate_unlock(&agent.cache->gate);
    pause->frame = 0;
}

void exact_pause_begin(struct thread *thread, uint64_t frame, uint64_t pc)
{
    struct exact_pause *pause = pause_of(thread, frame);
    publish(pause);
    if (thread->arrived)
        *pause = (struct exact_pause){frame, pc};
    thread->arrived = thread->walk.moved = false; /* nobody arrives at the handler's start */
}

void exact_pause_end(struct thread *thread, uint64_t frame, uint64_t pc)
{
    struct exact_pause *pause = pause_of(thread, frame);
    bool back = pause->frame == frame && pause->pc == pc;
    if (back)
        pause->frame = 0;
    else if (pause->frame == frame)
        publish(pause);
    thread->arrived = back;
    thread->walk.moved = false;
}

void exact_pauses_publish(struct thread *thread)
{
    for (uint32_t i = 0; i < THREAD_PAUSES; i++)
        publish(&thread->pauses[i]);
}

void exact_pauses_forget(struct thread *thread)
{
    for (uint32_t i = 0; i < THREAD_PAUSES; i++)
        thread->pauses[i].frame = 0;
    thread->arrived = false;
}
