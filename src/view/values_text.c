#include "view/values.h"

#include "program/assembly.h"
#include "program/binary.h"
#include "view/head.h"
#include "view/ink.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { VALUES_SHOWN = 4, SMALL = 1 << 20 };

/* Numbers as one would write them: small ones in decimal, of either sign, doubles as such, else hexadecimal. */
static const char *value_text(const struct value_place *place, uint64_t value)
{
    static char text[64];
    double real;
    memcpy(&real, &value, sizeof real);
    int64_t number = (int64_t)value;
    if (place->vector && isfinite(real) && (real == 0 || (fabs(real) > 1e-30 && fabs(real) < 1e30)))
        snprintf(text, sizeof text, "0x%" PRIx64 " (as a double %g)", value, real);
    else if (number > -SMALL && number < SMALL)
        snprintf(text, sizeof text, "%" PRId64, number);
    else if (value <= UINT32_MAX && (int32_t)value < 0 && (int32_t)value > -SMALL)
        snprintf(text, sizeof text, "0x%" PRIx64 " (%" PRId32 ")", value, (int32_t)value);
    else
        snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

/* What one could do about it, where its most frequent value has nine tenths of it or more. */
static const char *advice(const struct value_place *place, double share)
{
    if (share < 0.9)
        return NULL;
    switch ((enum value_use)place->use) {
    case VALUE_DIVISOR:
        return "divides by nearly always the same: test for it, and divide by a constant";
    case VALUE_SIZE: return "nearly always of one size: a copy of a constant size needs no loop";
    case VALUE_LOAD:
        return "loads nearly always the same: keep it in a register, or specialise for it";
    default: return NULL;
    }
}

static void place_print(FILE *to, const struct places_values *places,
                        const struct value_place *place, const struct ink *ink, bool hidden)
{
    struct scene *scene = places->scene;
    const struct binary *binary = scene_binary(scene, place->module);
    function_id function = scene_function_at(scene, place->module, place->address);
    char assembly[128] = "";
    if (binary)
        assembly_text(&binary->image, (struct svma){place->address}, ASSEMBLY_ATT, NULL, NULL,
                      assembly, sizeof assembly);
    fprintf(to, "%-8s seen %s times  %s%s%s  %s  %s\n", value_use_name((enum value_use)place->use),
            count_text(place->total, false), ink_begin(ink, INK_NAME),
            name_text(scene, scene_function_name(scene, place->module, function)),
            ink_end(ink, INK_NAME), line_text(scene, place->module, place->address),
            address_text(scene, place->module, place->address));
    fprintf(to, "      %s%s%s\n", ink_begin(ink, INK_SOURCE), assembly, ink_end(ink, INK_SOURCE));
    const struct place_value *values = &places->values.at[place->first];
    for (size_t i = 0; i < place->n && i < VALUES_SHOWN; i++) {
        struct estimate share = values[i].share;
        fprintf(to, "      %6.2f%%", 100 * share.value);
        if (isnan(share.lo))
            fprintf(to, "  [     ?,      ?]");
        else
            fprintf(to, "  [%6.2f, %6.2f]", 100 * share.lo, 100 * share.hi);
        fprintf(to, "  %s\n", hidden ? "(not shown)" : value_text(place, values[i].value));
    }
    if (!place->n)
        fprintf(to, "      no value often enough to be told\n");
    const char *hint = place->n ? advice(place, values[0].share.value) : NULL;
    if (hint)
        fprintf(to, "      %s\n", hint);
}

void values_text(FILE *to, const struct places_values *places, const struct ink *ink,
                 struct values_cut cut)
{
    size_t shown = 0;
    head_text(to, places->scene, 0);
    fprintf(to,
            "values, where most is alike of what runs most; shares with their 95 %% intervals\n\n");
    for (; shown < places->n && shown < cut.limit; shown++)
        place_print(to, places, &places->at[shown], ink, cut.no_values);
    fprintf(to, "\n%zu of %zu places; --limit shows others\n", shown, places->n);
    losses_text(to, places->scene, 0, 0);
}
