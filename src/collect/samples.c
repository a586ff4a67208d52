#include "collect/samples.h"

#include "collect/files.h"
#include "collect/perf_record.h"
#include "collect/processes.h"
#include "collect/tasks.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <linux/perf_event.h>
#include <string.h>

void samples_init(struct samples *samples, struct profile *profile, struct processes *processes,
                  struct tasks *tasks)
{
    *samples = (struct samples){.profile = profile,
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

static bool place_of(void *closure, struct avma at, struct stack_place *ret_place)
{
    struct process *process = closure;
    const struct mapping *mapping = mappings_find(&process->mappings, at);
    if (!mapping)
        return false;
    *ret_place = (struct stack_place){.at = {at.v + mapping->shift}};
    if (mapping->file && mapping->file->readable) {
        ret_place->unwind = file_unwind(mapping->file);
        ret_place->image = &mapping->file->image;
    }
    return true;
}

static void count_end(struct samples *samples)
{
    static const int losses[STACK_N_ENDS] = {[STACK_OUTERMOST] = -1,
                                             [STACK_TRUNCATED] = LOSS_stack_truncated,
                                             [STACK_LIMIT] = LOSS_stack_truncated,
                                             [STACK_NO_RULE] = LOSS_stack_no_rule,
                                             [STACK_UNMAPPED] = LOSS_stack_astray,
                                             [STACK_BAD] = LOSS_stack_astray,
                                             [STACK_GONE] = LOSS_stack_gone};
    const struct stack *stack = &samples->stack;
    samples->ends[stack->end]++;
    for (int i = 0; i < STACK_N_FALLBACKS; i++)
        samples->fallbacks[i] += stack->fallbacks[i];
    if (losses[stack->end] >= 0)
        sum_add(&samples->profile->totals.losses[losses[stack->end]], 1);
}

static bool samples_is_jit(const struct samples *samples, uint32_t module)
{
    return strcmp(samples->profile->modules.at[module].path, "[jit]") == 0;
}

static uint32_t node_of(struct samples *samples, struct process *process, uint32_t parent,
                        const struct stack_frame *frame)
{
    struct place place = mappings_place(&process->mappings, stack_frame_inside(frame));
    if (mappings_missed(&process->mappings, place))
        samples->unknown_module = place.module;
    if (process->jit && samples_is_jit(samples, place.module))
        jit_names_see(&samples->jit_names, process->pid, place.module, place.address.v);
    return stacks_node(&samples->profile->stacks, parent, place.module, place.address.v);
}

/* From the outermost frame inwards. */
static uint32_t stack_nodes(struct samples *samples, struct process *process, uint32_t tid,
                            uint32_t node)
{
    const struct stack *stack = &samples->stack;
    struct last_stack *last =
        last_nodes_of(&samples->last, process->pid, tid, process->mappings.changes);
    size_t same = 0;
    while (same < last->n && same < stack->n &&
           last->at[same].inside == stack_frame_inside(&stack->at[stack->n - 1 - same]).v)
        node = last->at[same++].node;
    last->n = same;
    for (size_t i = stack->n - same; i-- > 0;) {
        node = node_of(samples, process, node, &stack->at[i]);
        *vec_push(last) = (struct last_node){stack_frame_inside(&stack->at[i]).v, node};
    }
    return node;
}

static uint32_t user_frames(struct samples *samples, const struct perf_sample *sample,
                            uint32_t node)
{
    struct process *process = processes_get(samples->processes, sample->ids.pid);
    struct stack_space space = {.place = place_of, .closure = process};
    struct stack_sample from = {.mask = STACK_REGISTERS_MASK,
                                .registers = sample->registers,
                                .bytes = sample->stack,
                                .n_bytes = sample->stack_bytes};
    struct stack *stack = &samples->stack;
    stack_walk(stack, &space, &from);
    stack_past_apply(&process->past, stack);
    count_end(samples);
    /* No code is there: it was no return address, or that of a program that is gone. */
    if ((stack->end == STACK_UNMAPPED && stack->n > 1) ||
        (stack->end == STACK_GONE && !mappings_find(&process->mappings, stack->at[0].pc)))
        stack->n--;
    return stack_nodes(samples, process, sample->ids.tid, node);
}

static uint32_t only_frame(struct samples *samples, const struct perf_sample *sample, uint32_t node)
{
    struct stack_frame frame = {.pc = {sample->ip}, .how = STACK_SAMPLED};
    sum_add(&samples->profile->totals.losses[LOSS_stack_no_rule], 1);
    return node_of(samples, processes_get(samples->processes, sample->ids.pid), node, &frame);
}

/* ---- kernel frames */

static uint32_t kernel_frames(struct samples *samples, const struct perf_sample *sample,
                              uint32_t node)
{
    struct stacks *stacks = &samples->profile->stacks;
    if (samples->kernel_module == MODULE_NONE)
        samples->kernel_module = profile_module(samples->profile, "[kernel]", NULL, 0);
    for (uint64_t i = sample->n_chain; i-- > 0;) {
        uint64_t address = sample->chain[i];
        if (address >= PERF_CONTEXT_MAX || address == sample->ip)
            continue;
        node = stacks_node(stacks, node, samples->kernel_module, address - 1);
        kernel_names_see(&samples->kernel_names, address - 1);
    }
    kernel_names_see(&samples->kernel_names, sample->ip);
    return stacks_node(stacks, node, samples->kernel_module, sample->ip);
}

/* ---- all */

void samples_add(struct samples *samples, const struct perf_sample *sample)
{
    struct profile *profile = samples->profile;
    const struct perf_ids *ids = &sample->ids;
    uint64_t weight = sample->period + (uint64_t)((u128)sample->period * samples->stretch >> 20);
    uint32_t node =
        stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(ids->pid, ids->tid));
    if (sample->has_registers)
        node = user_frames(samples, sample, node);
    else if (!sample->in_kernel) /* a program of 32 bits */
        node = only_frame(samples, sample, node);
    if (sample->in_kernel)
        node = kernel_frames(samples, sample, node);
    else if (stacks_key(&profile->stacks, node).module == samples->unknown_module)
        sum_add(&profile->totals.losses[LOSS_unmapped], 1);
    tasks_sample(samples->tasks, ids, node, (uint32_t)(samples->taken % STACK_GROUPS), weight,
                 sample->in_kernel);
    samples->taken++;
    samples->in_kernel += sample->in_kernel;
    sum_add(&profile->totals.interrupts, 1);
}
