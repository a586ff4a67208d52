/* How many instructions calls of a function take, over all windows.
 *
 * A call counts if it began inside a window. If the window ended first, its length is only known to
 * be more than was seen: it is cut. Long calls are cut more often than short ones, so quantiles
 * take cut calls into account, as the lives of patients are estimated who were lost from sight
 * (Kaplan and Meier). */
#pragma once

#include "analysis/windows/window_list.h"

struct call_length {
    uint32_t length, own; /* instructions: with all that it calls; its own alone */
    bool cut;
    uint32_t window, from; /* number of the window, and where in it */
};

/* Calls from `from` to `to` instructions long; `cut`: those seen so long before their window ended.
 */
struct length_bin {
    uint32_t from, to;
    uint64_t calls, cut;
};

struct call_lengths {
    const char *pattern;
    struct lengths_of {
        VEC(uint32_t);
    } functions;              /* that match, of the code's */
    VEC(struct call_length);  /* by length, cut ones after complete ones of that length */
    uint64_t complete, begun; /* begun: under way when their windows began; not counted */
    struct length_bins {
        VEC(struct length_bin);
    } bins;
};

struct lengths_wanted {
    const char *pattern; /* the functions */
    double from, to;     /* windows that began in this part of the run; 0, 0: all */
};
/* False: no window has any such call. */
bool call_lengths_make(struct call_lengths *lengths, struct window_list *list,
                       struct lengths_wanted wanted, struct err *err);
void call_lengths_release(struct call_lengths *lengths);
/* The length that this part of calls does not exceed; NAN: more calls than that are cut. */
double call_lengths_quantile(const struct call_lengths *lengths, double part);
/* Sorts, and makes bins. */
void call_lengths_settle(struct call_lengths *lengths);
