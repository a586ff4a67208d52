#include "view/advice_say.h"

#include "analysis/whatif/whatif.h"
#include "base/err.h"

enum { TRIES = 3, WINDOWS = 6, SAID = 2 }; /* less than 0.1 s */
static const double SURE = 0.02; /* of the CPU time: what a gain must be at least, with certainty */

static bool is_worth(const struct report *report)
{
    const struct scene *scene = report->scene;
    const struct profile *profile = scene->sides[0];
    return report->by == BY_FUNCTION && profile->mode == PROFILE_SAMPLED && modelled_has(profile) &&
           !plain_counts_events(profile) && !scene->only_function;
}

static void row_say(struct adviser *adviser, const struct whatif_row *row)
{
    struct scene *scene = adviser->report->scene;
    const char *name = scene_function_name(
                   scene, row->module, scene_function_at(scene, row->module, row->candidate.place)),
               *line = line_text(scene, row->module, row->candidate.place);
    const char *where = *line ? line : address_text(scene, row->module, row->candidate.place);
    advise(adviser,
           "%s of the CPU time would be saved if %s: %s in %s (a model's prediction)|gait whatif "
           "--kind %s",
           advice_share(row->gain), whatif_kind_text(row->candidate.kind), where,
           name_text(scene, name), whatif_kind_name(row->candidate.kind));
}

/* What a change at one place can touch is one function, or two if it inlines a call: where the two
 * that take most are not certain to take as much as is worth saying, no window needs to be
 * modelled. Compilers are so: cc1plus has no function of more than 2 %. */
static bool may_be_sure(const struct whatif_measured *measured, const struct profile *profile)
{
    struct quantity most[2] = {{0}};
    for (size_t i = 0; i < measured->n; i++) {
        struct quantity one = measured->at[i];
        for (int k = 0; k < 2; k++)
            if (one.time > most[k].time) {
                struct quantity less = most[k];
                most[k] = one;
                one = less;
            }
    }
    quantity_add(&most[0], &most[1]);
    struct estimate share = estimate_share(profile, &most[0], true);
    return !(share.lo <= SURE);
}

/* The report has added up all functions. */
static void measured_take(struct whatif_measured *measured, const struct report *report)
{
    measured_begin(measured);
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        if (!row->kernel)
            measured_add(measured, row->module, row->function, &row->body);
    }
}

/* Changes that are certain to bring something, as far as the model goes: these are the first rows.
 */
void advise_whatif(struct adviser *adviser)
{
    struct whatif_measured measured;
    const struct whatif_asked asked = {
        .tries = TRIES, .windows = WINDOWS, .quick = true, .measured = &measured};
    struct whatif whatif;
    struct err err;
    if (!is_worth(adviser->report))
        return;
    measured_take(&measured, adviser->report);
    if (may_be_sure(&measured, adviser->report->scene->sides[0]) &&
        whatif_make(&whatif, adviser->report->scene, &asked, &err)) {
        for (size_t i = 0; i < whatif.n && i < SAID && whatif.at[i].gain.lo > SURE; i++)
            row_say(adviser, &whatif.at[i]);
        whatif_release(&whatif);
    }
    measured_release(&measured);
}
