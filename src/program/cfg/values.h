/* The known values of registers and memory at one point of a function.
 *
 * A value is a constant or a term: a named unknown plus an offset, truncated to some width and
 * scaled. Equal terms are equal values. Comparisons and masks give facts: the range of a term. So a
 * bound that was checked in one register also holds for its copies, for its spill slot, and for a
 * narrower or wider view where that is sound.
 *
 * A name belongs to the place that made the unknown: an instruction or a join of paths. When that
 * place runs again, the name means the new value; all holders of the old one lose it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t value_name;

enum value_kind {
    VALUE_ANY,
    VALUE_CONST,  /* number */
    VALUE_TERM,   /* scale * (name + number cut to bits), extended to 64 bits */
    VALUE_TARGET, /* name, 32 bits of it extended by their sign, plus number */
};

struct value {
    uint8_t kind;       /* enum value_kind */
    uint8_t bits;       /* TERM: 8, 16, 32, 64 */
    uint8_t scale;      /* TERM: 1, 2, 4, 8 */
    bool is_signed : 1; /* TERM: extended by its sign */
    bool weak : 1;      /* from memory that other code might have changed */
    value_name name;
    uint64_t number;
};

/* Unsigned, both ends included. */
struct value_range {
    uint64_t low, high;
    /* The bound of the narrowest comparison. It may be above `high`: it says how far the programmer
     * thought the value may go. UINT64_MAX: none. */
    uint64_t limit;
};
#define LIMIT_NONE UINT64_MAX

struct value_fact {
    value_name name;
    uint8_t bits;
    uint64_t number;
    struct value_range range;
};

/* Memory at name + number, or at number if there is no name. */
struct slot {
    value_name name;
    uint8_t bits;
    uint64_t number;
    struct value value;
};

enum { STATE_SLOTS = 12, STATE_FACTS = 32, STATE_PLACES = 16 + STATE_SLOTS };

struct state {
    struct value registers[16];
    struct slot slots[STATE_SLOTS]; /* oldest first */
    uint32_t n_slots, n_facts;
    uint64_t named; /* a bit, modulo 64, for the name of each fact that is or was here: most values
                       have none */
    /* The comparison that set the flags: left with right, or swapped. ANY: not understood. */
    struct value left;
    uint64_t right;
    uint8_t compared_bits;
    bool swapped;
    struct value_fact facts[STATE_FACTS]; /* oldest first; the last member, so that state_copy can
                                             leave out unused ones */
};

static inline uint64_t width_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}
static inline struct value value_const(uint64_t number)
{
    return (struct value){.kind = VALUE_CONST, .number = number};
}
static inline struct value value_named(value_name name, unsigned bits)
{
    return (struct value){.kind = VALUE_TERM, .bits = (uint8_t)bits, .scale = 1, .name = name};
}
bool value_equal(const struct value *a, const struct value *b);
/* The low bits of a value; ANY if they have no name. */
struct value value_cut(struct value value, unsigned bits);
/* value + number at that width; ANY if it has no name. */
struct value value_add(struct value value, uint64_t number, unsigned bits);

/* Adds a number at that width; false: it wraps around and is no range. */
bool range_shift(struct value_range *range, uint64_t by, unsigned bits);

/* The range of a value without its scale. */
struct value_range state_range(const struct state *state, const struct value *value);
/* Adds a range of a term; forgets nothing. */
void state_learn(struct state *state, const struct value *value, struct value_range range);
/* Call before a place gives its name again. */
void state_forget(struct state *state, value_name name);

/* The slot at this address with at least this width, or NULL. */
const struct slot *state_slot(const struct state *state, value_name name, uint64_t number,
                              unsigned bits);
void state_slot_set(struct state *state, value_name name, uint64_t number, unsigned bits,
                    struct value value);
void state_slot_drop(struct state *state, uint32_t slot);

/* Unused facts are not copied. */
void state_copy(struct state *state, const struct state *from);
bool state_equal(const struct state *a, const struct state *b);
/* Joins another path into the same block. `first_name` begins the STATE_PLACES names of this join.
 * Ranges that keep growing are dropped so that loops terminate; `patient` keeps them for now.
 * Returns whether the state changed. */
bool state_join(struct state *state, const struct state *other, value_name first_name,
                bool patient);
