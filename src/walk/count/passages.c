#include "walk/count/passages.h"

#include "walk/count/path_table.h"
#include "walk/base/sys.h"

/* ---- when */

enum { BURSTS_FEW = 8, GAP_FIRST = 64, GAP_DOUBLINGS = 7 };
/* In place of an operation, with how long it was. */
#define LOOK_PAUSE UINT64_MAX

/* Paths until the next burst: uniform up to twice the mean. Short programs must get some too. */
static int64_t gap_draw(struct context *context)
{
    uint64_t doublings = context->bursts++ / BURSTS_FEW;
    uint64_t mean = GAP_FIRST << (doublings < GAP_DOUBLINGS ? doublings : GAP_DOUBLINGS);
    return 1 + (int64_t)(context_chance(context) % (2 * mean - 1));
}

static void looks_empty(struct context *context, int64_t room)
{
    context->looks_at = -room * (int64_t)sizeof(struct look);
}

static void burst_end(struct context *context)
{
    context->path_left = gap_draw(context);
    context->path_back = context->path_waits;
    context->path_follows = 0;
    looks_empty(context, CONTEXT_LOOKS);
    if (context->bursts % 2 && flow_wanted(context, context->bursts / 2))
        flow_arm(context);
    else
        flow_disarm(context);
}

/* What a passage took so far. */
struct stretch {
    uint64_t ticks, looks;
};
/* In the shadow of the stack: nothing that is believed is longer. */
enum { STRETCH_TICKS_BITS = 48 };

/* Nothing but the end of the passage that runs. */
static void passage_follow(struct context *context, struct stretch so_far, uint64_t now)
{
    flow_disarm(context);
    context->path_left = 0;
    context->path_back = 0;
    context->path_began = now - so_far.ticks;
    context->path_follows = so_far.looks + 1;
    looks_empty(context, 1);
}

void passages_forget(struct context *context)
{
    if (passages_run(context) || flow_runs(context))
        burst_end(context);
}

/* ---- who waits */

/* Passages that wait below the stack pointer were left for good. A waiting passage is further up
 * than those saved later: if the shadow was overwritten by another stack, none waits. */
static void waits_drop(struct context *context, uint64_t below)
{
    while (context->path_waits < below) {
        uint64_t next = context_shadow(context, context->path_waits)->waits;
        context->path_waits = next > context->path_waits ? next : PATH_WAITS_NONE;
    }
}

static void wait_add(struct context *context, uint64_t sp, struct stretch so_far)
{
    waits_drop(context, sp + 1);
    struct shadow *shadow = context_shadow(context, sp);
    uint64_t most = (UINT64_C(1) << STRETCH_TICKS_BITS) - 1;
    shadow->ticks = (so_far.ticks < most ? so_far.ticks : most) | so_far.looks
                                                                      << STRETCH_TICKS_BITS;
    shadow->waits = context->path_waits;
    context->path_waits = sp;
}

/* False: nobody waits there. */
static bool wait_take(struct context *context, uint64_t sp, struct stretch *ret_so_far)
{
    waits_drop(context, sp);
    if (context->path_waits != sp)
        return false;
    const struct shadow *shadow = context_shadow(context, sp);
    context->path_waits = shadow->waits;
    *ret_so_far = (struct stretch){shadow->ticks & ((UINT64_C(1) << STRETCH_TICKS_BITS) - 1),
                                   shadow->ticks >> STRETCH_TICKS_BITS};
    return true;
}

void passage_goes_on(struct context *context)
{
    struct stretch so_far;
    bool waits = wait_take(context, context->gpr[RSP], &so_far);
    if (flow_runs(context)) /* it is not followed: a burst is not to be disturbed twice */
        context->flow_spoiled = 1;
    else if (waits)
        passage_follow(context, so_far, 0);
    if (flow_runs(context) || !waits)
        context->path_back = context->path_waits;
}

/* ---- what looking takes */

enum { COST_SCALE = 16, COST_SLOWLY = 64 };

/* Until it is seen where code looks: the least of two looks of ours. */
static uint64_t cost_guess(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 64; i++) {
        uint64_t before = sys_tsc_fenced(), ticks = sys_tsc_fenced() - before;
        least = ticks < least ? ticks : least;
    }
    return least * COST_SCALE;
}

/* Nothing was between two reads. A mean, since clocks have coarse steps; outliers were interrupted.
 */
static void cost_see(struct context *context, uint64_t ticks)
{
    uint64_t seen = ticks * COST_SCALE;
    if (seen < 4 * context->path_clock)
        context->path_clock += seen / COST_SLOWLY - context->path_clock / COST_SLOWLY;
}

/* ---- reading */

/* A path has no loop: one of a tenth of a millisecond was interrupted, or waited in the kernel; so
 * was one of microseconds if others of the path are much shorter. It must not stand for hundreds of
 * others. */
enum {
    PASSAGE_INTERRUPTED = 1 << 18,
    PASSAGE_LONG = 1 << 12,
    PASSAGE_TIMES = 16,
    PASSAGES_FEW = 4
};
/* Clock reads of a burst at which no passage begins: the first, which are cold, and the last, so
 * that most passages are complete before the dispatcher runs. */
enum { LOOKS_COLD = 8, LOOKS_LATE = 16 };

struct measured_passage {
    const struct wire_plan *operation;
    uint64_t path;
    struct wire_measured sum; /* `bursts` and `squares` not yet */
};

struct reading {
    const struct plan *plan;
    struct context *context;
    bool runs; /* a passage that is measured, */
    uint64_t began, looks;
    struct {
        uint64_t sp;
        struct stretch so_far;
        bool runs;
    } waits[CONTEXT_LOOKS]; /* of this burst, from the outermost on */
    uint32_t n_waits;
    struct measured_passage passages[CONTEXT_LOOKS]; /* of one path together */
    uint32_t n_passages;
};

static struct stretch stretch_to(const struct reading *reading, const struct look *look)
{
    int64_t ticks = (int64_t)(look->clock - reading->began) -
                    (int64_t)(reading->context->path_clock / COST_SCALE);
    return (struct stretch){ticks > 0 ? (uint64_t)ticks : 0, reading->looks + 1};
}

static uint64_t path_number(const struct wire_plan *operation, uint64_t path)
{
    uint64_t sum = path + (uint64_t)operation->value;
    return operation->action == PLAN_COUNT_PATH ? sum
                                                : sum & ((UINT64_C(1) << operation->bits) - 1);
}

static struct wire_measured *measured_at(struct context *context, const struct wire_plan *operation,
                                         uint64_t path)
{
    uint64_t n = UINT64_C(1) << operation->bits;
    return (struct wire_measured *)(void *)(context->counters + operation->counter + n +
                                            MEASURED_WORDS * path);
}

/* What is known of the path's other passages. */
static struct wire_measured others_of(struct context *context, const struct measured_passage *path)
{
    const struct wire_path key = {.path = path->path,
                                  .function = path->operation->counter | PATH_TIMED};
    struct wire_measured others = path->sum;
    if (path->operation->action == PLAN_COUNT) {
        const struct wire_measured *before = measured_at(context, path->operation, path->path);
        others.ticks += before->ticks;
        others.passages += before->passages;
        return others;
    }
    const struct wire_path *before = path_find((uint8_t *)context->counters, &key);
    others.ticks += before ? before->ticks : 0;
    others.passages += before ? before->count : 0;
    return others;
}

static bool was_interrupted(struct context *context, const struct measured_passage *path,
                            uint64_t ticks)
{
    if (ticks < PASSAGE_LONG || ticks >= PASSAGE_INTERRUPTED)
        return ticks >= PASSAGE_LONG;
    struct wire_measured others = others_of(context, path);
    return others.passages >= PASSAGES_FEW &&
           ticks > PASSAGE_TIMES * (others.ticks / others.passages);
}

/* Of this burst. */
static struct measured_passage *measured_find(struct reading *reading,
                                              const struct wire_plan *operation, uint64_t path)
{
    for (uint32_t i = 0; i < reading->n_passages; i++)
        if (reading->passages[i].operation->counter == operation->counter &&
            reading->passages[i].path == path)
            return &reading->passages[i];
    reading->passages[reading->n_passages] =
        (struct measured_passage){.operation = operation, .path = path};
    return &reading->passages[reading->n_passages++];
}

static void passage_end(struct reading *reading, const struct wire_plan *operation,
                        const struct look *look)
{
    if (!reading->runs)
        return;
    struct stretch whole = stretch_to(reading, look);
    struct measured_passage *passage =
        measured_find(reading, operation, path_number(operation, look->path));
    reading->runs = false;
    if (was_interrupted(reading->context, passage, whole.ticks)) {
        context_lose(reading->context->interrupted, 1);
        return;
    }
    passage->sum.ticks += whole.ticks;
    passage->sum.passages++;
    passage->sum.looks += whole.looks;
}

static void call_begin(struct reading *reading, const struct look *look)
{
    reading->waits[reading->n_waits].sp = look->sp;
    reading->waits[reading->n_waits].so_far = stretch_to(reading, look);
    reading->waits[reading->n_waits++].runs = reading->runs;
    reading->runs = false;
}

static void call_end(struct reading *reading, const struct look *look)
{
    struct stretch so_far = {0};
    reading->runs = false;
    while (reading->n_waits && reading->waits[reading->n_waits - 1].sp < look->sp)
        reading->n_waits--; /* left for good */
    if (reading->n_waits && reading->waits[reading->n_waits - 1].sp == look->sp) {
        reading->n_waits--;
        reading->runs = reading->waits[reading->n_waits].runs;
        so_far = reading->waits[reading->n_waits].so_far;
    } else if (!reading->n_waits) {
        reading->runs = wait_take(reading->context, look->sp, &so_far);
    }
    reading->began = look->clock - so_far.ticks;
    reading->looks = so_far.looks;
}

static const struct wire_plan *look_operation(const struct plan *plan, const struct look *look)
{
    return (const void *)(plan->library + 8 * look->operation);
}

static void look_read(struct reading *reading, const struct look *look)
{
    bool burst = !reading->context->path_follows;
    int64_t number = look - reading->context->looks;
    if (look->operation == LOOK_PAUSE) {
        reading->began += look->clock;
        return;
    }
    const struct wire_plan *operation = look_operation(reading->plan, look);
    switch ((enum plan_action)operation->action) {
    case PLAN_SET:
        reading->runs = burst && number >= LOOKS_COLD && number < CONTEXT_LOOKS - LOOKS_LATE;
        reading->began = look->clock;
        reading->looks = 0;
        if (burst && number >= LOOKS_COLD && look->path)
            cost_see(reading->context, look->clock - look->path);
        break;
    case PLAN_COUNT:
    case PLAN_COUNT_PATH: passage_end(reading, operation, look); break;
    case PLAN_KEEP: call_begin(reading, look); break;
    case PLAN_BACK: call_end(reading, look); break;
    default: break;
    }
}

/* ---- what is known of a path */

static void measured_add(struct context *context, const struct measured_passage *passage)
{
    const struct wire_plan *operation = passage->operation;
    const struct wire_measured *sum = &passage->sum;
    uint64_t square = sum->ticks * sum->ticks / sum->passages;
    if (operation->action == PLAN_COUNT) {
        struct wire_measured *all = measured_at(context, operation, passage->path);
        all->ticks += sum->ticks;
        all->passages += sum->passages;
        all->looks += sum->looks;
        all->bursts++;
        all->squares += square;
        return;
    }
    const struct wire_path more[] = {
        {.function = PATH_TIMED, .count = sum->passages, .ticks = sum->ticks},
        {.function = PATH_TIMED_LOOKS, .count = sum->looks, .ticks = square},
        {.function = PATH_TIMED_BURSTS, .count = 1}};
    for (uint32_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct wire_path one = more[i];
        one.path = passage->path;
        one.function |= operation->counter;
        path_count(context, (uint8_t *)context->counters, &one);
    }
}

static void passages_take(const struct plan *plan, struct context *context)
{
    bool follows = context->path_follows;
    struct reading reading = {.plan = plan,
                              .context = context,
                              .runs = follows,
                              .began = context->path_began,
                              .looks = follows ? context->path_follows - 1 : 0};
    const struct look *looks = context->looks + (follows ? CONTEXT_LOOKS - 1 : 0);
    if (!context->path_clock)
        context->path_clock = cost_guess();
    for (; looks < context->looks + CONTEXT_LOOKS; looks++)
        look_read(&reading, looks);
    for (uint32_t i = 0; i < reading.n_passages; i++)
        if (reading.passages[i].sum.passages)
            measured_add(context, &reading.passages[i]);
    for (uint32_t i = 0; i < reading.n_waits; i++)
        if (reading.waits[i].runs)
            wait_add(context, reading.waits[i].sp, reading.waits[i].so_far);
    if (reading.runs && !follows)
        passage_follow(context, (struct stretch){0, reading.looks}, reading.began);
    else
        burst_end(context);
}

void passages_take_left(const struct plan *plan, struct context *context)
{
    context->paused = 0;
    if (flow_runs(context)) {
        if (flow_take(plan, context))
            burst_end(context);
        return;
    }
    passages_take(plan, context);
    context->path_began -= context->looks[CONTEXT_LOOKS - 1].clock;
}

/* ---- the dispatcher's own looks */

static void look_add(const struct plan *plan, struct context *context, struct look look)
{
    context->looks[CONTEXT_LOOKS + context->looks_at / (int64_t)sizeof look] = look;
    context->looks_at += (int64_t)sizeof look;
    if (passages_full(context))
        passages_take(plan, context);
}

void passages_pause(const struct plan *plan, struct context *context, uint64_t ticks)
{
    if (flow_runs(context)) {
        context->path_began += ticks;
        context->flow_paused += ticks;
    }
    if (!passages_run(context))
        return;
    if (context->path_follows)
        context->path_began += ticks;
    else
        look_add(plan, context, (struct look){.clock = ticks, .operation = LOOK_PAUSE});
}

void passage_passes(const struct plan *plan, const struct wire_plan *operation,
                    struct context *context)
{
    uint64_t now = context->paused ? context->paused : sys_tsc();
    struct stretch so_far;
    bool set = operation->action == PLAN_SET, back = operation->action == PLAN_BACK;
    bool asks = operation->action == PLAN_COUNT || operation->action == PLAN_COUNT_PATH ||
                operation->action == PLAN_KEEP;
    if (flow_runs(context))
        flow_passes(context, back && wait_take(context, context->gpr[RSP], &so_far));
    else if (passages_run(context) && (set || back || asks))
        look_add(
            plan, context,
            (struct look){.clock = now,
                          .path = set ? 0 : context->path,
                          .sp = context->gpr[RSP],
                          .operation = (uint64_t)((const uint8_t *)operation - plan->library) / 8});
    else if (set && context->path_left > 1)
        context->path_left--; /* code begins bursts */
    else if (back && wait_take(context, context->gpr[RSP], &so_far))
        passage_follow(context, so_far, now);
    else if (back)
        context->path_back = context->path_waits;
}
