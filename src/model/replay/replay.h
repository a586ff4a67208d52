/* A program's course through a model of a core: instruction by instruction, each with the times of
 * its stages, to whoever listens.
 *
 * A replay is one core; several of one program share their code. It gets the course as runs of code
 * (code.h), in the order in which they ran: the whole of a thread's, or windows with gaps between
 * them. Nothing is kept of what was told.
 *
 * Addresses of data are told with each run if they were recorded. If not, those of constants and of
 * the stack are followed as far as the instructions tell (so that what is put by on the stack is
 * found there), and all other loads are taken to be hits: each has a line of the first cache to
 * itself, and no store has it. */
#pragma once

#include "model/core/core.h"
#include "model/replay/code.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_LISTENERS = 5 };

/* One instruction. All of it is good until the call returns. */
struct replay_step {
    const struct code_insn *insn; /* insn->id: its number, code->places: where it is */
    const struct core_fact *fact;
    const struct core_times *times; /* of an aborted one: as core_wrong tells them */
    bool aborted;                   /* it was on the wrong way, and did not retire */
    bool warming; /* caches, guesses and queues may not be yet what they were: not to be counted */
    bool addressed; /* fact->address is what was recorded */
};

struct replay_listener {
    void (*step)(struct replay_listener *listener, const struct replay_step *step);
    /* What comes next did not run right behind what came before: another window. May be NULL. */
    void (*gap)(struct replay_listener *listener);
};

struct replay {
    struct core_code *code;
    struct core *core;
    bool wrong_ways;  /* instructions that are thrown away are told, too */
    uint64_t warming; /* instructions that are not to be counted yet */
    struct replay_listener *listeners[REPLAY_LISTENERS];
    uint32_t n_listeners;
    uint64_t instructions, cycles; /* so far, up to the last retirement */
    uint64_t stack, frame;         /* followed */
};

void replay_init(struct replay *replay, struct core_code *code);
void replay_release(struct replay *replay);
void replay_listen(struct replay *replay, struct replay_listener *listener);

/* What one execution of a run recorded of one instruction. */
struct replay_data {
    uint64_t address;   /* of its memory operand; 0: not recorded */
    uint8_t value_bits; /* of a division: of the quotient; 0: not known */
};

/* The first n instructions of the run that begins at index `first`, which led to `next` (replay_at;
 * 0: not known, as if it were the one behind). data: one for each, or NULL. */
void replay_run(struct replay *replay, uint32_t first, uint32_t n, uint64_t next,
                const struct replay_data *data);
/* Something else ran in between. So many instructions from here on only warm. */
void replay_gap(struct replay *replay, uint64_t warming);

/* Who wants to listen to a recording: is asked for each thread when it begins, and told when it
 * ends. Threads have cores of their own, and one after the other tells what it did, so one listener
 * may serve several if it tells them apart. */
struct replay_audience {
    const struct model *model;
    bool wrong_ways;
    /* Calls replay_listen. */
    void (*begin)(struct replay_audience *audience, struct replay *replay, int32_t tid);
    void (*end)(struct replay_audience *audience, struct replay *replay); /* may be NULL */
};
