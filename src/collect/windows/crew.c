#include "collect/windows/crew.h"

#include "profile/profile.h"
#include "profile/sums.h"

#include <string.h>

void crew_init(struct crew *crew, bool sampled)
{
    *crew = (struct crew){.sampled = sampled};
    map_init(&crew->tids, sizeof(uint32_t));
}

void crew_release(struct crew *crew)
{
    map_release(&crew->tids);
    vec_release(crew);
}

static struct crew_thread *thread_of(struct crew *crew, uint32_t tid)
{
    uint32_t index = map_add(&crew->tids, &tid);
    if (index == crew->n)
        *vec_push(crew) = (struct crew_thread){.tid = tid};
    return &crew->at[index];
}

/* A clock that goes backwards is another thread's, whose predecessor ended unheard. */
struct crew_sample crew_sample(struct crew *crew, const struct event_walk *walk)
{
    struct crew_thread *thread = thread_of(crew, (uint32_t)walk->tid);
    if (walk->flags & WALK_FURTHER)
        return (struct crew_sample){.weight_ns = thread->weight_ns};
    thread->samples++;
    bool first = !thread->told_ns || walk->cpu_ns < thread->told_ns;
    uint64_t since = first ? walk->cpu_ns : walk->cpu_ns - thread->told_ns;
    uint64_t most = first ? CREW_FIRST_NS : CREW_MOST_NS;
    thread->told_ns = walk->cpu_ns;
    since = since < most ? since : most;
    uint64_t weight = walk->period_ns < CREW_MOST_NS ? walk->period_ns : CREW_MOST_NS;
    weight = weight ? weight : since;
    thread->weight_ns = weight;
    if (walk->pc)
        thread->user_ns += weight;
    return (struct crew_sample){.weight_ns = weight, .since_ns = since};
}

bool crew_others(const struct crew *crew, uint32_t tid)
{
    for (size_t i = 0; i < crew->n; i++)
        if (crew->at[i].tid != tid && crew->at[i].samples >= CREW_MOMENT)
            return true;
    return false;
}

uint64_t crew_tell(struct crew *crew, const struct wire_thread *slot, uint32_t pid,
                   struct profile *profile)
{
    struct crew_thread *thread = thread_of(crew, (uint32_t)slot->tid);
    if (thread->start_tsc != slot->start_tsc)
        thread->cpu_ns = 0;
    thread->start_tsc = slot->start_tsc;
    uint64_t ran =
        slot->end_cpu_ns > slot->start_cpu_ns ? slot->end_cpu_ns - slot->start_cpu_ns : 0;
    uint64_t more = ran > thread->cpu_ns ? ran - thread->cpu_ns : 0;
    uint64_t user = thread->user_ns < more ? thread->user_ns : more;
    if (!more)
        return 0;
    thread->cpu_ns += more;
    char name[sizeof slot->name + 1] = {0};
    memcpy(name, slot->name, sizeof slot->name);
    struct thread_times *row =
        threads_row(&profile->threads, &profile->arena, pid, (uint32_t)slot->tid, name);
    if (!crew->sampled)
        return 0;
    sum_add(&row->user_ns, user);
    sum_add(&row->kernel_ns, more - user);
    thread->user_ns -= user; /* chance may have it ahead: told when the clock has caught up */
    return more;
}

void crew_end(struct crew *crew, uint32_t tid)
{
    struct crew_thread *thread = thread_of(crew, tid);
    thread->told_ns = thread->user_ns = 0;
}
