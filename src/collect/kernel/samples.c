#include "collect/kernel/samples.h"

#include "collect/kernel/files.h"
#include "collect/perf/perf_record.h"
#include "collect/kernel/processes.h"
#include "collect/kernel/tasks.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <linux/perf_event.h>
#include <string.h>

void samples_init(struct samples *samples, struct profile *profile, struct processes *processes,
                  struct tasks *tasks)
{
    *samples = (struct samples){.profile = profile,
                                .nodes = &profile->stacks,
                                .totals = &profile->totals,
                                .named = samples,
                                .processes = processes,
                                .tasks = tasks,
                                .kernel_module = MODULE_NONE,
                                .unknown_module = MODULE_NONE};
    kernel_names_init(&samples->kernel_names);
    jit_names_init(&samples->jit_names);
}

void samples_release(struct samples *samples)
{
    kernel_names_release(&samples->kernel_names);
    jit_names_release(&samples->jit_names);
    stack_release(&samples->stack);
    last_nodes_release(&samples->last);
}

void samples_forget(struct samples *samples)
{
    last_nodes_forget(&samples->last);
}

void samples_tell_names(struct samples *samples, bool last)
{
    kernel_names_tell(&samples->kernel_names, samples->profile, samples->kernel_module);
    if (last)
        jit_names_tell(&samples->jit_names, samples->profile);
    else
        jit_names_look(&samples->jit_names);
}

/* ---- user frames */

struct asked {
    struct samples *samples;
    struct process *process;
};

static bool place_of(void *closure, struct avma at, struct stack_place *ret_place)
{
    const struct asked *asked = closure;
    const struct mapping *mapping = mappings_find(&asked->process->mappings, at);
    if (!mapping)
        return false;
    *ret_place = (struct stack_place){.at = {at.v + mapping->shift}};
    if (mapping->file && mapping->file->readable) {
        ret_place->unwind =
            file_unwind(&asked->samples->processes->files, mapping->file, ret_place->at);
        ret_place->image = &mapping->file->image;
    }
    return true;
}

static void count_end(struct samples *samples)
{
    const struct stack *stack = &samples->stack;
    samples->ends[stack->end]++;
    for (int i = 0; i < STACK_N_FALLBACKS; i++)
        samples->fallbacks[i] += stack->fallbacks[i];
    if (stack->end != STACK_OUTERMOST)
        sum_add(&samples->totals->losses[stack_end_loss[stack->end]], 1);
}

static bool samples_is_jit(const struct samples *samples, uint32_t module)
{
    return strcmp(samples->profile->modules.at[module].path, "[jit]") == 0;
}

static uint32_t node_of(void *closure, uint32_t parent, struct avma inside)
{
    struct samples *samples = ((struct asked *)closure)->samples;
    struct process *process = ((struct asked *)closure)->process;
    struct place place = mappings_place(&process->mappings, inside);
    if (mappings_missed(&process->mappings, place))
        samples->unknown_module = place.module;
    if (process->jit && samples_is_jit(samples, place.module))
        jit_names_see(&samples->named->jit_names, process->pid, place.module, place.address.v);
    return stacks_node(samples->nodes, parent, place.module, place.address.v);
}

static uint32_t frames_of(struct samples *samples, const struct perf_ids *ids,
                          const struct stack_sample *from, uint32_t node)
{
    struct process *process = processes_get(samples->processes, ids->pid);
    struct asked asked = {samples, process};
    struct stack_space space = {.place = place_of, .closure = &asked};
    struct stack *stack = &samples->stack;
    stack_walk(stack, &space, from);
    stack_past_apply(&process->past, stack);
    count_end(samples);
    stack_drop_unmapped(stack, &space);
    struct last_stack *last =
        last_nodes_of(&samples->last, process->pid, ids->tid, process->mappings.changes);
    return last_stack_node(last, stack, node, node_of, &asked);
}

static uint32_t user_frames(struct samples *samples, const struct perf_sample *sample,
                            uint32_t node)
{
    struct stack_sample from = {.mask = STACK_REGISTERS_MASK,
                                .registers = sample->registers,
                                .bytes = sample->stack,
                                .n_bytes = sample->stack_bytes};
    return frames_of(samples, &sample->ids, &from, node);
}

static uint32_t only_frame(struct samples *samples, const struct perf_sample *sample, uint32_t node)
{
    struct asked asked = {samples, processes_get(samples->processes, sample->ids.pid)};
    sum_add(&samples->totals->losses[LOSS_stack_no_rule], 1);
    return node_of(&asked, node, (struct avma){sample->ip});
}

/* ---- kernel frames */

static uint32_t kernel_frames(struct samples *samples, const struct perf_sample *sample,
                              uint32_t node)
{
    struct stacks *stacks = samples->nodes;
    struct samples *named = samples->named;
    if (named->kernel_module == MODULE_NONE)
        named->kernel_module = profile_module(samples->profile, "[kernel]", NULL, 0);
    for (uint64_t i = sample->n_chain; i-- > 0;) {
        uint64_t address = sample->chain[i];
        if (address >= PERF_CONTEXT_MAX || address == sample->ip)
            continue;
        node = stacks_node(stacks, node, named->kernel_module, address - 1);
        kernel_names_see(&named->kernel_names, address - 1);
    }
    kernel_names_see(&named->kernel_names, sample->ip);
    return stacks_node(stacks, node, named->kernel_module, sample->ip);
}

/* ---- all */

/* Whether the thread called the kernel from the agent, or from copies of its code, which are in no
 * mapping that is known here: the stack is not the program's then. */
static bool from_agent(struct samples *samples, const struct perf_sample *sample)
{
    enum { RIP = 8 };
    struct process *process = processes_get(samples->processes, sample->ids.pid);
    if (!process->walked)
        return false;
    const struct mapping *mapping =
        mappings_find(&process->mappings, (struct avma){sample->registers[RIP]});
    return !mapping || (mapping->file && mapping->file->agent);
}

static uint32_t root_of(struct samples *samples, const struct perf_ids *ids)
{
    uint64_t thread = stack_thread(ids->pid, ids->tid);
    if (samples->event)
        return events_count(samples->profile, samples->event, samples->clock, thread);
    return stacks_node(samples->nodes, STACK_NONE, MODULE_NONE, thread);
}

uint32_t samples_node(struct samples *samples, const struct perf_sample *sample)
{
    struct stacks *stacks = samples->nodes;
    uint32_t node = root_of(samples, &sample->ids);
    if (sample->has_registers && !from_agent(samples, sample))
        node = user_frames(samples, sample, node);
    else if (!sample->in_kernel) /* a program of 32 bits */
        node = only_frame(samples, sample, node);
    if (sample->in_kernel)
        node = kernel_frames(samples, sample, node);
    else if (stacks_key(stacks, node).module == samples->unknown_module)
        sum_add(&samples->totals->losses[LOSS_unmapped], 1);
    return node;
}

uint32_t samples_look(struct samples *samples, uint32_t pid, uint32_t tid,
                      const struct stack_sample *from)
{
    struct perf_ids ids = {.pid = pid, .tid = tid};
    uint32_t root = stacks_node(samples->nodes, STACK_NONE, MODULE_NONE, stack_thread(pid, tid));
    return frames_of(samples, &ids, from, root);
}

/* The agent has better samples of user mode. This one only divides the thread's time. */
static bool is_agents(struct samples *samples, const struct perf_sample *sample)
{
    if (!samples->beside || sample->in_kernel)
        return false;
    const struct perf_ids *ids = &sample->ids;
    bool walked = tasks_get(samples->tasks, ids->pid, ids->tid, ids->time_ns)->walked;
    processes_get(samples->processes, ids->pid)->bare += !walked;
    samples->bare += !walked;
    return walked;
}

static uint64_t weight_of(const struct samples *samples, const struct perf_sample *sample)
{
    return sample->period + (uint64_t)((u128)sample->period * samples->stretch >> 20);
}

void samples_add_other(struct samples *samples, const struct perf_sample *sample)
{
    uint32_t node = samples_node(samples, sample);
    uint32_t group = (uint32_t)(samples->taken % STACK_GROUPS);
    stacks_add(samples->nodes, node, group, weight_of(samples, sample));
    samples->taken++;
    samples->in_kernel += sample->in_kernel;
}

void samples_add(struct samples *samples, const struct perf_sample *sample)
{
    const struct perf_ids *ids = &sample->ids;
    uint64_t weight = weight_of(samples, sample);
    bool agents = is_agents(samples, sample);
    uint32_t node = agents ? STACK_NONE : samples_node(samples, sample);
    tasks_sample(samples->tasks, ids, node, (uint32_t)(samples->taken % STACK_GROUPS), weight,
                 sample->in_kernel);
    samples->taken++;
    samples->in_kernel += sample->in_kernel;
    if (!samples->beside)
        sum_add(&samples->totals->interrupts, 1);
}
