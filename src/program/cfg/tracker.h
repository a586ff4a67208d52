/* Propagates known values of registers and memory over instructions.
 *
 * It notes indexed loads from constant tables: the table, and the range of the index.
 *
 * Stack slots survive calls and stores through other pointers. If the address of a slot, or of
 * something below it, has escaped, other code may have written there. A value read from such a slot
 * is weak: good enough for compiler-generated code, not for what programs do themselves. */
#pragma once

#include "base/vec.h"
#include "program/cfg/operations.h"
#include "program/cfg/tracked_stacks.h"
#include "program/cfg/values.h"

struct evidence;
struct image;

/* An indexed load from a table. */
struct table_load {
    uint64_t table; /* address of entry 0 */
    uint8_t bytes;  /* of an entry: 4 or 8; 0: this instruction loads from no table */
    bool weak;      /* the index is weak */
    bool folded;    /* the address is a displacement, perhaps biased by the lowest index */
    struct value_range index;
};

struct tracker {
    const struct image *image;
    const struct evidence *evidence;
    const struct operation *operations; /* of every instruction of the function */
    size_t n_operations;
    struct table_load *loads; /* for each instruction */
    struct tracked_stacks stacks;
    bool escaped_more; /* more addresses escaped since this was reset */
};

/* The instructions of one function; they must outlive the tracker. */
void tracker_init(struct tracker *tracker, const struct image *image,
                  const struct evidence *evidence, const struct operation *operations, size_t n);
void tracker_release(struct tracker *tracker);

/* The state at entry: every register has a name and nothing is known. */
void tracker_begin(struct state *state);
/* The first name above those of instructions: joins use it and the ones after. */
value_name tracker_names_end(const struct tracker *tracker);

void tracker_step(struct tracker *tracker, struct state *state, uint32_t instruction);
/* Two paths join: an address that only one has in a register escapes. */
void tracker_join(struct tracker *tracker, const struct state *a, const struct state *b);
/* Adds what a conditional branch implies where it is taken or not. */
void tracker_branch(const struct tracker *tracker, struct state *state, uint32_t instruction,
                    bool taken);
/* The target of an indirect jump, in the state before it. */
struct value tracker_target(struct tracker *tracker, struct state *state, uint32_t instruction);
/* The table load that gave a value its name, or NULL. */
const struct table_load *tracker_load(const struct tracker *tracker, const struct value *value);
/* Whether the stack is as at entry: a jump away is then a tail call. */
bool tracker_stack_empty(const struct tracker *tracker, const struct state *state);
