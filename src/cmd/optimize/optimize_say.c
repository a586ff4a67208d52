#include "cmd/optimize/optimize_say.h"

#include "base/quote.h"
#include "cmd/optimize/optimize.h"
#include "cmd/optimize/optimize_counts.h"
#include "cmd/optimize/trial.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>

static double percent(double gain)
{
    return 100 * (exp(gain) - 1);
}

static void count_text(const char *what, uint64_t before, uint64_t after)
{
    printf("%s %.2f -> %.2f million (%+.1f %%)", what, 1e-6 * (double)before, 1e-6 * (double)after,
           100 * ((double)after / (double)before - 1));
}

void optimize_text(const struct optimize *optimize, const struct gain *gain,
                   const struct run_counts *counts, bool compared)
{
    printf("%s: %.3f s -> %.3f s of CPU time, %+.1f %% speed (%+.1f to %+.1f), gain %.4f (%.4f to "
           "%.4f), %u pairs of runs\n",
           optimize->result, gain->before, gain->after, percent(gain->value), percent(gain->lo),
           percent(gain->hi), gain->value, gain->lo, gain->hi, gain->n);
    if (counts) {
        count_text("executed instructions", counts[0].instructions, counts[1].instructions);
        count_text(", taken branches", counts[0].taken, counts[1].taken);
        puts("");
    }
    if (gain->lo <= 0 && gain->hi >= 0)
        puts("no gain that these runs show: the interval includes 0; more --runs or a longer run "
             "narrow it");
    if (gain->hi < 0)
        puts("it is slower than before");
    if (!compared)
        puts("its output differs from run to run by itself: it could not be checked");
    if (gain->before < 0.01)
        puts("so short a run says little: measure a longer one");
    if (optimize->note)
        puts(optimize->note);
}

static void counts_json(struct json *json, const struct run_counts *counts)
{
    json_integer(json, "instructions_before", counts[0].instructions);
    json_integer(json, "instructions_after", counts[1].instructions);
    json_integer(json, "taken_before", counts[0].taken);
    json_integer(json, "taken_after", counts[1].taken);
}

void optimize_json(const struct optimize *optimize, const struct gain *gain,
                   const struct run_counts *counts, bool compared)
{
    struct json json;
    struct arena arena = {0};
    json_begin(&json, stdout);
    json_object(&json, NULL);
    json_string(&json, "schema", "gait/optimize/1");
    json_string(&json, "command", quote_words(&arena, optimize->argv));
    json_string(&json, "with", optimizer_name(optimize->with));
    json_string(&json, "result", optimize->result);
    json_bool(&json, "checked", compared);
    json_bool(&json, "kept", !optimize->drop);
    json_number(&json, "before", gain->before);
    json_number(&json, "after", gain->after);
    json_number(&json, "gain", gain->value);
    json_number(&json, "gain_lo", gain->lo);
    json_number(&json, "gain_hi", gain->hi);
    json_integer(&json, "runs", gain->n);
    if (counts)
        counts_json(&json, counts);
    if (optimize->note)
        json_string(&json, "note", optimize->note);
    json_object_end(&json);
    json_end(&json);
    arena_release(&arena);
}
