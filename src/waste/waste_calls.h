/* Calls that were made again with the same inputs, and so gave the same again.
 *
 * A call's inputs are the registers that it reads before it writes them, and all that it loads. If
 * these and its way are the same as of an earlier call of the window, and neither had an effect,
 * the later one need not have been: whatever it computed is the same. Calls have an effect if they
 * store outside their own stack frames, or do anything that `calls_void` is called for (system
 * calls, atomic accesses, time stamps, code that cannot be read). What was stored between two calls
 * does not matter: loads are compared by their values.
 *
 * All calls that are open share one list of words, which is kept as a hash of its beginnings: the
 * hash of a part follows from those of its two ends. Findings of calls inside a call that is found
 * itself are dropped: they are the same waste. */
#pragma once

#include "base/map.h"
#include "waste/waste_code.h"
#include "waste/waste_found.h"

enum { WASTE_CALLS_MAX = 256 };

struct waste_call {
    uint64_t slot; /* where its return address lies */
    uint32_t code; /* of the call */
    bool open;     /* without an effect so far */
    struct waste_site site;
    uint64_t begin; /* position of the call */
    uint64_t hash, words;
    size_t inside; /* findings before it */
};

struct waste_calls {
    struct waste_listener *listener;
    uint32_t n, n_open;
    uint64_t innermost; /* position of the innermost call that is open */
    uint64_t hash, words;
    uint64_t seen[WASTE_MASKS]; /* positions: registers written, or taken as inputs */
    struct map keys;            /* of calls: hash, words, instructions */
    struct waste_calls_made {
        VEC(struct waste_call_made {
            struct waste_site site;
            uint64_t begin;
        });
    } made; /* the last of each key */
    struct waste_calls_inside {
        VEC(struct waste_found);
    } inside; /* of open calls */
    struct waste_call at[WASTE_CALLS_MAX];
};

void waste_calls_init(struct waste_calls *calls, struct waste_listener *listener);
void waste_calls_release(struct waste_calls *calls);
/* What comes next does not follow: no call goes on, and earlier ones are forgotten. */
void waste_calls_forget(struct waste_calls *calls);
/* All calls have an effect. */
void waste_calls_void(struct waste_calls *calls);
/* Calls have an effect if they do not own the stack there. */
void waste_calls_store(struct waste_calls *calls, uint64_t address);
/* Something that the calls depend on. */
void waste_calls_word(struct waste_calls *calls, uint64_t word);
/* A register is read. The value is NULL if it is not known. */
void waste_calls_read(struct waste_calls *calls, uint32_t reg, uint64_t position,
                      const uint8_t *value, uint32_t bytes);
void waste_calls_write(struct waste_calls *calls, uint64_t set, uint64_t position);
/* A call, whose return address lies at the slot; a return that loads it from there. */
void waste_calls_enter(struct waste_calls *calls, uint64_t slot, struct waste_site site,
                       uint64_t position);
void waste_calls_leave(struct waste_calls *calls, uint64_t slot, uint64_t position);

/* Where the function was called that is being executed; WASTE_NOWHERE. */
static inline uint32_t waste_calls_caller(const struct waste_calls *calls)
{
    return calls->n ? calls->at[calls->n - 1].code : WASTE_NOWHERE;
}
