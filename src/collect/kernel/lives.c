#include "collect/kernel/lives.h"

#include "base/clock.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdio.h>
#include <string.h>

/* Key: no padding, compared by bytes. */
struct walked_key {
    uint32_t pid, tid;
    char name[16];
};

void lives_init(struct lives *lives, struct profile *profile)
{
    *lives = (struct lives){.profile = profile,
                            .totals = &profile->totals,
                            .unix_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC)};
    map_init(&lives->pool_keys, sizeof lives->at->name);
    map_init(&lives->walked_keys, sizeof(struct walked_key));
}

void lives_release(struct lives *lives)
{
    vec_release(&lives->samples);
    vec_release(&lives->pools);
    map_release(&lives->pool_keys);
    map_release(&lives->walked_keys);
    vec_release(&lives->walked);
    vec_release(lives);
}

uint32_t lives_add(struct lives *lives, uint32_t pid, uint32_t tid, const char *name)
{
    struct life *life = vec_push(lives);
    *life = (struct life){.pid = pid, .tid = tid, .pool = POOL_NONE};
    snprintf(life->name, sizeof life->name, "%s", name);
    return (uint32_t)lives->n - 1;
}

uint32_t lives_rename(struct lives *lives, uint32_t life, uint32_t pid, uint32_t tid,
                      const char *name)
{
    struct life *old = life == LIFE_NONE ? NULL : &lives->at[life];
    bool goes_on = old && old->all_ns == old->part.on_ns && old->all_ns < lives->short_ns &&
                   !old->part.weight[0] && !old->part.weight[1];
    if (goes_on) {
        memset(old->name, 0, sizeof old->name);
        snprintf(old->name, sizeof old->name, "%s", name);
        return life;
    }
    if (old)
        old->ended = true;
    return lives_add(lives, pid, tid, name);
}

void lives_sample(struct lives *lives, const struct lives_sample *sample)
{
    *vec_push(&lives->samples) = *sample;
    sum_add(&lives->at[sample->life].part.weight[sample->kernel], sample->weight);
}

/* ---- dividing time */

static u128 stratum_weight(const struct stratum *stratum)
{
    return (u128)stratum->weight[0] + stratum->weight[1];
}

/* What the samples share. Where only one mode is sampled they cannot speak for all of the time, but
 * not for more than there is, either. */
static u128 stratum_share(const struct lives *lives, const struct stratum *stratum)
{
    u128 weight = stratum_weight(stratum);
    bool partial = lives->only[0] || lives->only[1];
    if (!lives->measured || !stratum->on_ns || (partial && weight < stratum->on_ns))
        return weight;
    return stratum->on_ns;
}

/* Rounded so that all of them add up to what is shared. */
static uint64_t stratum_deal(const struct lives *lives, struct stratum *stratum, uint64_t weight,
                             bool kernel)
{
    u128 all = stratum_weight(stratum), share = stratum_share(lives, stratum);
    uint64_t before = (uint64_t)(stratum->dealt * share / all);
    sum_add(&stratum->dealt, weight);
    uint64_t got = (uint64_t)(stratum->dealt * share / all) - before;
    sum_add(&stratum->got_ns[kernel], got);
    return got;
}

/* ---- pools */

static uint32_t pool_of(struct lives *lives, const struct life *life)
{
    uint32_t index = map_add(&lives->pool_keys, life->name);
    if (index == lives->pools.n)
        *vec_push(&lives->pools) = (struct stratum){0};
    return index;
}

static void lives_pool(struct lives *lives)
{
    map_clear(&lives->pool_keys);
    lives->pools.n = 0;
    for (size_t i = 0; i < lives->n; i++) {
        struct life *life = &lives->at[i];
        life->pool = POOL_NONE;
        if (!life->ended || (life->all_ns >= lives->short_ns && stratum_weight(&life->part)))
            continue;
        life->pool = pool_of(lives, life);
        struct stratum *pool = &lives->pools.at[life->pool];
        sum_add(&pool->on_ns, life->part.on_ns);
        for (int mode = 0; mode < 2; mode++)
            sum_add(&pool->weight[mode], life->part.weight[mode]);
    }
}

static struct stratum *stratum_of(struct lives *lives, struct life *life)
{
    return life->pool == POOL_NONE ? &life->part : &lives->pools.at[life->pool];
}

/* ---- telling */

static void weight_tell(struct lives *lives, const struct lives_sample *sample, uint64_t weight)
{
    struct totals *totals = lives->totals;
    stacks_add(&lives->profile->stacks, sample->node, sample->group, weight);
    times_add(lives->profile, sample->node, sample->group, weight, sample->time_ns + lives->unix_ns,
              sample->cpu);
    if (lives->beside)
        sum_add(&totals->kernel_samples, 1);
    if (!sample->kernel && lives->beside) {
        sum_add(&totals->samples, 1);
        sum_add(&totals->sampled_ns, weight);
        sum_add_wide(&totals->sampled_xx, (u128)weight * weight);
        sum_add(&totals->bare_ns, weight);
        sum_add_wide(&totals->bare_xx, (u128)weight * weight);
    } else if (!sample->kernel) {
        sum_add(&totals->time, weight);
    }
}

static void weights_tell(struct lives *lives)
{
    for (size_t i = 0; i < lives->samples.n; i++) {
        const struct lives_sample *sample = &lives->samples.at[i];
        struct stratum *stratum = stratum_of(lives, &lives->at[sample->life]);
        uint64_t weight = stratum_deal(lives, stratum, sample->weight, sample->kernel);
        sum_add(&lives->weight[sample->kernel], weight);
        if (sample->node != STACK_NONE)
            weight_tell(lives, sample, weight);
    }
    lives->samples.n = 0;
}

/* ---- threads with an agent */

static struct walked_times *walked_of(struct lives *lives, uint32_t pid, uint32_t tid,
                                      const char *name)
{
    struct walked_key key = {pid, tid, ""};
    snprintf(key.name, sizeof key.name, "%s", name);
    uint32_t index = map_add(&lives->walked_keys, &key);
    if (index == lives->walked.n)
        *vec_push(&lives->walked) = (struct walked_times){0};
    return &lives->walked.at[index];
}

void lives_told(struct lives *lives, uint32_t pid, uint32_t tid, const char *name, uint64_t ns)
{
    sum_add(&walked_of(lives, pid, tid, name)->told_ns, ns);
}

static uint64_t walked_missing(const struct walked_times *times)
{
    uint64_t all = times->user_ns + times->kernel_ns;
    return all > times->told_ns ? all - times->told_ns : 0;
}

/* Switches include what the host of a virtual machine took: `all_ns` does not. */
void lives_rest(struct lives *lives, uint64_t all_ns, uint64_t switched_ns)
{
    struct profile *profile = lives->profile;
    uint64_t wanted = 0, told = switched_ns;
    for (uint32_t i = 0; i < lives->walked.n; i++)
        sum_add(&wanted, walked_missing(&lives->walked.at[i]));
    for (uint32_t i = 0; i < lives->walked.n; i++) {
        const struct walked_times *times = &lives->walked.at[i];
        told += times->told_ns - times->user_ns - times->kernel_ns;
    }
    bool known = all_ns > switched_ns - switched_ns / 5;
    uint64_t room = !known ? wanted : all_ns > told ? all_ns - told : 0;
    /* Where switches were too many, what they had told until then. */
    for (uint32_t i = 0; wanted && i < lives->walked.n; i++) {
        const struct walked_times *times = &lives->walked.at[i];
        const struct walked_key *key = map_key(&lives->walked_keys, i);
        uint64_t missing = walked_missing(times);
        if (!missing)
            continue;
        missing = room < wanted ? (uint64_t)((u128)missing * room / wanted) : missing;
        uint64_t user_ns =
            (uint64_t)((u128)missing * times->user_ns / (times->user_ns + times->kernel_ns));
        struct thread_times *row =
            threads_row(&profile->threads, &profile->arena, key->pid, key->tid, key->name);
        sum_add(&row->user_ns, user_ns);
        sum_add(&row->kernel_ns, missing - user_ns);
    }
}

/* ---- telling */

static void times_tell(struct lives *lives, const struct life *life, uint64_t user_ns,
                       uint64_t kernel_ns)
{
    struct profile *profile = lives->profile;
    if (life->walked) {
        struct walked_times *walked = walked_of(lives, life->pid, life->tid, life->name);
        sum_add(&walked->user_ns, user_ns);
        sum_add(&walked->kernel_ns, kernel_ns);
    } else {
        struct thread_times *row =
            threads_row(&profile->threads, &profile->arena, life->pid, life->tid, life->name);
        sum_add(&row->user_ns, user_ns);
        sum_add(&row->kernel_ns, kernel_ns);
    }
    sum_add(&lives->totals->user_ns, user_ns);
    sum_add(&lives->totals->kernel_ns, kernel_ns);
}

/* As the samples of its stratum divide it. */
static void life_tell(struct lives *lives, struct life *life)
{
    const struct stratum *stratum = stratum_of(lives, life);
    u128 all = (u128)stratum->got_ns[0] + stratum->got_ns[1], user = stratum->got_ns[0];
    uint64_t time = life->part.on_ns;
    if (lives->only[0] || lives->only[1])
        all = stratum->on_ns;
    if (lives->only[1])
        user = all - stratum->got_ns[1];
    uint64_t user_ns = all ? (uint64_t)(time * user / all) : 0;
    times_tell(lives, life, user_ns, time - user_ns);
}

/* No sample was ever near it. */
static void life_lost(struct lives *lives, const struct life *life)
{
    const uint64_t *rest = lives->rest[0] || lives->rest[1] ? lives->rest : lives->weight;
    u128 all = (u128)rest[0] + rest[1];
    uint64_t time = life->part.on_ns, user_ns = all ? (uint64_t)(time * (u128)rest[0] / all) : time;
    bool other = (lives->only[0] || lives->only[1]) && life->all_ns >= lives->short_ns;
    if (other) /* it was in the mode that is not sampled */
        user_ns = lives->only[1] ? time : 0;
    times_tell(lives, life, user_ns, time - user_ns);
    if (other || life->walked)
        return;
    sum_add(&lives->totals->losses[LOSS_unsampled], 1);
    sum_add(&lives->totals->losses[LOSS_unsampled_us], time / 1000);
}

static void lives_tell(struct lives *lives, bool last)
{
    for (size_t i = 0; lives->measured && i < lives->n; i++) {
        struct life *life = &lives->at[i];
        bool spoken = stratum_weight(stratum_of(lives, life));
        if (life->part.on_ns && spoken)
            life_tell(lives, life);
        else if (life->part.on_ns && last)
            life_lost(lives, life);
        life->settled = spoken || last || !life->part.on_ns;
    }
}

/* Those that go on, and those whose time waits for a sample. */
static void lives_keep(struct lives *lives,
                       void (*moved)(void *closure, const struct life *life, uint32_t number),
                       void *closure)
{
    size_t kept = 0;
    for (size_t i = 0; i < lives->n; i++) {
        struct life life = lives->at[i];
        bool settled = life.settled || !lives->measured;
        if (life.ended && settled)
            continue;
        if (settled)
            life.part = (struct stratum){0};
        lives->at[kept] = life;
        if (!life.ended)
            moved(closure, &life, (uint32_t)kept);
        kept++;
    }
    lives->n = kept;
}

void lives_settle(struct lives *lives, bool last,
                  void (*moved)(void *closure, const struct life *life, uint32_t number),
                  void *closure)
{
    lives_pool(lives);
    weights_tell(lives);
    lives_tell(lives, last);
    lives_keep(lives, moved, closure);
}
