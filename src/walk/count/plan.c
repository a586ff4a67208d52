#include "walk/count/plan.h"

#include "wire/node.h"

/* ---- what is told */

static bool before(const struct wire_plan *a, uint64_t from, uint64_t to)
{
    return a->from != from ? a->from < from : a->to < to;
}

static bool same_place(const struct wire_plan *a, const struct wire_plan *b)
{
    return a->from == b->from && a->to == b->to;
}

static bool bits_valid(uint8_t bits)
{
    return bits == 0 || bits == 5 || bits == 8 || bits == 13 || bits == 16;
}

static bool valid(const struct wire_plan *operation, uint64_t counters)
{
    if (operation->action < PLAN_SET || operation->action >= PLAN_ACTIONS)
        return false;
    uint64_t each = operation->flags & PLAN_SOME    ? 1 + MEASURED_WORDS
                    : operation->flags & PLAN_TICKS ? 2
                                                    : 1;
    if (operation->action != PLAN_COUNT)
        return true;
    if (operation->flags & PLAN_IN_NODE)
        return !(operation->flags & (PLAN_TICKS | PLAN_SOME)) && operation->bits < PLAN_PATHS_MAX &&
               bits_valid(operation->bits) &&
               (operation->bits || (uint64_t)operation->value < node_counters(PLAN_PATHS_MAX));
    return bits_valid(operation->bits) &&
           operation->counter + (each << operation->bits) <= counters;
}

static bool operations_valid(const struct wire_plan *operations, uint32_t n, uint64_t counters)
{
    for (uint32_t i = 0, here = 0; i < n; i++) {
        const struct wire_plan *operation = &operations[i];
        here = i && same_place(operation, operation - 1) ? here + 1 : 1;
        if (here > PLAN_AT_ONE_PLACE || !valid(operation, counters) ||
            (i && before(operation, operation[-1].from, operation[-1].to)))
            return false;
    }
    return true;
}

static bool functions_valid(const struct wire_plan_function *functions, uint32_t n)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (functions[i].start < end ||
            functions[i].start + functions[i].bytes < functions[i].start ||
            (functions[i].state == PLAN_MADE && functions[i].paths > PLAN_PATHS_MAX))
            return false;
        end = functions[i].start + functions[i].bytes;
    }
    return true;
}

static bool within(uint64_t at, uint64_t n, uint64_t each)
{
    return at % 8 == 0 && at <= PLAN_LIBRARY_BYTES && n <= (PLAN_LIBRARY_BYTES - at) / each;
}

bool plan_add(struct plan *plan, const struct wire_plan_module *module)
{
    if (plan->n_slices == PLAN_SLICES ||
        !within(module->operations, module->n, sizeof(struct wire_plan)) ||
        !within(module->functions, module->n_functions, sizeof(struct wire_plan_function)))
        return false;
    struct plan_slice slice = {
        .start = module->start,
        .end = module->end,
        .bias = module->bias,
        .operations = (const void *)(plan->library + module->operations),
        .functions = (const void *)(plan->library + module->functions),
        .n = module->n,
        .n_functions = module->n_functions,
    };
    if (!operations_valid(slice.operations, slice.n, plan->counters) ||
        !functions_valid(slice.functions, slice.n_functions))
        return false;
    plan->slices[plan->n_slices++] = slice;
    return true;
}

uint64_t plan_read(struct plan *plan, const void *section, uint64_t bytes, uint64_t at,
                   uint64_t *left_out)
{
    struct wire_plan_module module;
    while (at <= bytes && bytes - at >= sizeof module) {
        __builtin_memcpy(&module, (const uint8_t *)section + at, sizeof module);
        if (module.bytes < sizeof module || module.bytes % 8 || module.bytes > bytes - at) {
            ++*left_out;
            return bytes;
        }
        *left_out += !plan_add(plan, &module);
        at += module.bytes;
    }
    return at;
}

/* ---- finding */

/* Of a module or a function. */
struct operations {
    const struct wire_plan *at;
    uint32_t n;
};

static plan_place operations_find(const struct plan *plan, struct operations in, uint64_t from,
                                  uint64_t to)
{
    uint32_t low = 0, high = in.n, n = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (before(&in.at[middle], from, to))
            low = middle + 1;
        else
            high = middle;
    }
    while (low + n < in.n && in.at[low + n].from == from && in.at[low + n].to == to) {
        /* of a function they are looked at here first */
        if (n == PLAN_AT_ONE_PLACE || !valid(&in.at[low + n], plan->counters))
            return 0;
        n++;
    }
    size_t at = (size_t)((const uint8_t *)&in.at[low] - plan->library);
    return n ? ((plan_place)(at / 8) + 1) * PLAN_AT_ONE_PLACE + n - 1 : 0;
}

/* The newest that covers the place: modules go, and others come in their stead. */
static const struct plan_slice *slice_of(const struct plan *plan, uint64_t pc)
{
    for (uint32_t i = plan->n_slices; i-- > 0;)
        if (pc - plan->slices[i].start < plan->slices[i].end - plan->slices[i].start)
            return &plan->slices[i];
    return NULL;
}

uint32_t plan_slice_number(const struct plan *plan, uint64_t pc)
{
    const struct plan_slice *slice = slice_of(plan, pc);
    size_t at = slice ? (size_t)((const uint8_t *)slice->functions - plan->library) : 0;
    return slice ? (uint32_t)(at / 8) + 1 : 0;
}

/* Operations on an edge belong to the function that it leaves; others to the one they are in. */
static struct operations operations_about(const struct plan *plan, const struct plan_slice *slice,
                                          uint64_t from, uint64_t to)
{
    uint64_t start;
    if (slice->n)
        return (struct operations){slice->operations, slice->n};
    const struct wire_plan_function *function =
        plan_function(plan, from > PLAN_ARRIVAL ? from : to, &start);
    if (!function || !within(function->operations, function->n, sizeof(struct wire_plan)))
        return (struct operations){0};
    return (struct operations){(const void *)(plan->library + function->operations), function->n};
}

plan_place plan_find(const struct plan *plan, uint64_t from, uint64_t to)
{
    const struct plan_slice *slice = slice_of(plan, to);
    if (!slice)
        return 0;
    uint64_t linked = from > PLAN_ARRIVAL ? from - slice->bias : from;
    return operations_find(plan, operations_about(plan, slice, from, to), linked, to - slice->bias);
}

plan_place plan_arrival(const struct plan *plan, uint64_t from, uint64_t to)
{
    plan_place own = from > PLAN_ARRIVAL ? plan_find(plan, from, to) : 0;
    return own ? own : plan_find(plan, PLAN_ARRIVAL, to);
}

/* What the tool knows of it by now; NULL: it does not say. */
static const struct wire_plan_function *function_made(const struct plan *plan,
                                                      const struct wire_plan_function *function)
{
    if (__atomic_load_n(&function->state, __ATOMIC_ACQUIRE) != PLAN_MADE && plan->ask)
        plan->ask(function, (uint64_t)((const uint8_t *)function - plan->library));
    bool made = __atomic_load_n(&function->state, __ATOMIC_ACQUIRE) == PLAN_MADE;
    return made && function->paths <= PLAN_PATHS_MAX ? function : NULL;
}

const struct wire_plan_function *plan_function(const struct plan *plan, uint64_t pc,
                                               uint64_t *ret_start)
{
    const struct plan_slice *slice = slice_of(plan, pc);
    uint32_t low = 0, high = slice ? slice->n_functions : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slice->functions[middle].start <= pc - slice->bias)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 ||
        pc - slice->bias - slice->functions[low - 1].start >= slice->functions[low - 1].bytes)
        return NULL;
    *ret_start = slice->functions[low - 1].start + slice->bias;
    return function_made(plan, &slice->functions[low - 1]);
}

const struct wire_plan_function *plan_part(const struct plan *plan, uint64_t start, uint32_t *at,
                                           uint64_t *ret_start)
{
    const struct plan_slice *slice = slice_of(plan, start);
    while (slice && *at < slice->n_functions) {
        const struct wire_plan_function *function = &slice->functions[(*at)++];
        if (function->of != start - slice->bias || function->start == function->of)
            continue;
        *ret_start = function->start + slice->bias;
        return function;
    }
    return NULL;
}

bool plan_covers(const struct plan *plan, uint64_t pc)
{
    uint64_t start;
    const struct wire_plan_function *function =
        plan && plan->covered ? plan_function(plan, pc, &start) : NULL;
    return function && (function->flags & PLAN_COVERED);
}
