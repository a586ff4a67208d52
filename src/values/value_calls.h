/* Arguments at calls and results at returns, from the registers that windows recorded there.
 *
 * An argument belongs to the entry of the called function, which is known from the next segment
 * that ran: behind a stub of a procedure linkage table, if there is one. A result belongs to the
 * return instruction. By callers, both have a place for each return address, which is always known.
 * Functions that are entered by jumps (tail calls) give their results, not their arguments. */
#pragma once

#include "values/value_places.h"

enum { CALL_WORDS = 16 };

/* What was recorded before a call or return. It waits for the segment that ran next, which may be
 * in the next passage of a trace. */
struct call_crossing {
    uint32_t n;
    bool returns, behind_stub;
    struct place at; /* the return instruction, or where the call returns to */
    struct call_word {
        uint32_t kind;
        uint64_t value;
    } words[CALL_WORDS];
};

/* Reads a window that was admitted. May add places. */
void value_calls_read(struct value_places *places, const struct payload_window *window,
                      struct call_crossing *crossing, value_see *see, void *to);
