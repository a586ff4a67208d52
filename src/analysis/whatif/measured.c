#include "analysis/whatif/measured.h"

#include "analysis/counts/items.h"

#include <math.h>

void measured_begin(struct whatif_measured *measured)
{
    *measured = (struct whatif_measured){0};
    map_init(&measured->functions, 2 * sizeof(uint64_t));
}

void measured_add(struct whatif_measured *measured, uint32_t module, function_id function,
                  const struct quantity *body)
{
    const uint64_t key[] = {module, function};
    uint32_t index = map_add(&measured->functions, key);
    if (index == measured->n)
        *vec_push(measured) = (struct quantity){0};
    quantity_add(&measured->at[index], body);
}

void measured_make(struct whatif_measured *measured, const struct scene *scene)
{
    struct items items;
    measured_begin(measured);
    items_list(&items, scene, BY_FUNCTION);
    for (size_t i = 0; i < items.n; i++)
        measured_add(measured, items.at[i].module, items.at[i].function, &items.at[i].body[0]);
    items_release(&items);
}

void measured_release(struct whatif_measured *measured)
{
    map_release(&measured->functions);
    vec_release(measured);
}

struct quantity measured_of(const struct whatif_measured *measured, uint32_t module,
                            function_id function)
{
    const uint64_t key[] = {module, function};
    uint32_t index = map_find(&measured->functions, key);
    return index == MAP_NONE ? (struct quantity){0} : measured->at[index];
}

/* Never more than the model says: what it does not know of, the change does not touch. */
static double scaled_by(double gain, double part, double share)
{
    return share < part ? gain * share / part : gain;
}

struct estimate measured_gain(struct estimate gain, double part, struct estimate share)
{
    if (!(part > 0) || isnan(share.lo) || isnan(share.hi))
        return gain;
    double low = gain.lo < 0 ? share.hi : share.lo; /* a loss is the larger the more it touches */
    return (struct estimate){scaled_by(gain.value, part, share.value),
                             scaled_by(gain.lo, part, low), scaled_by(gain.hi, part, share.hi)};
}
