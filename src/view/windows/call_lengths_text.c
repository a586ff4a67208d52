#include "view/views.h"

#include "analysis/counts/labels.h"
#include "analysis/windows/lengths.h"
#include "text/ink.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>

enum { BAR_WIDTH = 50 };

static const char *length_text(double length)
{
    static char texts[4][24];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    if (isnan(length))
        return "cut";
    snprintf(text, sizeof *texts, "%.0f", length);
    return text;
}

static void functions_print(FILE *to, struct window_list *list, const struct call_lengths *lengths)
{
    for (size_t i = 0; i < lengths->functions.n; i++) {
        const struct window_function *function = &list->code.functions.at[lengths->functions.at[i]];
        fprintf(to, "%s%s (%s)", i ? ", " : "", name_text(list->scene, function->linkage),
                address_text(list->scene, function->module, function->start));
    }
}

static void bar_print(FILE *to, const struct length_bin *bin, uint64_t most)
{
    uint64_t whole = bin->calls * BAR_WIDTH / most,
             all = (bin->calls + bin->cut) * BAR_WIDTH / most;
    for (uint64_t i = 0; i < all; i++)
        fputs(i < whole ? "█" : "░", to);
    if (!all && bin->calls + bin->cut)
        fputs(bin->calls ? "▏" : "░", to);
}

void call_lengths_text(FILE *to, struct window_list *list, const struct call_lengths *lengths,
                       const struct ink *ink)
{
    uint64_t most = 1;
    head_text(to, list->scene, 0);
    fputs("instructions of a call, with all that it calls: ", to);
    functions_print(to, list, lengths);
    fprintf(to, "\n%s ended in their windows", number_text(lengths->complete, "call", "calls"));
    fprintf(to,
            ", %" PRIu64 " were cut (░: at least so long), %" PRIu64
            " had begun before and are not counted\n",
            lengths->n - lengths->complete, lengths->begun);
    if (!lengths->n)
        return;
    fprintf(to,
            "half of the calls take up to %s, 90 %% up to %s, 99 %% up to %s; cut calls count "
            "as longer\n\n",
            length_text(call_lengths_quantile(lengths, 0.5)),
            length_text(call_lengths_quantile(lengths, 0.9)),
            length_text(call_lengths_quantile(lengths, 0.99)));
    for (size_t i = 0; i < lengths->bins.n; i++)
        if (lengths->bins.at[i].calls + lengths->bins.at[i].cut > most)
            most = lengths->bins.at[i].calls + lengths->bins.at[i].cut;
    fprintf(to, "%s%15s %8s %6s%s\n", ink_begin(ink, INK_HEAD), "instructions", "calls", "cut",
            ink_end(ink, INK_HEAD));
    for (size_t i = 0; i < lengths->bins.n; i++) {
        const struct length_bin *bin = &lengths->bins.at[i];
        char range[32];
        snprintf(range, sizeof range, bin->from == bin->to ? "%u" : "%u to %u", bin->from, bin->to);
        fprintf(to, "%15s %8" PRIu64 " %6" PRIu64 "  ", range, bin->calls, bin->cut);
        bar_print(to, bin, most);
        fputc('\n', to);
    }
    const struct call_length *last = &lengths->at[lengths->n - 1];
    fprintf(to, "\nthe longest: gait windows --show %u --from %u --to %u\n", last->window,
            last->from, last->from + last->length);
}
