/* Values that are nearly always the same: guard and copy; calls of usual targets. */
#include "analysis/fix/fix.h"

#include "analysis/counts/labels.h"
#include "analysis/values/value_findings.h"
#include "analysis/values/value_registers.h"
#include "analysis/values/values.h"

/* Below that is no number that somebody wrote. */
static const uint64_t POINTERS_FROM = UINT64_C(1) << 32;

struct naming {
    struct scene *scene;
    const struct value_place *place;
    const char *function, *value;
    double percent;
    bool pointer;
};

static const char *divisor_sketch(const struct naming *of)
{
    return arena_format(&of->scene->arena,
                        "q = d == %s ? n / %s : n / d; /* a constant becomes a multiplication */",
                        of->value, of->value);
}

static const char *target_sketch(const struct naming *of)
{
    return arena_format(&of->scene->arena,
                        "if (f == %s)\n    %s(...); /* can be inlined */\nelse\n"
                        "    f(...);",
                        of->value, of->value);
}

static const char *size_sketch(const struct naming *of)
{
    return arena_format(&of->scene->arena,
                        "if (n == %s)\n    memcpy(to, from, %s); /* moves, and no loop */\nelse\n"
                        "    memcpy(to, from, n);",
                        of->value, of->value);
}

static const char *load_sketch(const struct naming *of)
{
    return arena_format(&of->scene->arena,
                        "if (x == %s) { /* the code that follows, with %s for x */ } else { /* as "
                        "it is */ }",
                        of->value, of->value);
}

/* Arguments in vector registers are numbered apart. */
static const char *sort_of(const struct naming *of)
{
    return of->place->form.type == VALUE_INTEGER ? "" : "floating-point ";
}

static const char *argument_sketch(const struct naming *of)
{
    uint32_t number = value_register_argument(of->place->detail);
    if (of->pointer)
        return NULL;
    return arena_format(&of->scene->arena,
                        "/* body(): %s as it is, static inline and always_inline */\n"
                        "%s(...)\n{\n    if (%sargument %u == %s)\n"
                        "        return body(... %s ...);\n    return body(...);\n}",
                        of->function, of->function, sort_of(of), number, of->value, of->value);
}

static const char *return_sketch(const struct naming *of)
{
    return arena_format(&of->scene->arena, "if (__builtin_expect(%s(...) == %s, 1))", of->function,
                        of->value);
}

static const char *argument_text(const struct naming *of)
{
    return of->pointer
               ? "always the same object: take what depends on it alone (a lock, a look-up, a "
                 "check) out of the loop, or call a variant without it, such as getc_unlocked for "
                 "getc; gait record --context shows the callers"
               : "guard and copy: a copy of the function in which the argument is a constant; or "
                 "do at the callers what the constant allows (gait record --context shows them)";
}

static const char *words_of(const struct naming *of)
{
    struct arena *arena = &of->scene->arena;
    uint32_t reg = of->place->detail;
    switch ((enum value_use)of->place->use) {
    case VALUE_DIVISOR:
        return arena_format(arena, "divides by %s in %.0f %% of executions", of->value,
                            of->percent);
    case VALUE_TARGET:
        return arena_format(arena, "calls %s in %.0f %% of executions", of->value, of->percent);
    case VALUE_SIZE:
        return arena_format(arena, "copies or fills %s in %.0f %% of executions", of->value,
                            of->percent);
    case VALUE_LOAD:
        return arena_format(arena, "loads %s in %.0f %% of executions", of->value, of->percent);
    case VALUE_ARGUMENT:
        return arena_format(arena, "%sargument %u (in %%%s) is %s in %.0f %% of calls", sort_of(of),
                            value_register_argument(reg), value_register_name(reg), of->value,
                            of->percent);
    case VALUE_RETURN:
        return arena_format(arena, "returns %s in %.0f %% of executions", of->value, of->percent);
    default: return "";
    }
}

/* As its register is read. */
static int64_t number_of(const struct value_place *place, uint64_t value)
{
    return place->form.bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static void place_add(struct fixes *fixes, const struct places_values *places,
                      const struct value_place *place)
{
    typedef const char *sketching(const struct naming *of);
    static sketching *const sketches[VALUE_USES] = {
        [VALUE_DIVISOR] = divisor_sketch,   [VALUE_TARGET] = target_sketch,
        [VALUE_SIZE] = size_sketch,         [VALUE_LOAD] = load_sketch,
        [VALUE_ARGUMENT] = argument_sketch, [VALUE_RETURN] = return_sketch};
    enum value_finding finding = value_finding_of(places, place);
    enum fix_kind kind = place->use == VALUE_TARGET ? FIX_CALL : FIX_SPECIALISE;
    if (finding == FINDING_NONE || !sketches[place->use] || !fixes_want(fixes, kind))
        return;
    struct scene *scene = fixes->scene;
    const struct place_value *value = &places->values.at[place->first];
    bool pointer = place->form.type == VALUE_INTEGER &&
                   (value->to != MODULE_NONE || value->value >= POINTERS_FROM);
    if (pointer && place->use != VALUE_ARGUMENT && place->use != VALUE_TARGET)
        return; /* nobody writes an address into a program */
    function_id function = scene_function_at(scene, place->module, place->address);
    uint32_t to = place->use == VALUE_TARGET && value->to != MODULE_NONE
                      ? scene_function_at(scene, value->to, value->value)
                      : FUNCTION_NONE;
    const char *shown = to == FUNCTION_NONE
                            ? value_words(scene, place, value)
                            : name_text(scene, scene_function_name(scene, value->to, to));
    struct naming of = {.scene = scene,
                        .place = place,
                        .function =
                            name_text(scene, scene_function_name(scene, place->module, function)),
                        .value = arena_format(&scene->arena, "%s", shown),
                        .percent = 100 * value->share.value,
                        .pointer = pointer};
    bool number = place->use == VALUE_ARGUMENT && place->form.type == VALUE_INTEGER && !pointer;
    fixes_add(fixes,
              (struct fix_row){.kind = kind,
                               .module = place->module,
                               .at = place->address,
                               .weight = fixes_weight(fixes, place->module, place->address),
                               .evidence = words_of(&of),
                               .text = place->use == VALUE_ARGUMENT ? argument_text(&of)
                                                                    : value_finding_text(finding),
                               .sketch = sketches[place->use](&of),
                               .argument = number ? value_register_argument(place->detail) : 0,
                               .value = number_of(place, value->value)});
}

void fixes_values(struct fixes *fixes)
{
    struct places_values places;
    values_make(&places, fixes->scene, VALUE_KINDS_USUAL);
    for (size_t i = 0; i < places.n; i++)
        place_add(fixes, &places, &places.at[i]);
    values_release(&places);
}
