/* Events that windows recorded besides exits (wire/payload.h), one by one, for consumers.
 *
 * Words come from another process and mean nothing without the items of its superblocks. A window
 * whose payload does not have the length that its exits imply is left out, and counted. */
#pragma once

#include "process/units.h"
#include "wire/payload.h"

#include <stdbool.h>
#include <stdint.h>

struct payload_event {
    int32_t tid;
    bool first;      /* of its window */
    uint64_t pc;     /* avma of the instruction */
    struct place at; /* the same */
    const struct wire_payload *item;
    const uint64_t *words; /* item->words */
};

/* Gets events in execution order, window by window. */
struct payload_consumer {
    void (*event)(struct payload_consumer *consumer, const struct payload_event *event);
};

struct payload_sum {
    uint64_t windows, instructions;
    uint64_t events[PAYLOAD_KINDS];
    uint64_t timed;    /* latencies other than 0 */
    uint64_t left_out; /* instructions with events that were not recorded, by executed superblock */
    uint64_t astray;   /* windows with a payload of the wrong length */
};

/* Exits and their payload, of a window or a passage of a trace. Private copies. */
struct payload_window {
    int32_t tid;
    uint32_t n_exits;
    uint64_t n_words;
    const uint32_t *exits;
    const uint64_t *words;
};
void payloads_read(const struct units *units, const struct payload_window *window,
                   struct payload_sum *sum, struct payload_consumer *const *consumers,
                   size_t n_consumers);
/* How many words these exits recorded; UINT64_MAX: one of them is no exit. */
uint64_t payloads_words(const struct units *units, const uint32_t *exits, uint32_t n);
/* What one exit recorded: the first items of its superblock, and all their words. False: it is no
 * exit. */
struct payload_part {
    uint32_t first_item, n_items, words;
};
bool payload_part(const struct units *units, uint32_t exit, struct payload_part *ret);
/* The item whose first word is this word of a superblock, given by its first exit, and the place of
 * its instruction. NULL: none. */
const struct wire_payload *payload_word(const struct units *units, uint32_t first_exit,
                                        uint32_t word, struct place *ret_at);
/* Counts an exit that was taken so often. */
void payload_sum_exit(struct payload_sum *sum, const struct units *units, uint32_t exit,
                      uint64_t times);
void payload_sum_add(struct payload_sum *sum, const struct payload_sum *more);

const char *payload_kind_name(enum payload_kind kind);
