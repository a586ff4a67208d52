/* From a shape to code. */
#pragma once

#include "walk/emit/exits.h"
#include "walk/emit/guard_code.h"
#include "walk/emit/guess.h"
#include "walk/emit/payload.h"
#include "walk/emit/plan_code.h"
#include "walk/emit/shape.h"

/* Registers that are in slots at a cache pc, when an instruction there faults. */
enum { IN_SLOT_NONE, IN_SLOT_R11, IN_SLOT_R10_R11 };

struct translation {
    enum flavour flavour;
    const struct regions *regions;
    uint32_t first_exit; /* id of exit 0 */
    uint32_t counter;    /* index of the entry counter; 0: none */
    uint32_t site;       /* the site of an indirect jump or call, ... */
    bool sited;          /* ... whose targets are counted */
    const struct tables *tables;
    bool rotates; /* the CPU has rorx: landings are indexed by bits 4..19 */
    int32_t debt; /* plain */
    bool lands;   /* it starts with its landing; the chain continues at next_landing */
    uint64_t next_landing;
    uint32_t
        turn_segment; /* plain: the end of this segment leads back to the start through `turn` */
    uint64_t turn;
    bool r11_new;    /* it may have been written since it was stored in its slot */
    bool flags_free; /* count, out: no flag is live at the entry but the carry flag */
    uint64_t entry;  /* out: where its code runs from, after the landing */
    bool guarded;    /* its code may have changed: it first leaves to the dispatcher, ... */
    uint32_t number; /* ... with this number, ... */
    uint64_t body;   /* ... and goes on here (out) */
    const struct guards *guards; /* or compares by itself (guard_code.h), ... */
    uint32_t guard;              /* ... with this guard; 0: the dispatcher compares */
    const struct plan *plan;     /* count: what is done besides; NULL: nothing */
    struct code_cursor *cold;    /* of the piece that is made */
    struct plan_path
        path; /* what is known of the register: at the entry, then at the current place */
    struct contexts *contexts; /* count: calling contexts; NULL: none */
    struct payload *payload;   /* record: what is recorded besides exits; NULL: nothing */
    uint64_t guess; /* plain, count: where the return at its end probably goes; 0: no guess. Its
                     * exit is the one behind those of the segments. */
    const struct guess *place; /* where it is compared; NULL: not looked for yet */
    struct exit exits[SHAPE_SEGMENTS + 1];

    /* Locating a fault: the cache pc sought; found when located is set. */
    uint64_t sought;
    bool located;
    uint64_t located_pc;      /* avma of the program's instruction */
    uint32_t located_step;    /* its index in the shape */
    uint32_t located_in_slot; /* IN_SLOT_ */
    struct plan_path located_path;
};

/* The most code of a translation, in its hot or in its cold part. MORE: with a payload or a plan,
 * which has up to so many operations at each of so many instructions and edges. */
enum {
    TRANSLATION_BYTES_MAX = 2432 + GUARD_CODE_BYTES + GUESS_CODE_BYTES,
    TRANSLATION_BYTES_MORE = 6 << 16
};
_Static_assert(PLAN_AT_ONE_PLACE *PLAN_CODE_BYTES *(SHAPE_STEPS + SHAPE_SEGMENTS + 1) +
                       TRANSLATION_BYTES_MAX <=
                   TRANSLATION_BYTES_MORE,
               "whatever is planned");

/* Writes the code; `entry` is where it runs from. Rare ways out go to the cold cursor, so that hot
 * code lies together. Fills exits, and located if sought was met. */
void translate(struct translation *translation, const struct shape *shape, struct code_cursor *hot,
               struct code_cursor *cold);
