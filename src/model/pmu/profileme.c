#include "model/pmu/profileme.h"

#include "base/err.h"
#include "base/vec.h"
#include "model/core/model.h"
#include "model/pmu/record.h"

#define NEVER UINT64_MAX

/* Sets of registers, of which the next waits for its instruction. */
struct open_group {
    struct sample members[PROFILEME_GROUP_MOST];
    uint32_t n, left;    /* so far; instructions to the next */
    uint32_t distance;   /* of the next, from the first */
    uint64_t fetch, end; /* of the first; the last end so far */
    uint64_t retired;    /* up to the first; NEVER: it did not */
    uint32_t tags[PROFILEME_GROUP_MOST];
};

struct profileme {
    struct profileme_setup setup;
    struct random random;
    uint64_t left;                           /* of the counter */
    uint64_t tag_until[PROFILEME_TAGS_MOST]; /* the cycle from which it is free again */
    struct {
        VEC(struct open_group);
    } open; /* by their first's fetch */
    struct {
        VEC(struct sample);
    } buffer;
    uint64_t buffered; /* samples: pairs and groups are one */
    uint64_t pairs;    /* and groups */
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

static uint32_t group_size(const struct profileme *unit)
{
    return !unit->setup.window ? 1 : unit->setup.group ? unit->setup.group : 2;
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
    ASSERT(setup->tags <= PROFILEME_TAGS_MOST && setup->group <= PROFILEME_GROUP_MOST);
    struct profileme *unit = mem_alloc(sizeof *unit);
    unit->setup = *setup;
    ASSERT(setup->tags >= group_size(unit));
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

static void sample_keep(struct profileme *unit, const struct sample *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        *vec_push(&unit->buffer) = members[i];
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

/* False: there are not so many. */
static bool tags_find(const struct profileme *unit, uint64_t now, uint32_t *tags, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tags[i] = tag_find(unit, now, i ? tags[i - 1] + 1 : 0);
        if (tags[i] == PROFILEME_TAGS_MOST)
            return false;
    }
    return true;
}

static void choose(struct profileme *unit, const struct pmu_step *step)
{
    uint64_t now = step->times->fetch;
    uint32_t n = group_size(unit);
    struct open_group group = {.n = 1,
                               .fetch = now,
                               .end = pmu_step_end(step),
                               .retired = step->aborted ? NEVER : unit->retired};
    if (!tags_find(unit, now, group.tags, n)) {
        unit->counts.collided++;
        return;
    }
    group.members[0] = record_make(unit, step);
    for (uint32_t i = 0; i < n; i++)
        unit->tag_until[group.tags[i]] = n == 1 ? group.end : NEVER;
    if (n == 1) {
        sample_keep(unit, group.members, 1);
        return;
    }
    group.left = group.distance = 1 + (uint32_t)random_below(&unit->random, unit->setup.window);
    *vec_push(&unit->open) = group;
}

/* Another of the group; true: it is the last. */
static bool member_add(struct profileme *unit, struct open_group *group,
                       const struct pmu_step *step)
{
    struct sample *first = group->members, *member = &group->members[group->n++];
    uint64_t end = pmu_step_end(step);
    *member = record_make(unit, step);
    group->end = end > group->end ? end : group->end;
    sample_set(member, SAMPLE_DISTANCE, group->distance);
    sample_set(member, SAMPLE_APART, step->times->fetch - group->fetch);
    if (!step->aborted && group->retired != NEVER) {
        sample_set(first, SAMPLE_STEPS, 0);
        sample_set(member, SAMPLE_STEPS, unit->retired - group->retired);
    }
    if (group->n == group_size(unit))
        return true;
    group->left = 1 + (uint32_t)random_below(&unit->random, unit->setup.window);
    group->distance += group->left;
    return false;
}

static void group_close(struct profileme *unit, struct open_group *group)
{
    sample_set(&group->members[0], SAMPLE_DISTANCE, 0);
    sample_set(&group->members[0], SAMPLE_APART, 0);
    for (uint32_t i = 0; i < group->n; i++) {
        sample_set(&group->members[i], SAMPLE_PAIR, unit->pairs);
        unit->tag_until[group->tags[i]] = group->end;
    }
    unit->pairs++;
    sample_keep(unit, group->members, group->n);
}

static void groups_see(struct profileme *unit, const struct pmu_step *step)
{
    size_t kept = 0;
    for (size_t i = 0; i < unit->open.n; i++) {
        struct open_group *group = &unit->open.at[i];
        if (--group->left == 0 && member_add(unit, group, step))
            group_close(unit, group);
        else
            unit->open.at[kept++] = *group;
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
        groups_see(unit, step);
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
        for (uint32_t j = 0; j < group_size(unit); j++)
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
