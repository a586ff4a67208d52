#include "model/pmu/profileme.h"

#include "base/err.h"
#include "base/vec.h"
#include "model/core/model.h"
#include "model/pmu/record.h"

#define NEVER UINT64_MAX

/* Two sets of registers, of which the second waits for its instruction. */
struct open_pair {
    struct sample first;
    uint64_t fetch, end; /* of the first */
    uint64_t retired;    /* up to it; NEVER: it did not */
    uint32_t left;       /* instructions to the second */
    uint32_t distance;
    uint32_t tags[2];
};

struct profileme {
    struct profileme_setup setup;
    struct random random;
    uint64_t left;                           /* of the counter */
    uint64_t tag_until[PROFILEME_TAGS_MOST]; /* the cycle from which it is free again */
    struct {
        VEC(struct open_pair);
    } open; /* by their first's fetch */
    struct {
        VEC(struct sample);
    } buffer;
    uint64_t buffered; /* samples: pairs are one */
    uint64_t pairs;
    uint64_t last_retire;
    uint64_t retired; /* instructions */
    struct {
        uint64_t cycle; /* NEVER: none yet */
        uint32_t used;
        bool jumped; /* fetch left it by a branch */
    } block;
    struct profileme_counts counts;
    void (*deliver)(void *, const struct sample *, size_t);
    void *context;
};

/* A branch that is fused to what is before it takes no place of its own. */
uint32_t profileme_window(const struct model *model)
{
    uint32_t places = model->rob + model->opqueue;
    return model->fuse_branch ? places + places / 4 : places;
}

static uint64_t interval_draw(struct profileme *unit)
{
    uint64_t spread = unit->setup.interval / 2;
    return unit->setup.interval - spread + random_below(&unit->random, 2 * spread + 1);
}

struct profileme *profileme_make(const struct profileme_setup *setup,
                                 void (*deliver)(void *context, const struct sample *samples,
                                                 size_t n),
                                 void *context)
{
    ASSERT(setup->interval >= 2 && setup->buffer && setup->history_bits <= 64);
    ASSERT(setup->tags <= PROFILEME_TAGS_MOST && setup->tags >= (setup->window ? 2 : 1));
    struct profileme *unit = mem_alloc(sizeof *unit);
    unit->setup = *setup;
    unit->random.state = setup->seed;
    unit->left = interval_draw(unit);
    unit->last_retire = NEVER;
    unit->block.cycle = NEVER;
    unit->deliver = deliver;
    unit->context = context;
    return unit;
}

void profileme_free(struct profileme *unit)
{
    vec_release(&unit->open);
    vec_release(&unit->buffer);
    mem_free(unit);
}

static void buffer_deliver(struct profileme *unit)
{
    if (!unit->buffer.n)
        return;
    unit->counts.interrupts++;
    unit->deliver(unit->context, unit->buffer.at, unit->buffer.n);
    unit->buffer.n = 0;
    unit->buffered = 0;
}

static void sample_keep(struct profileme *unit, const struct sample *first,
                        const struct sample *second)
{
    *vec_push(&unit->buffer) = *first;
    if (second)
        *vec_push(&unit->buffer) = *second;
    unit->counts.delivered++;
    if (++unit->buffered >= unit->setup.buffer)
        buffer_deliver(unit);
}

/* PROFILEME_TAGS_MOST: all of them are in flight. */
static uint32_t tag_find(const struct profileme *unit, uint64_t now, uint32_t from)
{
    for (uint32_t i = from; i < unit->setup.tags; i++)
        if (unit->tag_until[i] <= now)
            return i;
    return PROFILEME_TAGS_MOST;
}

static struct sample record_make(const struct profileme *unit, const struct pmu_step *step)
{
    struct sample sample;
    pmu_record(step, unit->last_retire, unit->setup.history_bits, &sample);
    sample_set(&sample, SAMPLE_WEIGHT, unit->setup.interval);
    sample_set(&sample, SAMPLE_TID, unit->setup.context);
    return sample;
}

static void choose(struct profileme *unit, const struct pmu_step *step)
{
    uint64_t now = step->times->fetch;
    uint32_t tag = tag_find(unit, now, 0);
    uint32_t second =
        unit->setup.window && tag < PROFILEME_TAGS_MOST ? tag_find(unit, now, tag + 1) : tag;
    if (second == PROFILEME_TAGS_MOST) {
        unit->counts.collided++;
        return;
    }
    struct sample sample = record_make(unit, step);
    unit->tag_until[tag] = pmu_step_end(step);
    if (!unit->setup.window) {
        sample_keep(unit, &sample, NULL);
        return;
    }
    unit->tag_until[tag] = unit->tag_until[second] = NEVER;
    uint32_t distance = 1 + (uint32_t)random_below(&unit->random, unit->setup.window);
    *vec_push(&unit->open) = (struct open_pair){.first = sample,
                                                .fetch = now,
                                                .end = pmu_step_end(step),
                                                .retired = step->aborted ? NEVER : unit->retired,
                                                .left = distance,
                                                .distance = distance,
                                                .tags = {tag, second}};
}

static void pair_close(struct profileme *unit, struct open_pair *pair, const struct pmu_step *step)
{
    struct sample second = record_make(unit, step);
    uint64_t end = pmu_step_end(step);
    sample_set(&pair->first, SAMPLE_PAIR, unit->pairs);
    sample_set(&pair->first, SAMPLE_DISTANCE, 0);
    sample_set(&pair->first, SAMPLE_APART, 0);
    sample_set(&second, SAMPLE_PAIR, unit->pairs++);
    sample_set(&second, SAMPLE_DISTANCE, pair->distance);
    sample_set(&second, SAMPLE_APART, step->times->fetch - pair->fetch);
    if (!step->aborted && pair->retired != NEVER) {
        sample_set(&pair->first, SAMPLE_STEPS, 0);
        sample_set(&second, SAMPLE_STEPS, unit->retired - pair->retired);
    }
    for (int i = 0; i < 2; i++)
        unit->tag_until[pair->tags[i]] = pair->end > end ? pair->end : end;
    sample_keep(unit, &pair->first, &second);
}

static void pairs_see(struct profileme *unit, const struct pmu_step *step)
{
    size_t kept = 0;
    for (size_t i = 0; i < unit->open.n; i++) {
        struct open_pair *pair = &unit->open.at[i];
        if (--pair->left == 0)
            pair_close(unit, pair, step);
        else
            unit->open.at[kept++] = *pair;
    }
    unit->open.n = kept;
}

/* So many opportunities with no instruction of the predicted way. */
static void idle_pass(struct profileme *unit, uint64_t n, uint64_t *count)
{
    for (; n >= unit->left; (*count)++) {
        n -= unit->left;
        unit->left = interval_draw(unit);
        unit->counts.chosen++;
    }
    unit->left -= n;
}

static void opportunities_pass(struct profileme *unit, const struct pmu_step *step)
{
    uint64_t now = step->times->fetch, width = unit->setup.opportunities;
    if (unit->block.cycle != NEVER && now > unit->block.cycle) {
        uint64_t unused = width > unit->block.used ? width - unit->block.used : 0;
        idle_pass(unit, unused, unit->block.jumped ? &unit->counts.off_path : &unit->counts.empty);
        idle_pass(unit, (now - unit->block.cycle - 1) * width, &unit->counts.empty);
        unit->block.used = 0;
    }
    bool wrong = step->times->events & CORE_MISPREDICT;
    unit->block.cycle = now;
    unit->block.used++;
    /* What counts is what fetch believed. */
    uint8_t kind = step->insn->kind;
    unit->block.jumped =
        kind != INSN_PLAIN && (kind == INSN_COND ? step->fact->taken != wrong : step->fact->taken);
}

void profileme_see(struct profileme *unit, const struct pmu_step *step)
{
    unit->counts.fetched++;
    unit->retired += !step->aborted;
    if (unit->setup.opportunities)
        opportunities_pass(unit, step);
    if (unit->open.n)
        pairs_see(unit, step);
    if (--unit->left == 0) {
        unit->left = interval_draw(unit);
        unit->counts.chosen++;
        choose(unit, step);
    }
    if (!step->aborted)
        unit->last_retire = step->times->retire;
}

void profileme_gap(struct profileme *unit)
{
    for (size_t i = 0; i < unit->open.n; i++)
        for (int j = 0; j < 2; j++)
            unit->tag_until[unit->open.at[i].tags[j]] = unit->open.at[i].end;
    unit->counts.cut += unit->open.n;
    unit->open.n = 0;
    unit->last_retire = NEVER;
    unit->block.cycle = NEVER;
    unit->block.used = 0;
}

void profileme_finish(struct profileme *unit)
{
    profileme_gap(unit);
    buffer_deliver(unit);
}

const struct profileme_counts *profileme_counts(const struct profileme *unit)
{
    return &unit->counts;
}
