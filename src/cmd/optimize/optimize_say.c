#include "cmd/optimize/optimize_say.h"

#include "base/quote.h"
#include "cmd/optimize/optimize.h"
#include "cmd/optimize/trial.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>

static double percent(double gain)
{
    return 100 * (exp(gain) - 1);
}

void optimize_text(const struct optimize *optimize, const struct gain *gain, bool compared)
{
    printf("%s: %.3f s -> %.3f s of CPU time, %+.1f %% speed (%+.1f to %+.1f), gain %.4f (%.4f to "
           "%.4f), %u pairs of runs\n",
           optimize->result, gain->before, gain->after, percent(gain->value), percent(gain->lo),
           percent(gain->hi), gain->value, gain->lo, gain->hi, gain->n);
    if (gain->lo <= 0 && gain->hi >= 0)
        puts("whether it is faster is not certain: more --runs, or a longer run, tell");
    if (gain->hi < 0)
        puts("it is slower than before");
    if (!compared)
        puts("its output differs from run to run by itself: it could not be checked");
    if (gain->before < 0.01)
        puts("so short a run says little: measure a longer one");
    if (optimize->note)
        puts(optimize->note);
}

void optimize_json(const struct optimize *optimize, const struct gain *gain, bool compared)
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
    json_number(&json, "before", gain->before);
    json_number(&json, "after", gain->after);
    json_number(&json, "gain", gain->value);
    json_number(&json, "gain_lo", gain->lo);
    json_number(&json, "gain_hi", gain->hi);
    json_integer(&json, "runs", gain->n);
    if (optimize->note)
        json_string(&json, "note", optimize->note);
    json_object_end(&json);
    json_end(&json);
    arena_release(&arena);
}
