#include "analysis/loops/loop_words.h"

#include "analysis/counts/labels.h"

#include <inttypes.h>
#include <stdio.h>

static const char *called_name(const struct loop_view *view, const struct loop_row *row,
                               const struct loop_reason *reason)
{
    uint32_t function = row->calls.at[reason->other].function;
    return name_text(view->scene, view->code.functions.at[function].linkage);
}

void loop_reason_words(char words[LOOP_WORDS], const struct loop_view *view,
                       const struct loop_row *row, const struct loop_reason *reason)
{
    double percent = 100 * reason->part;
    size_t room = LOOP_WORDS;
    switch (reason->stop) {
    case STOP_DISPATCH:
        snprintf(words, room,
                 "calls through a pointer (%.2g times an iteration, %" PRId64
                 " functions, most often %s)",
                 reason->part, reason->figure, called_name(view, row, reason));
        return;
    case STOP_VECTORISED:
        snprintf(words, room, "it is vectorised, with %" PRId64 " bytes at once", reason->figure);
        return;
    case STOP_CALL:
        snprintf(words, room, "calls %s (%.2g times an iteration)", called_name(view, row, reason),
                 reason->part);
        return;
    case STOP_CARRIED:
        snprintf(
            words, room,
            "loads what an earlier iteration stored (in %.0f %% of iterations; at least %" PRId64
            " iteration%s before)",
            percent, reason->figure, reason->figure == 1 ? "" : "s");
        return;
    case STOP_CHASE:
        snprintf(words, room, "the address of the next load is what this load brings");
        return;
    case STOP_SUM:
        snprintf(words, room, "floating-point operations on one register, each after the other");
        return;
    case STOP_IRREGULAR:
        snprintf(words, room, "addresses without a stride (the most frequent one: %.0f %%)",
                 percent);
        return;
    case STOP_STRIDE:
        snprintf(words, room, "addresses go on by %+" PRId64 " bytes (%.0f %% of the time)",
                 reason->figure, percent);
        return;
    case STOP_BRANCH:
        snprintf(words, room, "a branch in the body, taken %.0f %% of the time", percent);
        return;
    case STOP_END: snprintf(words, room, "it ends by data, not by a counter"); return;
    case STOP_SHORT:
        snprintf(words, room, "only %.1f iterations at a time", row->trips.value);
        return;
    case LOOP_STOPS: break;
    }
    *words = 0;
}
