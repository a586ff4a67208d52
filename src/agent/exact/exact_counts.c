#include "agent/exact/exact_counts.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"
#include "agent/threads/trace.h"

bool exact_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc)
{
    return agent.options.mode != RECORD_EXACT_TRACE || trace_pour(thread, end_pc, next_pc);
}

/* Code that a plan covers has no counter: its path goes on when the handler returns. */
static bool told_by_its_path(const struct copied_block *superblock)
{
    return agent.options.mode != RECORD_EXACT_TRACE && !superblock->counter;
}

void exact_cut(struct thread *thread, const struct location *location)
{
    struct unit_log *units = &agent.cache->units;
    exact_pour(thread, location->superblock->pc, location->pc);
    thread->arrived = false;
    if (told_by_its_path(location->superblock))
        return;
    thread->arrived = location->instructions == 0;
    gate_lock(&agent.cache->gate, true);
    struct wire_cut *cut = unit_take(units, sizeof *cut);
    if (cut) {
        *cut = (struct wire_cut){.kind = UNIT_CUT,
                                 .bytes = sizeof *cut,
                                 .first_exit = location->superblock->first_exit,
                                 .segment = location->segment,
                                 .instructions = location->instructions};
        unit_publish(units, sizeof *cut, 0);
    } else {
        agent_lose(LOSS_garbled);
    }
    gate_unlock(&agent.cache->gate);
}

void exact_undo(struct thread *thread, uint32_t exit)
{
    struct context *context = thread->context;
    struct location location;
    if (!exit || !cache_locate_last(agent.cache, exit, &location))
        return;
    if (agent.options.mode == RECORD_EXACT_TRACE) {
        context->record_at -= (int64_t)sizeof *context->records;
        context->payload_at -= cache_exit(agent.cache, exit)->payload;
    }
    exact_cut(thread, &location);
}
