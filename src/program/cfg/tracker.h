/* Carries what is known of registers and memory over one instruction after the other.
 *
 * Loads from constant tables by an index are noted: which table, and what range the index has
 * there.
 *
 * Stack slots survive stores through other pointers and calls. If the address of the slot, or of
 * something below it, left the registers, then whoever has it may have written there: what is read
 * from such a slot is weak, good for what compilers make and not for what programs do by
 * themselves. */
#pragma once

#include "base/vec.h"
#include "program/cfg/operations.h"
#include "program/cfg/tracked_stacks.h"
#include "program/cfg/values.h"

struct evidence;
struct image;

/* A load that an index steers. */
struct table_load {
    uint64_t table; /* address of entry 0 */
    uint8_t bytes;  /* of an entry: 4 or 8; 0: this instruction loads from no table */
    bool weak;      /* the index is what it was, if nobody changed it since */
    bool folded;    /* the address is a displacement, perhaps with a bias of the index in it */
    struct value_range index;
};

struct tracker {
    const struct image *image;
    const struct evidence *evidence;
    const struct operation *operations; /* of every instruction of the function */
    size_t n_operations;
    struct table_load *loads; /* for each instruction */
    struct tracked_stacks stacks;
    bool escaped_more; /* since this was last reset */
};

/* For a function of these instructions, which must outlive it. */
void tracker_init(struct tracker *tracker, const struct image *image,
                  const struct evidence *evidence, const struct operation *operations, size_t n);
void tracker_release(struct tracker *tracker);

/* Nothing known but names for all registers. */
void tracker_begin(struct state *state);
/* The first name that no instruction gives: joins may use it and all above. */
value_name tracker_names_end(const struct tracker *tracker);

void tracker_step(struct tracker *tracker, struct state *state, uint32_t instruction);
/* Two ways meet: an address that only one of them has in a register can no longer be followed. */
void tracker_join(struct tracker *tracker, const struct state *a, const struct state *b);
/* What a conditional branch says where it is taken or not. */
void tracker_branch(const struct tracker *tracker, struct state *state, uint32_t instruction,
                    bool taken);
/* Where an indirect jump goes, in the state before it. */
struct value tracker_target(struct tracker *tracker, struct state *state, uint32_t instruction);
/* The table load that gave a value its name, or NULL. */
const struct table_load *tracker_load(const struct tracker *tracker, const struct value *value);
/* Whether the stack is as the function found it: what jumps away then calls in its stead. */
bool tracker_stack_empty(const struct tracker *tracker, const struct state *state);
