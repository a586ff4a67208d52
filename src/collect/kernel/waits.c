#include "collect/kernel/waits.h"

#include "base/clock.h"
#include "collect/kernel/blocked.h"
#include "collect/kernel/tasks.h"
#include "collect/perf/perf_record.h"
#include "profile/waits.h"

#include <string.h>
#include <time.h>

/* A stack that was taken this long before its switch belongs to another one, whose record was lost:
 * the two are less than a microsecond apart, unless a hypervisor stops the CPU between them. */
static const uint64_t STACK_AGE_NS = 1000000;

/* Waits from which on it is worth some 10 us to find out who holds the lock. */
static const uint64_t LONG_NS = 10000000;
/* Taking stacks lengthens waits by microseconds, and short ones would be in another stratum than
 * those without a stack: all below 0.26 ms are in one. */
enum { SHORT_LENGTH = 17 };

/* Key: no padding, compared by bytes. */
struct stratum_key {
    uint32_t pid, tid;
    uint32_t runnable, length; /* binary logarithm */
};

void waits_init(struct waits *waits, struct samples *samples)
{
    struct profile *profile = samples->profile;
    *waits = (struct waits){.profile = profile, .tasks = samples->tasks};
    samples_init(&waits->stacks, profile, samples->processes, samples->tasks);
    waits->stacks.named = samples;
    waits->stacks.nodes = &profile->waits;
    waits->stacks.totals = &waits->losses;
    map_init(&waits->tids, sizeof(uint32_t));
    map_init(&waits->strata_keys, sizeof(struct stratum_key));
}

void waits_release(struct waits *waits)
{
    for (size_t i = 0; i < waits->n; i++)
        vec_release(&waits->at[i].path);
    vec_release(waits);
    vec_release(&waits->strata);
    vec_release(&waits->ended);
    map_release(&waits->tids);
    map_release(&waits->strata_keys);
    samples_release(&waits->stacks);
}

static struct wait *wait_of(struct waits *waits, const struct perf_ids *ids)
{
    uint32_t index = map_add(&waits->tids, &ids->tid);
    if (index == waits->n)
        *vec_push(waits) = (struct wait){.tid = ids->tid, .node = STACK_NONE};
    waits->at[index].pid = ids->pid;
    return &waits->at[index];
}

/* The idle threads of all CPUs have one number, and gait is not what is recorded. */
static bool is_nobody(const struct waits *waits, const struct perf_ids *ids)
{
    return !ids->tid || tasks_own(waits->tasks, ids->pid, ids->tid);
}

/* ---- stacks */

static void wait_drop(struct wait *wait)
{
    wait->node = STACK_NONE;
    wait->path.n = 0;
}

void waits_stack(struct waits *waits, const struct perf_sample *sample)
{
    waits->taken++;
    if (is_nobody(waits, &sample->ids))
        return;
    struct wait *wait = wait_of(waits, &sample->ids);
    if (wait->gone)
        return;
    wait_drop(wait);
    /* samples_node may reach /proc, but never this map. */
    wait->node = samples_node(&waits->stacks, sample);
    wait->stack_ns = sample->ids.time_ns;
    wait->looked = false;
}

/* Nodes are renumbered: what a wait needs is kept as keys. */
static void wait_keep(const struct waits *waits, struct wait *wait)
{
    for (uint32_t node = wait->node; node != STACK_NONE;) {
        struct stack_key key = stacks_key(&waits->profile->waits, node);
        *vec_push(&wait->path) = key;
        node = key.parent;
    }
    wait->node = STACK_NONE;
}

static uint32_t wait_node(struct waits *waits, const struct wait *wait)
{
    uint32_t node = wait->node;
    for (size_t i = wait->path.n; i-- > 0;)
        node = stacks_node(&waits->profile->waits, node, wait->path.at[i].module,
                           wait->path.at[i].address);
    return node;
}

/* ---- beginning and end of waits */

static uint32_t stratum_of(struct waits *waits, const struct wait *wait, uint64_t ns)
{
    uint32_t length = 63u - (uint32_t)__builtin_clzll(ns | 1);
    struct stratum_key key = {wait->pid, wait->tid, wait->runnable,
                              length < SHORT_LENGTH ? SHORT_LENGTH : length};
    uint32_t index = map_add(&waits->strata_keys, &key);
    if (index == waits->strata.n)
        *vec_push(&waits->strata) = (struct wait_stratum){0};
    return index;
}

static void wait_end(struct waits *waits, struct wait *wait, uint64_t now_ns)
{
    uint64_t began = waits->tasks->began_ns;
    uint64_t from = wait->since_ns > began ? wait->since_ns : began;
    if (wait->waits && now_ns > from) {
        uint64_t ns = now_ns - from;
        uint32_t index = stratum_of(waits, wait, ns), node = wait_node(waits, wait);
        struct wait_stratum *stratum = &waits->strata.at[index];
        stratum->ns += ns;
        stratum->n++;
        if (ns > stratum->longest_ns) {
            stratum->longest_ns = ns;
            stratum->longest_end_ns = now_ns;
        }
        if (node != STACK_NONE) {
            stratum->seen_ns += ns;
            stratum->seen++;
            *vec_push(&waits->ended) = (struct wait_seen){index, node, ns, now_ns};
        }
    }
    wait->waits = false;
    wait_drop(wait);
}

/* Whether the stack that is known is that of a wait which begins now. One that was looked at is of
 * the wait at that moment, and so of the last one that begins before it. */
static bool stack_fits(const struct wait *wait, uint64_t now_ns)
{
    if (wait->looked)
        return wait->stack_ns >= now_ns;
    if (wait->waits && wait->stack_ns <= wait->since_ns)
        return false; /* of the wait before, whose end was lost */
    return wait->stack_ns + STACK_AGE_NS >= now_ns;
}

/* Records arrive late: a thread may have been looked at in the wait after this one. */
static void wait_back(struct waits *waits, struct wait *wait, uint64_t now_ns)
{
    struct wait next = *wait;
    bool later = wait->looked && wait->stack_ns > now_ns;
    if (later) {
        wait->node = STACK_NONE;
        wait->path = (struct wait_path){0};
    }
    wait->gone = false;
    wait_end(waits, wait, now_ns);
    if (later) {
        wait->node = next.node;
        wait->path = next.path;
    }
}

void waits_switch(struct waits *waits, const struct perf_ids *ids, bool out, bool runnable)
{
    if (waits->off || is_nobody(waits, ids))
        return;
    struct wait *wait = wait_of(waits, ids);
    if (!out) {
        wait_back(waits, wait, ids->time_ns);
        return;
    }
    if (wait->gone)
        return;
    if (!stack_fits(wait, ids->time_ns))
        wait_drop(wait);
    wait->waits = true;
    wait->asked = false;
    wait->runnable = runnable;
    wait->since_ns = ids->time_ns;
}

static bool has_stack(const struct wait *wait)
{
    return wait->node != STACK_NONE || wait->path.n;
}

static bool stack_needed(const struct waits *waits, uint32_t tid)
{
    uint32_t index = map_find(&waits->tids, &tid);
    return index == MAP_NONE || !(waits->at[index].gone || has_stack(&waits->at[index]));
}

void waits_meet(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t since_ns)
{
    struct perf_ids ids = {.pid = pid, .tid = tid};
    struct blocked blocked;
    if (waits->off || is_nobody(waits, &ids) || !stack_needed(waits, tid) ||
        !blocked_read(pid, tid, &blocked))
        return;
    struct wait *wait = wait_of(waits, &ids);
    wait->node = blocked_node(&waits->stacks, pid, tid, &blocked);
    wait->stack_ns = clock_ns(CLOCK_MONOTONIC);
    wait->looked = true;
    if (wait->waits)
        return;
    wait->waits = true;
    wait->runnable = false;
    wait->since_ns = since_ns;
}

/* Who holds a lock is known while it is waited for, not afterwards. */
static void wait_ask(struct waits *waits, struct wait *wait)
{
    struct blocked blocked;
    wait->asked = true;
    if (!blocked_read(wait->pid, wait->tid, &blocked) || !(blocked.call >> WAIT_HOLDER_SHIFT))
        return;
    uint32_t module = profile_module(waits->profile, WAIT_MODULE, NULL, 0);
    wait->node = stacks_node(&waits->profile->waits, wait_node(waits, wait), module, blocked.call);
    wait->path.n = 0;
}

void waits_ask(struct waits *waits, uint64_t now_ns)
{
    for (size_t i = 0; !waits->off && i < waits->n; i++) {
        struct wait *wait = &waits->at[i];
        if (wait->waits && !wait->runnable && !wait->asked && has_stack(wait) &&
            now_ns > wait->since_ns + LONG_NS)
            wait_ask(waits, wait);
    }
}

void waits_exit(struct waits *waits, uint32_t tid)
{
    uint32_t index = map_find(&waits->tids, &tid);
    if (index == MAP_NONE)
        return;
    waits->at[index].waits = false;
    waits->at[index].gone = true;
    wait_drop(&waits->at[index]);
}

/* ---- telling */

/* The part of `all` of the next wait that is dealt, so that the parts add up to it. */
static uint64_t part(uint64_t all, uint64_t before, uint64_t now, uint64_t of)
{
    return (uint64_t)((u128)all * (before + now) / of - (u128)all * before / of);
}

/* They ended so many ns ago, and lasted so long. */
static void weights_add(struct waits *waits, uint32_t node, uint32_t runnable,
                        const uint64_t weights[WAIT_KIND_GROUPS], uint64_t age_ns,
                        uint64_t lasted_ns)
{
    uint32_t kind = runnable ? WAIT_RUNNABLE : WAIT_BLOCKED;
    for (uint32_t i = 0; i < WAIT_KIND_GROUPS; i++)
        stacks_add(&waits->profile->waits, node, kind + i, weights[i]);
    wait_times_add(waits->profile, node, kind, weights, clock_ns(CLOCK_REALTIME) - age_ns,
                   lasted_ns);
}

static struct stratum_key stratum_key(const struct waits *waits, uint32_t index)
{
    struct stratum_key key;
    memcpy(&key, map_key(&waits->strata_keys, index), sizeof key);
    return key;
}

static void ended_tell(struct waits *waits, uint64_t now_ns)
{
    for (size_t i = 0; i < waits->ended.n; i++) {
        const struct wait_seen *wait = &waits->ended.at[i];
        struct wait_stratum *all = &waits->strata.at[wait->stratum];
        uint64_t weights[WAIT_KIND_GROUPS] = {
            [WAIT_NS] = part(all->ns, all->dealt_ns, wait->ns, all->seen_ns),
            [WAIT_COUNT] = part(all->n, all->dealt, 1, all->seen),
            [WAIT_LONGEST] = wait->ns,
            [WAIT_SEEN] = 1};
        all->dealt_ns += wait->ns;
        all->dealt++;
        weights_add(waits, wait->node, stratum_key(waits, wait->stratum).runnable, weights,
                    now_ns > wait->end_ns ? now_ns - wait->end_ns : 0, wait->ns);
    }
    waits->ended.n = 0;
}

/* What no stack is known of, of the thread alone. */
static void stratum_tell(struct waits *waits, struct stratum_key key,
                         const struct wait_stratum *stratum, uint64_t now_ns)
{
    uint32_t root = stacks_node(&waits->profile->waits, STACK_NONE, MODULE_NONE,
                                stack_thread(key.pid, key.tid));
    uint64_t weights[WAIT_KIND_GROUPS] = {[WAIT_LONGEST] = stratum->longest_ns};
    if (!stratum->seen) {
        weights[WAIT_NS] = stratum->ns;
        weights[WAIT_COUNT] = stratum->n;
    }
    uint64_t age = now_ns > stratum->longest_end_ns ? now_ns - stratum->longest_end_ns : 0;
    weights_add(waits, root, key.runnable, weights, age, stratum->longest_ns);
}

/* Strata without a stack wait for one. */
static void strata_tell(struct waits *waits, bool last, uint64_t now_ns)
{
    struct map keys;
    uint32_t kept = 0;
    map_init(&keys, sizeof(struct stratum_key));
    for (uint32_t i = 0; i < waits->strata.n; i++) {
        struct wait_stratum stratum = waits->strata.at[i];
        struct stratum_key key = stratum_key(waits, i);
        if (stratum.seen || last) {
            stratum_tell(waits, key, &stratum, now_ns);
            continue;
        }
        map_add(&keys, &key);
        waits->strata.at[kept++] = stratum;
    }
    waits->strata.n = kept;
    map_release(&waits->strata_keys);
    waits->strata_keys = keys;
}

void waits_tell(struct waits *waits, uint64_t now_ns, bool last)
{
    for (size_t i = 0; i < waits->n; i++) {
        struct wait *wait = &waits->at[i];
        if (last)
            wait_end(waits, wait, now_ns);
        else
            wait_keep(waits, wait);
    }
    ended_tell(waits, now_ns);
    strata_tell(waits, last, now_ns);
}

void waits_forget(struct waits *waits)
{
    samples_forget(&waits->stacks);
}
