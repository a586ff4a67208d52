/* What windows went through, run by run, in its calling contexts: the stack at the interrupt, and
 * from there on the calls and returns of the window itself. Without a stack contexts are relative:
 * they begin with the window.
 *
 * To follow calls costs far more than counting does, and contexts need many windows rather than
 * much of one. So only the first PASSAGES_EXITS exits of each are followed, weighed as if they were
 * the whole of it. 256 took a quarter of lua's windows; 32 are as many branches as hardware
 * records.
 *
 * Finding nodes of the profile costs most. So runs are added up over some batches, in a tree of our
 * own that stays, and only the sums go to the profile. */
#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "collect/stacks/last_nodes.h"
#include "collect/stacks/stack.h"
#include "collect/windows/window_consumer.h"
#include "process/units.h"
#include "profile/profile.h"

enum {
    PASSAGES_EXITS = 32,
    PASSAGES_BATCHES = 4,    /* that are added up: a second */
    PASSAGES_RUNS = 1 << 18, /* when there are more, all is forgotten: 20 MiB */
};

struct passage_call {
    uint64_t returns_to; /* avma */
    uint32_t node;       /* context of what it called, in contexts */
};

/* Key: no padding. */
struct passage_run {
    uint32_t context, start_module;
    uint64_t start, last;
};

struct passage_sum {
    uint64_t weight; /* not in the profile yet */
    uint32_t count;  /* in this window */
    uint32_t node;   /* of the profile; good in that era: */
    uint64_t era;
};

/* Of a context: its node in the profile. */
struct passage_given {
    uint64_t era;
    uint32_t node;
};

struct context_runs {
    struct window_consumer consumer;
    struct units *units;
    struct profile *profile; /* gets them */
    struct stacks contexts;  /* calls, as in the profile's passages */
    struct passage_givens {
        VEC(struct passage_given);
    } given;                /* as contexts */
    struct last_nodes last; /* callers of each thread's last stack, in contexts */
    struct passage_calls {
        VEC(struct passage_call);
    } calls; /* of the window, that have not returned */
    struct map runs;
    struct passage_sums {
        VEC(struct passage_sum);
    } sums; /* as runs */
    struct passage_list {
        VEC(uint32_t);
    } seen, weighed; /* runs: in this window, not in the profile yet */
    uint64_t era;    /* of the profile's nodes, from 1 on */
    uint32_t batches, given_times;
};

/* ---- where the window is */

struct course {
    struct context_runs *runs;
    struct last_stack *callers; /* of the interrupted function, outermost first */
    size_t n_callers;           /* that have not been returned to */
    uint32_t root;
    struct place start; /* of the run under way; MODULE_NONE: not known */
    uint64_t instructions;
};

static uint32_t context_of(const struct course *course)
{
    const struct passage_calls *calls = &course->runs->calls;
    if (calls->n)
        return calls->at[calls->n - 1].node;
    return course->n_callers ? course->callers->at[course->n_callers - 1].node : course->root;
}

static uint32_t place_node(void *closure, uint32_t parent, struct avma inside)
{
    struct context_runs *runs = closure;
    struct place place = mappings_place(runs->units->mappings, inside);
    return stacks_node(&runs->contexts, parent, place.module, place.address.v);
}

static void call_push(struct course *course, const struct unit_segment *segment)
{
    struct place behind = segment_next(segment);
    uint32_t node = stacks_node(&course->runs->contexts, context_of(course), behind.module,
                                behind.address.v - 1);
    *vec_push(&course->runs->calls) = (struct passage_call){segment->start + segment->bytes, node};
}

/* Whoever returns elsewhere than to its caller has left several at once, or this stack. */
static void call_pop(struct course *course, uint64_t to)
{
    struct passage_calls *calls = &course->runs->calls;
    size_t n = calls->n, callers = course->n_callers;
    while (n && calls->at[n - 1].returns_to != to)
        n--;
    if (n) {
        calls->n = n - 1;
        return;
    }
    while (callers && course->callers->at[callers - 1].inside + 1 != to)
        callers--;
    calls->n = 0;
    course->n_callers = callers ? callers - 1 : 0;
}

/* ---- runs */

static void run_end(struct course *course, struct place last, struct place to)
{
    struct context_runs *runs = course->runs;
    if (course->start.module != MODULE_NONE && course->start.module == last.module) {
        struct passage_run run = {.context = context_of(course),
                                  .start_module = course->start.module,
                                  .start = course->start.address.v,
                                  .last = last.address.v};
        uint32_t index = map_add(&runs->runs, &run);
        if (index == runs->sums.n)
            *vec_push(&runs->sums) = (struct passage_sum){0};
        if (!runs->sums.at[index].count++)
            *vec_push(&runs->seen) = index;
    }
    course->start = to;
}

/* `next`: where the superblock went. Falling through goes on with the run. */
static void exit_follow(struct course *course, const struct superblock *superblock, uint32_t j,
                        uint64_t next, struct place next_at)
{
    const struct unit_segment *segments =
        &course->runs->units->segments.at[superblock->first_segment];
    uint32_t last = superblock_last_segment(superblock, j);
    for (uint32_t i = 0; i <= last; i++) {
        const struct unit_segment *segment = &segments[i];
        course->instructions += segment->instructions;
        bool followed = i < last;
        if (followed && segment->end == SEGMENT_JUMP)
            run_end(course, segment_last(segment), segments[i + 1].at);
        if (followed || j == superblock->n_segments)
            continue;
        switch (segment->end) {
        case SEGMENT_COND:
        case SEGMENT_JUMP:
        case SEGMENT_IJUMP: run_end(course, segment_last(segment), next_at); break;
        case SEGMENT_CALL:
        case SEGMENT_ICALL:
            run_end(course, segment_last(segment), next_at);
            call_push(course, segment);
            break;
        case SEGMENT_RETURN:
            run_end(course, segment_last(segment), next_at);
            call_pop(course, next);
            break;
        case SEGMENT_SPLIT: break;
        default: course->start.module = MODULE_NONE; break;
        }
    }
}

static const struct superblock *exit_block(const struct units *units, uint32_t exit)
{
    int32_t owner = units_owner(units, exit);
    return owner == UNIT_NONE ? NULL : &units->superblocks.at[owner];
}

static bool exit_take(struct course *course, const uint32_t *exit, bool is_last, uint64_t end_pc)
{
    const struct units *units = course->runs->units;
    const struct superblock *block = exit_block(units, exit[0]);
    const struct superblock *after = is_last ? NULL : exit_block(units, exit[1]);
    if (!block || (!is_last && !after))
        return false;
    uint64_t next = end_pc;
    struct place next_at = {MODULE_NONE, {0}};
    if (after) {
        next = units->segments.at[after->first_segment].start;
        next_at = units->segments.at[after->first_segment].at;
    } else if (end_pc) {
        next_at = mappings_place(units->mappings, (struct avma){end_pc});
    }
    exit_follow(course, block, exit[0] - block->first_exit, next, next_at);
    return true;
}

/* ---- a window */

/* Forgets what was counted in this window. */
static void runs_drop(struct context_runs *runs)
{
    for (size_t i = 0; i < runs->seen.n; i++)
        runs->sums.at[runs->seen.at[i]].count = 0;
    runs->seen.n = 0;
}

static void runs_weigh(struct context_runs *runs, const struct course *course,
                       const struct tally_weight *weight)
{
    struct tally_weight part = *weight;
    part.instructions = course->instructions;
    uint64_t each = tally_units(&part, 1) * weight->rate;
    for (size_t i = 0; i < runs->seen.n; i++) {
        struct passage_sum *sum = &runs->sums.at[runs->seen.at[i]];
        if (!sum->weight)
            *vec_push(&runs->weighed) = runs->seen.at[i];
        sum_add(&sum->weight, each * sum->count);
    }
}

static void course_begin(struct course *course, uint32_t tid, const struct stack *stack)
{
    struct context_runs *runs = course->runs;
    const struct mappings *mappings = runs->units->mappings;
    course->root = stacks_node(&runs->contexts, STACK_NONE, MODULE_NONE, 0);
    course->callers = last_nodes_of(&runs->last, (uint32_t)mappings->pid, tid, mappings->changes);
    if (!stack || !stack->n)
        return;
    struct stack callers = *stack;
    callers.at++;
    callers.n--;
    last_stack_node(course->callers, &callers, course->root, place_node, runs);
    course->n_callers = callers.n;
}

/* Contexts are known from the interrupt on, as far as the sample's first window goes: it stands for
 * the whole sample. */
static void runs_window(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct context_runs *runs = (struct context_runs *)consumer;
    const struct event_walk *walk = window->walk;
    if (walk->flags & WALK_FURTHER)
        return;
    struct course course = {.runs = runs, .start = {MODULE_NONE, {0}}};
    course_begin(&course, (uint32_t)walk->tid, window->stack);
    runs->calls.n = 0;
    uint32_t n = walk->n_exits < PASSAGES_EXITS ? walk->n_exits : (uint32_t)PASSAGES_EXITS;
    for (uint32_t i = 0; i < walk->n_lead + n; i++) {
        if (i == walk->n_lead) { /* the lead says where we are, and no more */
            course.instructions = 0;
            runs_drop(runs);
        }
        bool is_last = i + 1 == walk->n_lead + walk->n_exits;
        if (!exit_take(&course, window->whole.exits - walk->n_lead + i, is_last, walk->end_pc)) {
            runs_drop(runs);
            return;
        }
    }
    struct tally_weight weight = window->weight;
    weight.units = window->sample_ns << UNIT_BITS;
    if (course.instructions)
        runs_weigh(runs, &course, &weight);
    runs_drop(runs);
}

/* ---- a batch */

/* The context's node in the profile; those above it are made when first asked for. */
static uint32_t context_give(struct context_runs *runs, uint32_t context)
{
    struct stacks *to = &runs->profile->passages;
    if (runs->given.at[context].era != runs->era) {
        struct stack_key key = stacks_key(&runs->contexts, context);
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : context_give(runs, key.parent);
        runs->given.at[context] =
            (struct passage_given){runs->era, stacks_node(to, parent, key.module, key.address)};
    }
    return runs->given.at[context].node;
}

static uint32_t run_give(struct context_runs *runs, uint32_t index)
{
    struct passage_sum *sum = &runs->sums.at[index];
    struct stacks *to = &runs->profile->passages;
    if (sum->era != runs->era) {
        const struct passage_run *run = map_key(&runs->runs, index);
        uint32_t node = context_give(runs, run->context);
        node = stacks_node(to, node, run->start_module, run->start);
        sum->node = stacks_node(to, node, run->start_module, run->last);
        sum->era = runs->era;
    }
    return sum->node;
}

static void runs_flush(struct window_consumer *consumer, const struct batch_end *end)
{
    struct context_runs *runs = (struct context_runs *)consumer;
    if (++runs->batches % PASSAGES_BATCHES && !end->last)
        return;
    uint32_t group = runs->given_times++ % STACK_GROUPS;
    vec_reserve(&runs->given, runs->contexts.nodes.n);
    for (size_t i = 0; i < runs->weighed.n; i++) {
        struct passage_sum *sum = &runs->sums.at[runs->weighed.at[i]];
        stacks_add(&runs->profile->passages, run_give(runs, runs->weighed.at[i]), group,
                   sum->weight);
        sum->weight = 0;
    }
    runs->weighed.n = 0;
    if (runs->runs.n < PASSAGES_RUNS)
        return;
    stacks_clear(&runs->contexts);
    map_clear(&runs->runs);
    runs->sums.n = 0;
    runs->era++;
    last_nodes_forget(&runs->last);
}

static void runs_forget(struct window_consumer *consumer)
{
    ((struct context_runs *)consumer)->era++;
}

static void runs_close(struct window_consumer *consumer)
{
    struct context_runs *runs = (struct context_runs *)consumer;
    last_nodes_release(&runs->last);
    vec_release(&runs->calls);
    vec_release(&runs->seen);
    vec_release(&runs->weighed);
    vec_release(&runs->sums);
    vec_release(&runs->given);
    map_release(&runs->runs);
    stacks_release(&runs->contexts);
    mem_free(runs);
}

struct window_consumer *context_runs_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {
        .window = runs_window, .flush = runs_flush, .forget = runs_forget, .release = runs_close};
    if (!setting->session->stacks)
        return NULL;
    struct context_runs *runs = mem_alloc(sizeof *runs);
    *runs = (struct context_runs){.consumer = {&kind},
                                  .units = setting->units,
                                  .profile = setting->session->profile,
                                  .era = 1};
    stacks_init(&runs->contexts);
    map_init(&runs->runs, sizeof(struct passage_run));
    return &runs->consumer;
}
