#include "analysis/report/annotate_sum.h"

#include <math.h>

static const struct estimate unknown = {NAN, NAN, NAN};

void annotated_sum_add(struct annotated_sum *sum, const struct annotation *annotation, size_t i)
{
    if (annotation->plain)
        groups_merge(&sum->plain, &annotation->plain[i]);
    else
        quantity_add(&sum->walked, &annotation->counted.flows[0].instructions[i]);
}

struct estimate annotated_sum_share(const struct annotated_sum *sum,
                                    const struct annotation *annotation)
{
    const struct report *report = annotation->report;
    if (annotation->plain)
        return plain_share(&report->plain, &sum->plain);
    return estimate_share(report->scene->sides[0], &sum->walked, report->weight == WEIGHT_TIME);
}

struct estimate annotated_sum_time(const struct annotated_sum *sum,
                                   const struct annotation *annotation)
{
    const struct report *report = annotation->report;
    const struct profile *profile = report->scene->sides[0];
    if (annotation->plain)
        return report->weight == WEIGHT_COUNT ? unknown : plain_amount(&report->plain, &sum->plain);
    return profile->mode == PROFILE_EXACT ? unknown : estimate_time(profile, &sum->walked);
}
