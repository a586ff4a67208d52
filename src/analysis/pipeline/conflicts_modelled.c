/* Loads that cannot be forwarded, as a model of a core has them: of the windows that the profile
 * keeps. */
#include "analysis/values/conflicts.h"

#include "base/err.h"
#include "analysis/pipeline/modelled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORWARD_FAILS = 10 };
_Static_assert(CORE_FORWARD_FAIL == 1 << FORWARD_FAILS, "the number of the event");

static const struct modelled_row *row_find(const struct modelled *modelled, uint32_t module,
                                           uint64_t at)
{
    for (size_t i = 0; i < modelled->n; i++)
        if (modelled->at[i].module == module && modelled->at[i].at == at)
            return &modelled->at[i];
    return NULL;
}

/* Cycles are about ticks: what is modelled is ranked among what was measured. */
static void row_model(const struct modelled *modelled, struct conflict_row *row)
{
    const struct modelled_row *load = row_find(modelled, row->profile_module, row->to.address);
    if (row->type != CONFLICT_FORWARD || !load || !load->seen)
        return;
    row->modelled = true;
    row->fails =
        modelled_ratio(modelled, load, FIELD_EVENT + FORWARD_FAILS, 1, load, FIELD_RETIRED, 1);
    row->fail_cycles = modelled->model.forward_fail;
    double fails = isnan(row->fails.value) ? 0 : row->fails.value;
    row->cost = (double)row->count * fails * fmax(row->fail_cycles, 1);
}

void conflict_view_model(struct conflict_view *view)
{
    const struct profile *profile = view->scene->sides[0];
    struct modelled modelled;
    struct err err;
    bool any = false;
    for (size_t i = 0; i < view->n; i++)
        any |= view->at[i].type == CONFLICT_FORWARD;
    if (!any || !modelled_has(profile) || !modelled_make(&modelled, view->scene, NULL, &err))
        return;
    snprintf(view->core, sizeof view->core, "%s", modelled.model.name);
    for (size_t i = 0; i < view->n && modelled.addressed; i++)
        row_model(&modelled, &view->at[i]);
    modelled_release(&modelled);
}
