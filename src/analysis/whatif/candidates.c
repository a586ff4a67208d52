#include "analysis/whatif/candidate.h"

#include "analysis/pipeline/modelled.h"
#include "analysis/whatif/loops.h"
#include "analysis/whatif/traits.h"
#include "analysis/whatif/whatif.h"
#include "model/replay/code.h"

#include <math.h>
#include <stdlib.h>

enum {
    EVENT_L1D_MISS = 0,
    EVENT_DTLB_MISS = 3,
    EVENT_MISPREDICT = 7,
    EVENT_FORWARD_FAIL = 10,
    EVENT_TAKEN = 11,
    RESOLVED = 12,   /* cycles from a branch's fetch to its result, about */
    REMAINDER = 6,   /* cycles to multiply the quotient again, and subtract; and its correction */
    LOOK_AHEAD = 16, /* instructions */
    CALL_COSTS = 3,  /* cycles of call, return and what they save, about */
    BODY_MAX = 4096, /* bytes of a loop that is looked at */
};
_Static_assert(CORE_L1D_MISS == 1 << EVENT_L1D_MISS && CORE_DTLB_MISS == 1 << EVENT_DTLB_MISS &&
                   CORE_MISPREDICT == 1 << EVENT_MISPREDICT && CORE_TAKEN == 1 << EVENT_TAKEN &&
                   CORE_FORWARD_FAIL == 1 << EVENT_FORWARD_FAIL,
               "the numbers of events");

struct finding {
    struct candidates *to;
    struct modelled *modelled;
    struct core_code *code;
    const struct whatif_asked *asked;
    const struct modelled_row *row;
    const struct code_insn *insn;
    struct map functions; /* of layouts: where they begin, as cores see it */
    struct candidates layouts;
};

static double sum_of(const struct finding *finding, uint32_t field)
{
    return modelled_total(finding->modelled, finding->row, field, 1).value;
}

static bool is_asked(const struct finding *finding, enum whatif_kind kind)
{
    return !finding->asked->kinds_set || finding->asked->kind == kind;
}

static struct candidate *add(struct finding *finding, enum whatif_kind kind, double bound)
{
    const struct modelled_row *row = finding->row;
    if (!is_asked(finding, kind) || !(bound > 0))
        return NULL;
    struct candidate *candidate = vec_push(finding->to);
    *candidate = (struct candidate){.kind = kind,
                                    .module = row->module,
                                    .place = row->at,
                                    .at = finding->insn->at,
                                    .bound = bound,
                                    .units = sum_of(finding, FIELD_RETIRED)};
    return candidate;
}

/* A multiplication of the same width and a shift: what compilers make of a division by a constant.
 */
static struct core_insn multiplication(const struct core_insn *division, const struct model *model,
                                       bool floating)
{
    static const uint8_t product[] = {0x48, 0x0f, 0xaf, 0xc1};  /* imul %rcx,%rax */
    static const uint8_t fproduct[] = {0xf2, 0x0f, 0x59, 0xc1}; /* mulsd %xmm1,%xmm0 */
    struct core_insn made, other = *division;
    if (!core_insn_make(model, floating ? fproduct : product, 4, &made))
        return other;
    other.cycles = (uint8_t)(made.cycles + !floating);
    other.every = made.every;
    other.value_bits = 0;
    other.slots = (uint8_t)(made.slots + !floating);
    other.n_ops = made.n_ops;
    for (uint8_t i = 0; i < made.n_ops; i++)
        other.ports[i] = made.ports[i];
    return other;
}

/* Whether the code after a division reads what it left in %rdx, and not its quotient in %rax. */
static bool leaves_remainder(struct core_code *code, uint64_t at, uint8_t length)
{
    enum { REG_AX = 1 << 0, REG_DX = 1 << 2 };
    uint32_t left = REG_AX | REG_DX;
    struct traits traits = {.length = length};
    for (int i = 0; i < LOOK_AHEAD && left; i++) {
        at += traits.length;
        if (!traits_read(code, at, &traits))
            return false;
        if (traits.reads & left)
            return (traits.reads & left) == REG_DX;
        left &= ~traits.writes;
    }
    return false;
}

static void division_find(struct finding *finding, const struct traits *traits)
{
    bool floating = traits->what & TRAIT_FDIVIDES;
    if (!(traits->what & (TRAIT_DIVIDES | TRAIT_FDIVIDES)))
        return;
    struct core_insn other = multiplication(&finding->insn->core, finding->code->model, floating);
    if (!floating && leaves_remainder(finding->code, finding->insn->at, traits->length))
        other.cycles = (uint8_t)(other.cycles + REMAINDER);
    double issue = sum_of(finding, FIELD_STAGE + STAGE_ISSUE);
    double each = issue - other.cycles * sum_of(finding, FIELD_RETIRED);
    struct candidate *candidate = add(finding, WHATIF_DIVISION, each);
    if (candidate)
        candidate->other = other;
}

static void memory_find(struct finding *finding)
{
    const struct model *model = &finding->modelled->model;
    double misses = sum_of(finding, FIELD_EVENT + EVENT_L1D_MISS) +
                    sum_of(finding, FIELD_EVENT + EVENT_DTLB_MISS);
    double fails = sum_of(finding, FIELD_EVENT + EVENT_FORWARD_FAIL);
    if (!(finding->insn->core.flags & INSN_LOAD))
        return;
    double waits =
        sum_of(finding, FIELD_STAGE + STAGE_LOAD) - sum_of(finding, FIELD_LOADS) * model->load_int;
    if (misses > 0)
        add(finding, WHATIF_LOAD, waits);
    if (fails > 0 && finding->modelled->addressed)
        add(finding, WHATIF_FORWARD, fails * (model->forward_fail + model->load_int));
}

static void loop_take(struct candidate *found, const struct code_insn *insn,
                      const struct whatif_loop *loop)
{
    if (!found)
        return;
    found->n_steps = loop->n_steps;
    memcpy(found->steps, loop->steps, sizeof loop->steps);
    found->begin = insn->target, found->end = insn->at + insn->core.length;
}

/* A loop that ends here, if what it does can be told by its code alone. */
static void loop_find(struct finding *finding, double mispredicted)
{
    const struct code_insn *insn = finding->insn;
    double width = finding->modelled->model.dispatch_width, runs = sum_of(finding, FIELD_RETIRED);
    struct whatif_loop loop;
    if (insn->core.kind != INSN_COND || !insn->target || insn->target >= insn->at ||
        insn->at - insn->target > BODY_MAX || !loop_read(finding->code, insn, &loop))
        return;
    double counting = runs * (loop.n_steps + 1) / width;
    if (loop.n_steps && !loop.calls) {
        loop_take(add(finding, WHATIF_UNROLL, counting), insn, &loop);
        loop_take(add(finding, WHATIF_TRIPS, counting + mispredicted), insn, &loop);
    }
    if (loop.packed * 4 >= loop.instructions && !loop.calls && loop.bits < 512)
        loop_take(add(finding, WHATIF_WIDER, runs * loop.instructions / width / 2), insn, &loop);
}

/* What a function's branches take, is added up by function. */
static void layout_find(struct finding *finding)
{
    struct scene *scene = finding->modelled->scene;
    const struct modelled_row *row = finding->row;
    uint32_t module = scene_module(scene, 0, row->module);
    const struct binary *binary = scene_binary(scene, module);
    function_id id = scene_function_at(scene, module, row->at);
    if (!is_asked(finding, WHATIF_LAYOUT) || !binary || id == FUNCTION_NONE)
        return;
    const struct function *function = &binary->symbols.functions.at[id];
    uint64_t bytes = binary->symbols.ranges.at[function->first_range].bytes;
    uint64_t at = replay_at(row->module, function->start);
    uint32_t index = map_add(&finding->functions, &at);
    if (index == finding->layouts.n)
        *vec_push(&finding->layouts) = (struct candidate){.kind = WHATIF_LAYOUT,
                                                          .module = row->module,
                                                          .place = function->start.v,
                                                          .at = at,
                                                          .begin = at,
                                                          .end = at + bytes};
    struct candidate *layout = &finding->layouts.at[index];
    if (row->at - function->start.v >= bytes) /* a cold part elsewhere */
        return;
    layout->units += sum_of(finding, FIELD_RETIRED);
    bool forward = finding->insn->target > finding->insn->at;
    double runs = sum_of(finding, FIELD_RETIRED),
           taken = sum_of(finding, FIELD_EVENT + EVENT_TAKEN);
    if (forward && finding->insn->core.kind == INSN_COND && taken * 2 > runs)
        layout->bound += taken * 2 - runs;
    if (forward && finding->insn->core.kind == INSN_JUMP)
        layout->bound += runs;
}

static void row_find(struct finding *finding)
{
    const struct modelled_row *row = finding->row;
    struct traits traits;
    uint32_t index = code_one(finding->code, replay_at(row->module, (struct svma){row->at}));
    if (index == REPLAY_NONE)
        return;
    struct code_insn insn = finding->code->insns.at[index];
    finding->insn = &insn;
    double mispredicts = sum_of(finding, FIELD_EVENT + EVENT_MISPREDICT);
    double mispredicted = mispredicts * (finding->modelled->model.mispredict + (double)RESOLVED);
    if (insn.core.kind != INSN_PLAIN)
        add(finding, WHATIF_BRANCH, mispredicted);
    if (insn.core.kind == INSN_CALL || insn.core.kind == INSN_CALL_INDIRECT) {
        struct candidate *call =
            add(finding, WHATIF_INLINE, sum_of(finding, FIELD_RETIRED) * CALL_COSTS);
        if (call)
            call->begin = insn.target;
    }
    memory_find(finding);
    if (traits_read(finding->code, insn.at, &traits))
        division_find(finding, &traits);
    loop_find(finding, mispredicted);
    layout_find(finding);
}

static int bound_order(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void candidates_find(struct candidates *candidates, struct modelled *modelled,
                     struct core_code *code, const struct whatif_asked *asked)
{
    struct finding finding = {.to = candidates, .modelled = modelled, .code = code, .asked = asked};
    map_init(&finding.functions, sizeof(uint64_t));
    for (size_t i = 0; i < modelled->n; i++) {
        finding.row = &modelled->at[i];
        row_find(&finding);
    }
    for (size_t i = 0; i < finding.layouts.n; i++)
        if (finding.layouts.at[i].bound > 0)
            *vec_push(candidates) = finding.layouts.at[i];
    if (candidates->n)
        qsort(candidates->at, candidates->n, sizeof *candidates->at, bound_order);
    map_release(&finding.functions);
    vec_release(&finding.layouts);
}
