#include "collect/windows/interrupts.h"

#include "collect/stacks/walk_stacks.h"
#include "base/clock.h"
#include "process/mappings.h"
#include "process/selection.h"
#include "profile/sums.h"
#include "profile/times.h"

void interrupts_init(struct interrupts *interrupts, const struct recording_session *session,
                     struct mappings *mappings)
{
    *interrupts = (struct interrupts){.session = session, .mappings = mappings};
    python_codes_init(&interrupts->python);
}

void interrupts_release(struct interrupts *interrupts)
{
    stack_past_release(&interrupts->past);
    python_codes_release(&interrupts->python);
}

bool interrupts_python(struct interrupts *interrupts, const struct event_python *event,
                       uint32_t bytes)
{
    struct walk_stacks *stacks = interrupts->session->stacks;
    return !stacks ||
           python_codes_add(&interrupts->python, &stacks->python, stacks->profile, event, bytes);
}

static uint32_t time_node(struct interrupts *interrupts, const struct event_walk *walk,
                          struct place at, const struct stack_sample *sample,
                          struct interrupt *interrupt)
{
    struct walk_stacks *walk_stacks = interrupts->session->stacks;
    struct stacks *stacks = &interrupts->session->profile->stacks;
    uint64_t thread = stack_thread((uint32_t)interrupts->mappings->pid, (uint32_t)walk->tid);
    uint32_t root = stacks_node(stacks, STACK_NONE, MODULE_NONE, thread);
    if (walk_stacks && sample) {
        struct walk_thread of = {interrupts->mappings, &interrupts->past, &interrupts->python,
                                 (uint32_t)walk->tid};
        interrupt->stack = &walk_stacks->stack;
        return walk_stacks_node(walk_stacks, &of, sample, root, &interrupt->stack_begin);
    }
    if (walk_stacks)
        walk_stacks->untaken++;
    return stacks_node(stacks, root, at.module, at.address.v);
}

uint64_t interrupts_unix(uint64_t tsc, uint64_t tsc_hz)
{
    uint64_t now = __builtin_ia32_rdtsc();
    uint64_t age = tsc_hz && tsc < now ? (uint64_t)((u128)(now - tsc) * 1000000000u / tsc_hz) : 0;
    return clock_ns(CLOCK_REALTIME) - age;
}

static uint32_t cpu_of(const struct event_walk *walk)
{
    return walk->cpu_node ? (walk->cpu_node - 1) & CPU_MASK : SLICE_CPU_NONE;
}

struct interrupt interrupts_add(struct interrupts *interrupts, const struct event_walk *walk,
                                const struct stack_sample *stack, uint64_t weight_ns,
                                uint64_t tsc_hz)
{
    struct interrupt interrupt = {0};
    struct mappings *mappings = interrupts->mappings;
    struct profile *profile = interrupts->session->profile;
    if (!walk->pc || !weight_ns)
        return interrupt;
    struct place at = mappings_place(mappings, (struct avma){walk->pc});
    interrupts->unmapped += mappings_missed(mappings, at);
    uint32_t group = interrupts->samples++ % STACK_GROUPS;
    if (!mappings->only || selection_takes(mappings->only, mappings, at)) {
        uint32_t node = time_node(interrupts, walk, at, stack, &interrupt);
        stacks_add(&profile->stacks, node, group, weight_ns);
        times_add(profile, node, group, weight_ns, interrupts_unix(walk->tsc, tsc_hz),
                  cpu_of(walk));
    }
    sum_add(&profile->totals.samples, 1);
    sum_add(&profile->totals.sampled_ns, weight_ns);
    sum_add_wide(&profile->totals.sampled_xx, (u128)weight_ns * weight_ns);
    return interrupt;
}
