#include "collect/windows/messages.h"

#include "wire/channel.h"

void messages_init(struct messages *messages, const struct units *units, struct value_lists *values,
                   struct latencies *latencies)
{
    *messages = (struct messages){.units = units, .values = values, .latencies = latencies};
}

void messages_release(struct messages *messages)
{
    vec_release(&messages->exits);
}

/* An exit's id, and how often it was left there, fit 32 bits, or are garbled. */
static bool exit_take(struct messages *messages, const struct message *message)
{
    uint64_t exit = tuple_pc(&message->tuple), next = message->tuple.value;
    if (exit > UINT32_MAX || next > UINT32_MAX || message->count > UINT32_MAX)
        return false;
    *vec_push(&messages->exits) =
        (struct tally_sighting){(uint32_t)exit, (uint32_t)next, (uint32_t)message->count};
    return true;
}

static bool word_take(struct messages *messages, const struct message *message)
{
    uint64_t place = tuple_pc(&message->tuple), first = place >> MESSAGE_WORD_BITS;
    struct place at;
    const struct wire_payload *item =
        first > UINT32_MAX ? NULL
                           : payload_word(messages->units, (uint32_t)first,
                                          (uint32_t)(place & ((1 << MESSAGE_WORD_BITS) - 1)), &at);
    if (!item || message->count > UINT32_MAX)
        return false;
    if (item->kind == PAYLOAD_LATENCY) {
        latencies_see(messages->latencies, at, message->tuple.value, message->count);
        return true;
    }
    uint32_t of = value_places_of(&messages->values->places, item, 0, at,
                                  (struct place){.module = MODULE_NONE});
    if (of != VALUE_PLACE_NONE)
        value_lists_see(messages->values, of, message->tuple.value, message->count << VALUE_BITS);
    return true;
}

void messages_take(struct messages *messages, const struct message *some, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        enum tuple_kind kind = tuple_kind(&some[i].tuple);
        bool taken = kind == TUPLE_EXIT                             ? exit_take(messages, &some[i])
                     : kind == TUPLE_VALUE || kind == TUPLE_LATENCY ? word_take(messages, &some[i])
                                                                    : false;
        if (taken)
            messages->stands_for[kind] += some[i].count;
        else
            messages->garbled++;
    }
}

void messages_window(struct messages *messages, const struct tally_weight *weight)
{
    value_lists_begin(messages->values);
    messages->waiting += weight->units;
    messages->executions += (u128)weight->units * weight->rate;
    messages->instructions += weight->instructions;
}

bool messages_tally(struct messages *messages, struct tally *tally, struct tally_weight *ret)
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
    if (messages->units->mappings->only)
        ret->instructions = messages->instructions;
    messages->exits.n = 0;
    if (!ret->instructions)
        return false;
    messages->waiting = messages->instructions = 0;
    messages->executions = 0;
    return true;
}
