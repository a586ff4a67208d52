#include "view/values.h"

#include "program/assembly.h"
#include "program/binary.h"
#include "view/head.h"
#include "view/ink.h"
#include "view/value_findings.h"

#include <math.h>

enum { VALUES_SHOWN = 4 };

static void value_print(FILE *to, struct scene *scene, const struct value_place *place,
                        const struct place_value *value, bool hidden)
{
    struct estimate share = value->share;
    const char *text = "(not shown)";
    if (!hidden)
        text = place->use == VALUE_CUSTOM ? value_custom_text(scene, value->value)
               : value->to == MODULE_NONE ? value_text(place->form, value->value)
                                          : value_pointer_text(scene, value->to, value->value);
    fprintf(to, "      %6.2f%%", 100 * share.value);
    if (isnan(share.lo))
        fprintf(to, "  [     ?,      ?]");
    else
        fprintf(to, "  [%6.2f, %6.2f]", 100 * share.lo, 100 * share.hi);
    fprintf(to, "  %s\n", text);
}

static void caller_print(FILE *to, struct scene *scene, const struct value_place *place)
{
    if (place->caller_module == MODULE_NONE)
        return;
    function_id function = scene_function_at(scene, place->caller_module, place->caller);
    fprintf(to, "      called from %s  %s  %s\n",
            name_text(scene, scene_function_name(scene, place->caller_module, function)),
            line_text(scene, place->caller_module, place->caller - 1),
            address_text(scene, place->caller_module, place->caller));
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
    caller_print(to, scene, place);
    for (size_t i = 0; i < place->n && i < VALUES_SHOWN; i++)
        value_print(to, scene, place, &values[i], hidden);
    if (!place->n)
        fprintf(to, "      no value often enough to be told\n");
    enum value_finding finding = value_finding_of(places, place);
    if (finding != FINDING_NONE)
        fprintf(to, "      %s (%.2g cycles of 1000 instructions at most)\n",
                value_finding_text(finding), place->saves);
}

void values_text(FILE *to, const struct places_values *places, const struct ink *ink,
                 struct values_cut cut)
{
    size_t shown = 0;
    head_text(to, places->scene, 0);
    fprintf(to, "values, those first whose knowledge would save most; shares with their 95 %% "
                "intervals\n\n");
    for (; shown < places->n && shown < cut.limit; shown++)
        place_print(to, places, &places->at[shown], ink, cut.no_values);
    fprintf(to, "\n%zu of %zu places; --limit shows others\n", shown, places->n);
    losses_text(to, places->scene, 0, 0);
}
