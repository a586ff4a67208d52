/* What is in flight at once in a processor that runs ahead: the memory accesses of a stretch of
 * executed instructions, and which of them can stand in each other's way (enum conflict_type).
 *
 * The model is as small as it can be. Four instructions come in a cycle; each waits for the
 * registers that it reads, loads take five cycles from when their address is known, and a store is
 * there for later loads when its address is. A load that could go before its store's address is
 * known may overtake it; whether the machine's predictor lets it is not known here. A load of bytes
 * that an earlier store has only some of cannot be forwarded. A load whose address follows from
 * what a store stored (through loads that got it from there) comes after it, so that these two do
 * not collide.
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
        512, /* instructions between two of a pair, at most: the largest of CONFLICT_DISTANCES */
    FLIGHT_REGISTERS = 64,
    FLIGHT_ACCESSES = 3,
    FLIGHT_READ = 1,
    FLIGHT_WRITE = 2,
};

/* One access of an instruction, where it is static. */
struct flight_access {
    uint8_t bytes;  /* 0: many, it hides what was stored there before, and is not looked at */
    uint8_t access; /* FLIGHT_ */
};

/* An instruction: sets of registers, general ones first, as bits. */
struct flight_step {
    uint64_t reads;     /* all, those of addresses as well */
    uint64_t addresses; /* of addresses */
    uint64_t writes;
    uint64_t moves; /* of these: follow from themselves alone, as %rsp does in a push */
    uint8_t cycles; /* from its inputs to its results, without loads */
    bool drains;    /* stores before it are done: it is locked, or a fence */
    uint8_t n;      /* accesses, the reading ones first */
    struct flight_access accesses[FLIGHT_ACCESSES];
};

/* Two steps of the stretch by their numbers; the same twice where there is one place alone. */
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
    bool quiet;                   /* hides others, and is in no pair */
    struct flight_set follows;    /* stores that its data came from */
};

struct flight {
    flight_found *found;
    void *context;
    uint32_t n_steps, n_stores;
    uint32_t first_store;                        /* that may still be in flight */
    uint32_t ready[FLIGHT_REGISTERS];            /* when each is known, in quarters of a cycle */
    struct flight_set follows[FLIGHT_REGISTERS]; /* stores that its value came from */
    struct flight_store stores[FLIGHT_STORES];
};

void flight_begin(struct flight *flight, flight_found *found, void *context);
/* One more instruction, with an address for each of its accesses (and behind it how many bytes,
 * where they are many). False: the stretch is full. */
struct flight_at {
    uint64_t address, bytes;
};
bool flight_step(struct flight *flight, const struct flight_step *step, const struct flight_at *at);
