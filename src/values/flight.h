/* Memory accesses that are in flight at once in an out-of-order processor: the accesses of a
 * stretch of executed instructions, and which of them can conflict (enum conflict_type).
 *
 * The model is minimal. Four instructions arrive per cycle. Each waits for the registers that it
 * reads. Loads take five cycles from when their address is known. A store can forward to later
 * loads once its address is known. A load may overtake a store whose address is not known yet;
 * whether the machine's predictor lets it is not known here. A load of bytes that an earlier store
 * has only some of cannot be forwarded. A load whose address depends on a stored value (through
 * loads that got it from there) follows that store, so these two do not collide.
 *
 * Memory is bounded: a stretch ends after FLIGHT_STEPS instructions or FLIGHT_STORES stores. */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FLIGHT_STEPS = 1024,
    FLIGHT_STORES = 256,
    FLIGHT_FAR =
        512, /* most instructions between the two of a pair: the largest of CONFLICT_DISTANCES */
    FLIGHT_REGISTERS = 64,
    FLIGHT_ACCESSES = 3,
    FLIGHT_READ = 1,
    FLIGHT_WRITE = 2,
};

/* A static access of an instruction. */
struct flight_access {
    uint8_t bytes;  /* 0: many: it hides earlier stores, and is not examined */
    uint8_t access; /* FLIGHT_ */
};

/* An instruction: sets of registers as bits, general ones first. */
struct flight_step {
    uint64_t reads;     /* all, those for addresses included */
    uint64_t addresses; /* for addresses */
    uint64_t writes;
    uint64_t moves; /* of these: depend on themselves alone, as %rsp in a push */
    uint8_t cycles; /* from inputs to results, without loads */
    bool drains;    /* earlier stores are done: it is locked, or a fence */
    uint8_t n;      /* accesses, reads first */
    struct flight_access accesses[FLIGHT_ACCESSES];
};

/* Two steps of the stretch, by number; the same twice if only one place is involved. */
struct flight_conflict {
    enum conflict_type type;
    uint32_t from, to;
};

struct flight;
typedef void flight_found(void *context, const struct flight_conflict *conflict);

struct flight_set {
    uint64_t bits[FLIGHT_STORES / 64];
};

struct flight_store {
    uint64_t address, end;
    uint32_t step;
    uint32_t address_at, data_at; /* when each is known */
    bool quiet;                   /* hides others, but is in no pair */
    struct flight_set follows;    /* stores that its data depends on */
};

struct flight {
    flight_found *found;
    void *context;
    uint32_t n_steps, n_stores;
    uint32_t first_store;                        /* that can still be in flight */
    uint32_t ready[FLIGHT_REGISTERS];            /* when each is known, in quarter cycles */
    struct flight_set follows[FLIGHT_REGISTERS]; /* stores that its value depends on */
    struct flight_store stores[FLIGHT_STORES];
};

void flight_begin(struct flight *flight, flight_found *found, void *context);
/* One more instruction, with an address for each of its accesses (and a length, if it has many
 * bytes). False: the stretch is full. */
struct flight_at {
    uint64_t address, bytes;
};
bool flight_step(struct flight *flight, const struct flight_step *step, const struct flight_at *at);
