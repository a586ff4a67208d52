#include "collect/windows/messages.h"

void messages_release(struct messages *messages)
{
    vec_release(&messages->exits);
}

/* An exit's id, and how often it was left there, fit 32 bits, or are garbled. */
bool messages_exit(struct messages *messages, const struct message *message)
{
    uint64_t exit = tuple_pc(&message->tuple), next = message->tuple.value;
    if (exit > UINT32_MAX || next > UINT32_MAX || message->count > UINT32_MAX)
        return false;
    *vec_push(&messages->exits) =
        (struct tally_sighting){(uint32_t)exit, (uint32_t)next, (uint32_t)message->count};
    return true;
}

void messages_window(struct messages *messages, const struct tally_weight *weight)
{
    messages->waiting += weight->units;
    messages->executions += (u128)weight->units * weight->rate;
    messages->instructions += weight->instructions;
}

bool messages_tally(struct messages *messages, struct tally *tally, bool part,
                    struct tally_weight *ret)
{
    if (!messages->waiting || !messages->exits.n)
        return false;
    messages->garbled += tally_sightings(tally, messages->exits.at, messages->exits.n);
    *ret = (struct tally_weight){.units = messages->waiting,
                                 .rate = (uint64_t)(messages->executions / messages->waiting)};
    for (size_t i = 0; i < tally->exits_seen.n; i++) {
        const struct tally_exit *exit = &tally->exits.at[tally->exits_seen.at[i]];
        ret->instructions += (uint64_t)exit->seen * exit->instructions;
    }
    if (part)
        ret->instructions = messages->instructions;
    messages->exits.n = 0;
    if (!ret->instructions)
        return false;
    messages->waiting = messages->instructions = 0;
    messages->executions = 0;
    return true;
}
