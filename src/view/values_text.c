#include "view/views.h"

#include "analysis/values/values.h"

#include "base/map.h"
#include "view/head.h"
#include "text/ink.h"
#include "view/place_text.h"
#include "analysis/values/value_findings.h"
#include "analysis/values/value_registers.h"

#include <math.h>
#include <string.h>

enum { VALUES_SHOWN = 4 };
static const double KERNEL_MUCH = 0.1;

struct page {
    FILE *to;
    const struct places_values *places;
    const struct ink *ink;
    bool hidden;
    struct place_text text;
    struct map functions; /* shown already, of kinds that have one row a function */
};

static void value_print(const struct page *page, const struct value_place *place,
                        const struct place_value *value)
{
    struct estimate share = value->share;
    fprintf(page->to, "      %6.2f%%", 100 * share.value);
    if (isnan(share.lo))
        fprintf(page->to, "  [     ?,      ?]");
    else
        fprintf(page->to, "  [%6.2f, %6.2f]", 100 * share.lo, 100 * share.hi);
    fprintf(page->to, "  %s\n",
            page->hidden ? "(not shown)" : value_words(page->places->scene, place, value));
}

static void caller_print(const struct page *page, const struct value_place *place)
{
    struct scene *scene = page->places->scene;
    if (place->caller_module == MODULE_NONE)
        return;
    function_id function = scene_function_at(scene, place->caller_module, place->caller);
    fprintf(page->to, "      called from %s  %s  %s\n",
            name_text(scene, scene_function_name(scene, place->caller_module, function)),
            line_text(scene, place->caller_module, place->caller - 1),
            address_text(scene, place->caller_module, place->caller));
}

static void code_print(const struct page *page, const char *text)
{
    if (*text)
        fprintf(page->to, "      %s%s%s\n", ink_begin(page->ink, INK_SOURCE),
                place_brief(&page->text, text), ink_end(page->ink, INK_SOURCE));
}

static void register_print(const struct page *page, const struct value_place *place)
{
    uint32_t number = value_register_argument(place->detail);
    const char *name = value_register_name(place->detail);
    if (place->use == VALUE_ARGUMENT)
        fprintf(page->to, "      argument %u%s, in %%%s\n", number,
                place->form.type == VALUE_INTEGER ? "" : " of the floating-point ones", name);
    else if (place->use == VALUE_RETURN)
        fprintf(page->to, "      returned in %%%s\n", name);
    else if (place->use == VALUE_SYSCALL && value_register_syscall(place->detail))
        fprintf(page->to, "      argument %u to the kernel, in %%%s\n",
                value_register_syscall(place->detail), name);
    else if (place->use == VALUE_SYSCALL)
        fprintf(page->to, "      which system call, in %%%s\n", name);
}

/* What a hotlist has not seen whole. */
static void threshold_print(struct page *page, const struct value_place *place)
{
    bool saving = page->places->hotlist == HOTLIST_SPACE_SAVING;
    if (isnan(place->unsure) || (saving ? place->unsure <= 0 : place->unsure <= 1))
        return;
    fprintf(page->to,
            saving ? "      threshold: up to %.0f more of each, which may be others'\n"
            : page->places->hotlist == HOTLIST_CONCISE
                ? "      threshold %.3g: one occurrence in so many was kept\n"
                : "      threshold %.3g: one occurrence in so many brought a value into the list\n",
            place->unsure);
}

static void place_print(struct page *page, const struct value_place *place)
{
    struct scene *scene = page->places->scene;
    function_id function = scene_function_at(scene, place->module, place->address);
    fprintf(page->to, "%-8s seen %s times  %s%s%s  %s  %s\n",
            value_use_name((enum value_use)place->use), count_text(place->total, false),
            ink_begin(page->ink, INK_NAME),
            name_text(scene, scene_function_name(scene, place->module, function)),
            ink_end(page->ink, INK_NAME), line_text(scene, place->module, place->address),
            address_text(scene, place->module, place->address));
    code_print(page, place_source(&page->text, place->module, place->address));
    register_print(page, place);
    if (!value_use_of_runs((enum value_use)place->use) && place->use != VALUE_ARGUMENT)
        code_print(page, place_assembly(&page->text, place->module, place->address));
    const struct place_value *values = &page->places->values.at[place->first];
    caller_print(page, place);
    for (size_t i = 0; i < place->n && i < VALUES_SHOWN; i++)
        value_print(page, place, &values[i]);
    threshold_print(page, place);
    if (!place->n)
        fprintf(page->to, "      no value is frequent enough to be shown\n");
    enum value_finding finding = value_finding_of(page->places, place);
    if (finding == FINDING_NONE)
        return;
    fprintf(page->to, "      %s", value_finding_text(finding));
    if (place->saves > 0)
        fprintf(page->to,
                place->saves < 10 ? " (saves at most %.2g cycles per 1000 instructions)"
                                  : " (saves at most %.0f cycles per 1000 instructions)",
                place->saves);
    fprintf(page->to, "\n");
}

/* Of kinds whose places are runs of code, a function is shown once: with the run that was gone
 * most. */
static bool function_was_shown(struct page *page, const struct value_place *place)
{
    function_id function = scene_function_at(page->places->scene, place->module, place->address);
    uint64_t key[] = {place->use, place->module, function};
    size_t before = page->functions.n;
    if (!value_use_of_runs((enum value_use)place->use) || function == FUNCTION_NONE)
        return false;
    map_add(&page->functions, key);
    return page->functions.n == before;
}

static const char *one_name(enum value_use use)
{
    return use == VALUE_SIGNAL    ? "set of blocked signals"
           : use == VALUE_PENDING ? "set of waiting signals"
                                  : value_use_name(use);
}

/* What there was one of has no rows. */
static void ones_print(const struct page *page, uint32_t kinds)
{
    const struct {
        enum value_use use;
        const char *fact;
    } ones[] = {{VALUE_THREAD, "one_thread"}, {VALUE_CPU, "one_cpu"},
                {VALUE_NODE, "one_node"},     {VALUE_USER, "one_user"},
                {VALUE_SIGNAL, "one_signal"}, {VALUE_PENDING, "one_pending"}};
    const struct facts *facts = &page->places->scene->sides[0]->facts;
    for (size_t k = 0; k < sizeof ones / sizeof *ones; k++)
        for (size_t i = 0; i < facts->n; i++)
            if ((kinds & 1u << ones[k].use) && !strcmp(facts->at[i].key, ones[k].fact))
                fprintf(page->to, "all windows had one %s: %s\n", one_name(ones[k].use),
                        facts->at[i].value);
}

static void savings_print(FILE *to)
{
    fprintf(to,
            "savings: how often the value occurred, times what knowing it saves on a "
            "current core: %.0f cycles\na division, %.0f a copy, %.0f a call, %.0f a load, %.0f a "
            "result or operand\n",
            value_use_cycles(VALUE_DIVISOR), value_use_cycles(VALUE_SIZE),
            value_use_cycles(VALUE_TARGET), value_use_cycles(VALUE_LOAD),
            value_use_cycles(VALUE_RESULT));
}

/* That nothing is shown of it does not mean that it has none. */
static void kernel_print(FILE *to, const struct totals *totals)
{
    double all = (double)totals->user_ns + (double)totals->kernel_ns;
    double share = all > 0 ? (double)totals->kernel_ns / all : 0;
    if (share > KERNEL_MUCH)
        fprintf(to,
                "%.0f %% of the CPU time is the kernel's, whose code is not walked and has no "
                "values; record --events argument\nand --kind syscall show what it is called "
                "with\n",
                100 * share);
}

void values_text(FILE *to, const struct places_values *places, const struct ink *ink,
                 struct values_cut cut)
{
    size_t shown = 0, i = 0;
    struct page page = {.to = to, .places = places, .ink = ink, .hidden = cut.no_values};
    place_text_begin(&page.text, places->scene);
    map_init(&page.functions, 3 * sizeof(uint64_t));
    head_text(to, places->scene, 0);
    fprintf(to, "values, sorted by what knowing them would save; shares with their 95 %% "
                "intervals\n\n");
    for (; i < places->n && shown < cut.limit; i++)
        if (!function_was_shown(&page, &places->at[i])) {
            place_print(&page, &places->at[i]);
            shown++;
        }
    ones_print(&page, places->kinds);
    shown_text(to, shown, places->n, "places; --kind shows other kinds");
    if (places->n && places->kinds & VALUE_KINDS_USUAL)
        savings_print(to);
    kernel_print(to, &places->scene->sides[0]->totals);
    losses_text(to, places->scene, 0, 0);
    map_release(&page.functions);
    place_text_end(&page.text);
}
