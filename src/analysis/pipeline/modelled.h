/* Where cycles go by a core model, instruction by instruction: of a trace that was modelled while
 * it was recorded, or of the windows of a sampled profile, which are modelled now
 * (model/replay/account.h says what is counted).
 *
 * A window (analysis/pipeline/window_course.h) stands for CPU time: its figures are multiplied by
 * that time and divided by the cycles that it took in the model. The whole recording says how
 * often instructions ran, including windows that were not kept. Rows are fitted to that
 * (modelled_fit), so windows only need to show how long each execution takes. Windows are dealt
 * out to groups, whose spread gives the interval. */
#pragma once

#include "base/map.h"
#include "model/core/model.h"
#include "model/replay/account.h"
#include "model/replay/code.h"
#include "analysis/pipeline/core_choice.h"
#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"

enum { MODELLED_GROUPS = 16 };

/* What rows have numbers of. */
enum modelled_field {
    FIELD_RETIRED,
    FIELD_ABORTED,
    FIELD_TIME,                                /* cycles, by enum account_state */
    FIELD_STAGE = FIELD_TIME + ACCOUNT_STATES, /* by enum account_stage */
    FIELD_LOADS = FIELD_STAGE + ACCOUNT_STAGES,
    FIELD_EVENT,
    FIELD_WAITS = FIELD_EVENT + ACCOUNT_EVENTS,
    FIELD_NEARBY,
    FIELD_SLOTS, /* executions, cycles, issued; and the same of those that missed */
    FIELDS = FIELD_SLOTS + 6
};

struct modelled_part {
    uint64_t what; /* events and state of time; address of a producer */
    double cycles;
};
enum { MODELLED_PARTS = 24 };

struct modelled_row {
    uint32_t module; /* of the profile */
    uint64_t at;
    uint64_t seen;           /* executions that were modelled */
    double fit;              /* what its sums were multiplied by, see modelled_fit; 1: nothing */
    double fit_deviation;    /* of that, as a part of it */
    struct estimate counted; /* executions by the whole recording; 0: not told by it */
    double *fields;          /* of each group, FIELDS */
    struct modelled_part
        time[MODELLED_PARTS]; /* cycles by what happened: enum account_state, and events << 8 */
    struct modelled_part
        waits[MODELLED_PARTS]; /* cycles by who made the operand; UINT64_MAX: elsewhere */
};

struct modelled {
    struct scene *scene;
    struct model model;
    char core_why[CORE_WHY_BYTES]; /* why it is this one; "": it was asked for by name */
    uint32_t groups;               /* 1: all of it was seen */
    bool addressed;                /* addresses of data were recorded */
    uint64_t windows;              /* that were gone again */
    uint64_t instructions;         /* that were counted */
    uint64_t unread;               /* that could not be modelled */
    uint64_t broken;               /* windows that end where they make no sense */
    double hz;                     /* cycles to a second; 0: not known */
    struct arena arena;
    struct core_code code; /* of the model */
    struct map keys;       /* module and address */
    VEC(struct modelled_row);
    size_t every;            /* window that is gone: 1 is all of them */
    uint64_t most;           /* instructions of each; 0: all */
    struct modelled_row all; /* all rows, those of modules that are not shown as well */
};

/* Whether the profile has anything to be modelled. */
bool modelled_has(const struct profile *profile);
/* core: NULL for the one that the profile was recorded with, or the usual. */
bool modelled_make(struct modelled *modelled, struct scene *scene, const char *core,
                   struct err *err);
/* The same with so many windows at most, from all of the run, and so many instructions of each: for
 * a quick look. 0: all. */
bool modelled_make_quick(struct modelled *modelled, struct scene *scene, const char *core,
                         size_t windows_most, uint64_t instructions_most, struct err *err);
void modelled_release(struct modelled *modelled);

struct modelled_row *modelled_row(struct modelled *modelled, uint32_t module, uint64_t at);
/* What an account says of one instruction, so many times, in one group. */
void modelled_add(struct modelled *modelled, struct modelled_row *row, uint32_t group,
                  const struct account_row *of, double times);
void modelled_part_add(struct modelled_part *parts, uint64_t what, double cycles);
/* Fills it from windows. */
void modelled_windows(struct modelled *modelled);
/* Makes executions those that the whole recording counted. */
void modelled_fit(struct modelled *modelled);

/* Sums of fields, `n` from the first on; quotients of them. */
struct estimate modelled_total(const struct modelled *modelled, const struct modelled_row *row,
                               uint32_t first, uint32_t n);
/* What happened so often in the program: a run that takes as long on the modelled core as it did
 * may execute more or less than the program did, which groups have in common. The interval reaches
 * to what the recording counted. */
struct estimate modelled_happened(const struct modelled *modelled, const struct modelled_row *row,
                                  struct estimate often);
struct estimate modelled_ratio(const struct modelled *modelled, const struct modelled_row *row,
                               uint32_t first, uint32_t n, const struct modelled_row *of,
                               uint32_t of_first, uint32_t of_n);
/* Of all time. */
struct estimate modelled_share(const struct modelled *modelled, const struct modelled_row *row);
/* Slots that could have been issued while it was under way, and were not. */
struct estimate modelled_wasted(const struct modelled *modelled, const struct modelled_row *row);

/* What happened, as a word: enum core_event by number. */
const char *modelled_event_name(uint32_t event);
/* In a few words, why it took time: state and events, of misses the last cache that had one. */
const char *modelled_why(uint64_t what, char *text, size_t room);
