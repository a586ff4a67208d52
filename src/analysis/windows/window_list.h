/* The windows that a profile kept, and how unlike each is to the others.
 *
 * A window is measured in four ways: which functions its instructions are of, how deep its calls
 * go, how many calls it makes, and how many cycles an instruction takes on a core model. Each
 * measure of each window has a distance from what is usual among all windows, in spreads
 * (analysis/windows/usual.h); the largest of the four says how unlike the window is.
 *
 * Of functions the figure is 1 - overlap: the overlap of the window's instructions by function with
 * the mean of all other windows. Only windows that are less alike than usual are unusual by it. */
#pragma once

#include "analysis/pipeline/core_choice.h"
#include "analysis/windows/usual.h"
#include "analysis/windows/window_tree.h"
#include "model/core/model.h"

enum window_measure { MEASURE_CODE, MEASURE_DEPTH, MEASURE_CALLS, MEASURE_CYCLES, MEASURES };
const char *window_measure_name(enum window_measure measure);

enum { WINDOW_SHAPE = 64 }; /* parts of a window */
enum { WINDOW_ODD = 3 };    /* spreads, from which on a figure is unusual */

struct window_row {
    uint32_t number;   /* from 1, by time */
    size_t index;      /* in the profile */
    double time;       /* see window_time */
    double stands_for; /* seconds of CPU time */
    uint32_t tid;
    const char *thread; /* its name; "": not known */
    uint32_t module;    /* of the scene; where it began: */
    uint64_t at;
    uint32_t function; /* of the code */
    uint32_t instructions, calls, levels, loops, breaks, opaque;
    bool broken;
    double cycles, counted;     /* modelled: of `counted` instructions, without warming up */
    double shape[WINDOW_SHAPE]; /* the mean level of calls in each part */
    double measures[MEASURES];  /* NAN: not known */
    double distances[MEASURES];
    double unlike; /* NAN: not known */
    /* The function that the window has most more of than others: shares of instructions. */
    uint32_t odd_function;
    double odd_share, odd_usual;
};

struct window_list {
    struct scene *scene;
    struct window_code code;
    struct window_order {
        VEC(size_t);
    } order; /* windows by number, from 0: indices in the profile */
    struct model model;
    bool has_model;
    char core_why[CORE_WHY_BYTES];
    struct window_clock {
        double hz;     /* 0: not known */
        uint64_t zero; /* in ticks: what times are counted from */
        bool started;  /* which is the start of the recording; else the first window */
    } clock;
    struct usual usual[MEASURES];
    VEC(struct window_row); /* by number; none if only one window is asked for */
};

/* Whether the profile kept windows. */
bool window_list_has(const struct profile *profile);
/* Numbers windows. The scene has one profile. core: NULL for that of the processor that recorded.
 */
bool window_list_open(struct window_list *list, struct scene *scene, const char *core,
                      struct err *err);
void window_list_close(struct window_list *list);
/* Fills the rows. */
void window_list_make(struct window_list *list);

/* Calls of code that cannot be read are not seen: of a window with more than a tenth of such code,
 * neither its calls nor its levels are measured. */
bool window_calls_known(const struct window_row *row);
/* "lua 12345" of a window. */
const char *window_thread(const struct window_list *list, size_t index, uint32_t *ret_tid);
/* Seconds since the start of the recording or, if the profile does not say when that was (it is
 * old, or several were merged), since the first window; NAN: not known. */
double window_time(const struct window_list *list, size_t index);
/* What that is counted from. */
const char *window_since(const struct window_list *list);
/* Whether it began in that part of the run; to 0: up to its end. */
bool window_in_part(const struct window_list *list, size_t index, double from, double to);
/* A sentence on what is unusual about a row by one measure. */
const char *window_odd_text(const struct window_list *list, const struct window_row *row,
                            enum window_measure measure);
