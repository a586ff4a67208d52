#include "consumers/trace_contexts.h"

#include "base/memory.h"
#include "process/mappings.h"
#include "profile/profile.h"
#include "profile/stacks.h"
#include "program/elf/image.h"

#include <string.h>

struct trace_symbols {
    bool there;
    struct image image;
    struct symbols symbols;
};

/* Keys: no padding. */
struct trace_function {
    uint32_t module, reserved;
    uint64_t start;
};
struct trace_child {
    uint32_t parent, function; /* 0: none */
    uint64_t site;             /* svma of the last byte of the branch; 0: not known */
};

struct trace_node {
    struct trace_child key;
    uint64_t count;
    uint64_t instructions;      /* in it, without what it calls */
    struct step_cost_sum costs; /* likewise */
};

/* Where a segment begins and where its last instruction is. */
struct trace_ends {
    bool known, starts; /* starts: its first instruction is its function's first */
    uint32_t first, last;
};

struct activation {
    uint64_t back; /* avma that it returns to; 0: not known */
    uint32_t node;
    bool interrupted; /* by a signal: a handler is above it */
    uint64_t site;    /* of the call or jump to what is no function */
};

struct trace_thread {
    bool began;
    struct call_frames frames;
    VEC(struct activation); /* the outermost first; it never is empty */
};

enum { ROOT, SIGNALS };

/* ---- functions */

static const struct trace_symbols *symbols_of(struct trace_contexts *contexts, uint32_t module)
{
    while (contexts->modules.n <= module)
        *vec_push(&contexts->modules) = NULL;
    struct trace_symbols **known = &contexts->modules.at[module];
    if (!*known) {
        const struct mappings *mappings = contexts->consumer.units->mappings;
        const char *name = strrchr(mappings->profile->modules.at[module].path, '/');
        bool own = name && !strcmp(name, "/libgait.so"); /* the agent's code is nobody's */
        *known = mem_alloc(sizeof **known);
        (*known)->there = !own && mappings_image_open(mappings, module, &(*known)->image);
        if ((*known)->there)
            symbols_build(&(*known)->symbols, &(*known)->image);
    }
    return *known;
}

/* Its number; 0: none that has contexts, such as a stub. */
static uint32_t function_at(struct trace_contexts *contexts, struct place place, bool *ret_start)
{
    *ret_start = false;
    if (place.module == MODULE_NONE)
        return 0;
    const struct trace_symbols *known = symbols_of(contexts, place.module);
    function_id f = known->there ? symbols_find(&known->symbols, place.address) : FUNCTION_NONE;
    if (f == FUNCTION_NONE || known->symbols.functions.at[f].source == FUNCTION_STUB)
        return 0;
    struct trace_function key = {.module = place.module,
                                 .start = known->symbols.functions.at[f].start.v};
    *ret_start = key.start == place.address.v;
    return map_add(&contexts->functions, &key) + 1;
}

static struct trace_ends ends_of(struct trace_contexts *contexts, uint32_t index)
{
    const struct units *units = contexts->consumer.units;
    const struct unit_segment *segment = &units->segments.at[index];
    while (contexts->segments.n < units->segments.n)
        *vec_push(&contexts->segments) = (struct trace_ends){0};
    struct trace_ends *ends = &contexts->segments.at[index];
    if (!ends->known) {
        bool ignored;
        struct trace_ends found = {.known = true};
        found.first = function_at(contexts, segment->at, &found.starts);
        found.last = function_at(contexts, segment_last(segment), &ignored);
        contexts->segments.at[index] = found;
    }
    return contexts->segments.at[index];
}

/* ---- nodes */

static uint32_t above_find(const struct trace_contexts *contexts, uint32_t node, uint32_t function)
{
    for (; node; node = contexts->nodes.at[node].key.parent)
        if (contexts->nodes.at[node].key.function == function)
            return node;
    return 0;
}

/* The child that a call leads to, or the node above that it leads back to. */
static uint32_t child_get(struct trace_contexts *contexts, uint32_t parent, uint64_t site,
                          uint32_t function)
{
    struct trace_child key = {parent, function, site};
    uint32_t known = map_find(&contexts->children, &key);
    if (known != MAP_NONE)
        return known + SIGNALS + 1;
    uint32_t above = above_find(contexts, parent, function);
    if (above)
        return above;
    known = map_add(&contexts->children, &key);
    *vec_push(&contexts->nodes) = (struct trace_node){.key = key};
    return known + SIGNALS + 1;
}

static uint32_t enter(struct trace_contexts *contexts, uint32_t parent, uint64_t site,
                      uint32_t function)
{
    uint32_t child = child_get(contexts, parent, site, function);
    contexts->nodes.at[child].count++;
    return child;
}

/* ---- one thread */

struct course {
    struct trace_contexts *contexts;
    struct trace_thread *thread;
    struct step_costs *costs; /* NULL: they are not known */
};

static struct activation *top(const struct course *course)
{
    return &course->thread->at[course->thread->n - 1];
}

static uint32_t depth_of(const struct course *course)
{
    return (uint32_t)course->thread->n - 1;
}

/* The function is entered, in the innermost activation. */
static void cost_begin(const struct course *course, uint32_t caller, uint64_t site,
                       uint32_t function, bool counts)
{
    struct call_key key = {caller, function, caller ? site : 0};
    call_enter(&course->contexts->costs, &course->thread->frames, key, depth_of(course), counts);
}

/* Activations beyond the first n have ended. */
static void shrink(const struct course *course, size_t n)
{
    course->thread->n = n;
    call_leave(&course->contexts->costs, &course->thread->frames, (uint32_t)n);
}

static uint32_t function_of(const struct course *course, uint32_t node)
{
    return course->contexts->nodes.at[node].key.function;
}

/* It is that function that runs, whatever is known: one that nobody was seen to call. */
static void settle(const struct course *course, uint32_t function)
{
    struct activation *now = top(course);
    if (!function || function_of(course, now->node) == function)
        return;
    uint32_t above = above_find(course->contexts, now->node, function);
    if (above) {
        call_resume(&course->contexts->costs, &course->thread->frames, depth_of(course), function);
        now->node = above;
        return;
    }
    cost_begin(course, function_of(course, now->node), 0, function, false);
    now->node = child_get(course->contexts, now->node, 0, function);
}

static void arrive(const struct course *course, uint32_t function)
{
    size_t n = course->thread->n;
    while (n && function_of(course, course->thread->at[n - 1].node) != function)
        n--;
    if (n)
        shrink(course, n);
    settle(course, function);
}

/* Where a branch leads: to whom, and whether to the beginning. */
struct arrival {
    uint64_t avma;
    uint32_t function;
    bool starts;
};

static void call(const struct course *course, uint64_t back, uint64_t site, uint32_t from,
                 const struct arrival *to)
{
    settle(course, from);
    struct activation callee = {
        .back = back, .node = top(course)->node, .site = from ? site : top(course)->site};
    uint32_t caller = function_of(course, callee.node);
    if (to->starts)
        callee.node = enter(course->contexts, callee.node, callee.site, to->function);
    *vec_push(course->thread) = callee;
    if (to->starts)
        cost_begin(course, caller, callee.site, to->function, true);
}

static void jump(const struct course *course, uint64_t site, uint32_t from,
                 const struct arrival *to)
{
    if (from == to->function)
        return;
    if (to->starts || !to->function)
        settle(course, from);
    struct activation *now = top(course);
    if (to->starts) {
        uint64_t at = from ? site : now->site;
        cost_begin(course, function_of(course, now->node), at, to->function, true);
        now->node = enter(course->contexts, now->node, at, to->function);
    } else if (from && to->function)
        arrive(course, to->function);
    else if (from)
        now->site = site;
}

static void back(const struct course *course, const struct arrival *to)
{
    size_t n = course->thread->n;
    while (n && course->thread->at[n - 1].back != to->avma)
        n--;
    if (n > 1) {
        shrink(course, n - 1);
    } else if (course->thread->n == 1) { /* to who was there before the recording */
        call_leave(&course->contexts->costs, &course->thread->frames, 0);
        *top(course) = (struct activation){0};
    } else if (to->function)
        arrive(course, to->function);
}

static void segment_leave(const struct course *course, uint32_t index, const struct arrival *to)
{
    struct trace_contexts *contexts = course->contexts;
    const struct unit_segment *segment = &contexts->consumer.units->segments.at[index];
    uint32_t from = ends_of(contexts, index).last;
    uint64_t site = segment_next(segment).address.v - 1;
    switch (segment->end) {
    case SEGMENT_COND:
        if (to->avma != segment->start + segment->bytes) /* falling into a function is no call */
            jump(course, site, from, to);
        return;
    case SEGMENT_JUMP:
    case SEGMENT_IJUMP: jump(course, site, from, to); return;
    case SEGMENT_CALL:
    case SEGMENT_ICALL: call(course, segment->start + segment->bytes, site, from, to); return;
    case SEGMENT_RETURN: back(course, to); return;
    default: return;
    }
}

static struct arrival arrival_at(struct trace_contexts *contexts, uint32_t segment)
{
    struct trace_ends ends = ends_of(contexts, segment);
    return (struct arrival){contexts->consumer.units->segments.at[segment].start, ends.first,
                            ends.starts};
}

/* The context that code of a function belongs to. */
static uint32_t node_running(const struct course *course, uint32_t function)
{
    struct trace_contexts *contexts = course->contexts;
    uint32_t node = top(course)->node;
    if (function && function_of(course, node) != function) {
        uint32_t above = above_find(contexts, node, function);
        node = above ? above : child_get(contexts, node, 0, function);
    }
    return node;
}

static void segment_count(const struct course *course, uint32_t index)
{
    struct trace_contexts *contexts = course->contexts;
    uint32_t n = contexts->consumer.units->segments.at[index].instructions;
    uint32_t node = node_running(course, ends_of(contexts, index).first);
    contexts->nodes.at[node].instructions += n;
    if (course->costs) {
        struct step_cost_sum sum = step_costs_take(course->costs, n);
        step_cost_add(&contexts->nodes.at[node].costs, &sum);
    }
    course->thread->frames.ran += n;
    if (contexts->keeps)
        *vec_push(&contexts->running) = node;
}

static void exit_follow(const struct course *course, uint32_t id, const struct arrival *to)
{
    const struct units *units = course->contexts->consumer.units;
    int32_t owner = units_owner(units, id);
    if (owner == UNIT_NONE)
        return;
    const struct superblock *superblock = &units->superblocks.at[owner];
    uint32_t last = superblock_last_segment(superblock, id - superblock->first_exit);
    for (uint32_t i = 0; i <= last; i++) {
        uint32_t index = superblock->first_segment + i;
        if (!units->segments.at[index].instructions)
            continue;
        segment_count(course, index);
        struct arrival next = i < last ? arrival_at(course->contexts, index + 1) : *to;
        if (next.avma)
            segment_leave(course, index, &next);
    }
}

/* A handler begins, or what it has interrupted goes on. */
static void elsewhere(const struct course *course, const struct arrival *to)
{
    size_t n = course->thread->n;
    if (to->starts) {
        top(course)->interrupted = true;
        *vec_push(course->thread) =
            (struct activation){.node = enter(course->contexts, SIGNALS, 0, to->function)};
        cost_begin(course, 0, 0, to->function, true);
        return;
    }
    while (n && !course->thread->at[n - 1].interrupted)
        n--;
    if (n) {
        shrink(course, n);
        top(course)->interrupted = false;
    } else if (to->function) {
        arrive(course, to->function);
    }
}

/* ---- the consumer */

static void thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    (void)tid;
    struct trace_contexts *contexts = (struct trace_contexts *)consumer;
    while (contexts->threads.n <= thread) {
        struct trace_thread *added = vec_push(&contexts->threads);
        *added = (struct trace_thread){0};
        *vec_push(added) = (struct activation){0};
    }
}

static struct arrival arrival_of(struct trace_contexts *contexts, uint64_t avma)
{
    struct arrival arrival = {.avma = avma};
    if (avma)
        arrival.function = function_at(
            contexts, mappings_place(contexts->consumer.units->mappings, (struct avma){avma}),
            &arrival.starts);
    return arrival;
}

static void passage(struct consumer *consumer, const struct passage *passage)
{
    struct trace_contexts *contexts = (struct trace_contexts *)consumer;
    const struct units *units = consumer->units;
    thread_begin(consumer, passage->thread, 0);
    struct course course = {contexts, &contexts->threads.at[passage->thread],
                            contexts->replay ? trace_replay_costs(contexts->replay, passage->thread)
                                             : NULL};
    contexts->running.n = 0;
    bool began = course.thread->began;
    course.thread->began = true;
    if (!passage->joined && began) {
        struct arrival start = arrival_of(contexts, passage->start_pc);
        elsewhere(&course, &start);
    }
    for (uint32_t i = 0; i < passage->n; i++) {
        int32_t next = i + 1 < passage->n ? units_owner(units, passage->exits[i + 1]) : UNIT_NONE;
        struct arrival to = next != UNIT_NONE
                                ? arrival_at(contexts, units->superblocks.at[next].first_segment)
                                : arrival_of(contexts, passage->end_pc);
        exit_follow(&course, passage->exits[i], &to);
    }
}

static void thread_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)consumer, (void)thread, (void)stop;
}

void trace_contexts_init(struct trace_contexts *contexts, struct units *units)
{
    static const struct consumer_kind kind = {thread_begin, passage, thread_end};
    *contexts = (struct trace_contexts){.consumer = {&kind, units}};
    map_init(&contexts->functions, sizeof(struct trace_function));
    map_init(&contexts->children, sizeof(struct trace_child));
    call_costs_init(&contexts->costs);
    *vec_push(&contexts->nodes) = (struct trace_node){0};
    *vec_push(&contexts->nodes) = (struct trace_node){0};
}

void trace_contexts_release(struct trace_contexts *contexts)
{
    for (size_t i = 0; i < contexts->modules.n; i++) {
        struct trace_symbols *known = contexts->modules.at[i];
        if (known && known->there) {
            symbols_release(&known->symbols);
            image_close(&known->image);
        }
        mem_free(known);
    }
    for (size_t i = 0; i < contexts->threads.n; i++) {
        call_frames_release(&contexts->threads.at[i].frames);
        vec_release(&contexts->threads.at[i]);
    }
    call_costs_release(&contexts->costs);
    vec_release(&contexts->modules);
    vec_release(&contexts->segments);
    vec_release(&contexts->nodes);
    vec_release(&contexts->threads);
    vec_release(&contexts->running);
    map_release(&contexts->functions);
    map_release(&contexts->children);
}

static void costs_give(struct stacks *stacks, uint32_t leaf, const struct trace_node *node)
{
    if (node->instructions)
        stacks_add(stacks, leaf, STACK_INSTRUCTIONS, node->instructions);
    for (uint32_t i = 0; i < MODEL_COSTS; i++)
        if (node->costs.of[i])
            stacks_add(stacks, leaf, model_cost_group(i), node->costs.of[i]);
}

/* Those that run on, to the end of the program, end with it. */
static void calls_give(struct trace_contexts *contexts, struct profile *profile)
{
    struct stacks *stacks = &profile->call_costs;
    for (size_t i = 0; i < contexts->threads.n; i++)
        call_leave(&contexts->costs, &contexts->threads.at[i].frames, 0);
    uint32_t root = stacks_node(stacks, STACK_NONE, MODULE_NONE, 0);
    for (uint32_t i = 0; i < contexts->costs.n; i++) {
        const struct call_key *key = map_key(&contexts->costs.keys, i);
        const struct trace_function *callee = map_key(&contexts->functions, key->callee - 1);
        uint32_t node = root;
        if (key->caller) {
            const struct trace_function *caller = map_key(&contexts->functions, key->caller - 1);
            node = stacks_node(stacks, root, caller->module,
                               key->site ? key->site : caller->start + 1);
        }
        node = stacks_node(stacks, node, callee->module, callee->start);
        if (contexts->costs.at[i].calls)
            stacks_add(stacks, node, STACK_CALLS, contexts->costs.at[i].calls);
        if (contexts->costs.at[i].instructions)
            stacks_add(stacks, node, STACK_INSTRUCTIONS, contexts->costs.at[i].instructions);
    }
}

static uint32_t leaf_of(const struct trace_contexts *contexts, struct stacks *stacks,
                        const uint32_t *above, size_t i)
{
    const struct trace_node *node = &contexts->nodes.at[i];
    if (!node->key.function)
        return above[i];
    const struct trace_function *function = map_key(&contexts->functions, node->key.function - 1);
    return stacks_node(stacks, above[i], function->module, function->start);
}

/* The stack of the callers of each. */
static uint32_t *above_make(const struct trace_contexts *contexts, struct stacks *stacks,
                            uint32_t pid)
{
    uint32_t *above = mem_alloc(contexts->nodes.n * sizeof *above);
    above[ROOT] = above[SIGNALS] =
        stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(pid, pid));
    for (size_t i = SIGNALS + 1; i < contexts->nodes.n; i++) {
        const struct trace_node *node = &contexts->nodes.at[i];
        const struct trace_node *parent = &contexts->nodes.at[node->key.parent];
        above[i] = above[node->key.parent];
        if (!parent->key.function)
            continue;
        const struct trace_function *caller =
            map_key(&contexts->functions, parent->key.function - 1);
        above[i] = stacks_node(stacks, above[i], caller->module,
                               node->key.site ? node->key.site : caller->start + 1);
    }
    return above;
}

uint32_t *trace_contexts_leaves(const struct trace_contexts *contexts, struct stacks *stacks,
                                uint32_t pid)
{
    uint32_t *leaves = above_make(contexts, stacks, pid);
    for (size_t i = contexts->nodes.n; i--;)
        leaves[i] = leaf_of(contexts, stacks, leaves, i);
    return leaves;
}

void trace_contexts_give(struct trace_contexts *contexts, struct profile *profile, uint32_t pid)
{
    struct stacks *stacks = &profile->stacks;
    uint32_t *above = above_make(contexts, stacks, pid);
    costs_give(stacks, above[ROOT], &contexts->nodes.at[ROOT]);
    costs_give(stacks, above[ROOT], &contexts->nodes.at[SIGNALS]);
    for (size_t i = SIGNALS + 1; i < contexts->nodes.n; i++) {
        const struct trace_node *node = &contexts->nodes.at[i];
        uint64_t costs = node->costs.of[COST_L1D] | node->costs.of[COST_MISPREDICTS] |
                         node->costs.of[COST_CYCLES] | node->costs.of[COST_L1I];
        if (!node->count && !node->instructions && !costs)
            continue;
        uint32_t leaf = leaf_of(contexts, stacks, above, i);
        if (node->count)
            stacks_add(stacks, leaf, STACK_CALLS, node->count);
        costs_give(stacks, leaf, node);
    }
    calls_give(contexts, profile);
    mem_free(above);
}
