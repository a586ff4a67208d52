/* What windows recorded besides exits (wire/payload.h), one event after the other, to whoever wants
 * them.
 *
 * Words come from another process and mean nothing without the items of its superblocks: a window
 * whose payload is not as long as its exits say is left out, and counted. */
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

/* Who gets events: in the order in which they were executed, window by window. */
struct payload_consumer {
    void (*event)(struct payload_consumer *consumer, const struct payload_event *event);
};

struct payload_sum {
    uint64_t windows, instructions;
    uint64_t events[PAYLOAD_KINDS];
    uint64_t timed;    /* latencies that are not zero */
    uint64_t left_out; /* instructions of which not all was recorded, by superblocks executed */
    uint64_t astray;   /* windows whose length is wrong */
};

/* A window, or a passage of a trace: exits and what they recorded. Private copies. */
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
/* How many words these exits have recorded; UINT64_MAX: one of them is nobody's. */
uint64_t payloads_words(const struct units *units, const uint32_t *exits, uint32_t n);
/* What one exit has recorded: so many of its superblock's items, and all their words. False: it is
 * nobody's. */
struct payload_part {
    uint32_t first_item, n_items, words;
};
bool payload_part(const struct units *units, uint32_t exit, struct payload_part *ret);
/* The item that a superblock's word is the first of, by its first exit, and where its instruction
 * is. NULL: there is none. */
const struct wire_payload *payload_word(const struct units *units, uint32_t first_exit,
                                        uint32_t word, struct place *ret_at);
/* The same for an exit that was taken so often; it is somebody's. */
void payload_sum_exit(struct payload_sum *sum, const struct units *units, uint32_t exit,
                      uint64_t times);
void payload_sum_add(struct payload_sum *sum, const struct payload_sum *more);

/* What a kind is called. */
const char *payload_kind_name(enum payload_kind kind);
