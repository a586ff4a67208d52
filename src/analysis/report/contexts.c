#include "analysis/report/contexts.h"

#include "program/names/match.h"
#include "analysis/report/contexts_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *contexts_form_name(enum contexts_form form)
{
    static const char *const names[] = {[CONTEXTS_TOP_DOWN] = "top-down",
                                        [CONTEXTS_BOTTOM_UP] = "bottom-up",
                                        [CONTEXTS_FLAT] = "flat"};
    return names[form];
}

static const char *thread_name(const struct plain *plain, uint64_t thread)
{
    uint32_t pid = (uint32_t)(thread >> 32), tid = (uint32_t)thread;
    const char *name = threads_name(&plain->profile->threads, pid, tid);
    name = name ? name : "thread";
    return arena_format(&plain->scene->arena, "[%s %" PRIu32 "/%" PRIu32 "]", name, pid, tid);
}

const char *context_name(const struct calling_contexts *contexts,
                         const struct calling_context *context)
{
    if (context->function == CONTEXT_THREAD)
        return thread_name(contexts->plain, context->thread);
    if (context->function == CONTEXT_KERNEL)
        return "[kernel]";
    return scene_readable(contexts->plain->scene,
                          contexts->frames.functions.at[context->function].name);
}

/* ---- of both user and kernel time */

static const struct groups nothing;

/* What is left of a weight of both without the kernel's. */
static struct groups user_part(const struct calling_contexts *contexts, const struct groups *both,
                               const struct groups *kernel)
{
    struct groups user = {0};
    for (uint32_t g = 0; g < STACK_GROUPS; g++) {
        double left = (double)both->at[g] - contexts->kernel_unit * (double)kernel->at[g];
        groups_add(&user, g, left > 0 ? (uint64_t)(left + 0.5) : 0);
    }
    return user;
}

/* The kernel's part of a context's own weight: of a function, all of it or nothing. */
static const struct groups *own_kernel(const struct calling_contexts *contexts,
                                       const struct calling_context *context, struct groups *room)
{
    if (context->self.sum == context->total.sum)
        return context->beside.groups;
    if (!context_has_function(context) || !(contexts->kernel_unit > 0) ||
        !contexts->frames.functions.at[context->function].kernel)
        return &nothing;
    *room = (struct groups){0};
    for (uint32_t g = 0; g < STACK_GROUPS; g++)
        groups_add(room, g,
                   (uint64_t)((double)context->self.groups->at[g] / contexts->kernel_unit + 0.5));
    return room;
}

/* Of a kernel that was not sampled all is known, and no more: it is one context. */
static struct estimate kernel_amount(const struct calling_contexts *contexts,
                                     const struct groups *kernel)
{
    double all = plain_beside(contexts->plain, kernel);
    struct estimate share = plain_beside_share(contexts->plain, kernel);
    if (!contexts->plain->beside_whole || !kernel->sum)
        return (struct estimate){all, all, all};
    double whole = plain_beside(contexts->plain, &contexts->plain->beside);
    return (struct estimate){all, share.lo * whole, share.hi * whole};
}

static struct estimate estimate_times(struct estimate estimate, double by)
{
    return (struct estimate){estimate.value * by, estimate.lo * by, estimate.hi * by};
}

/* The two vary apart from each other. */
static struct estimate apart(struct estimate a, struct estimate b)
{
    double value = a.value + b.value;
    return (struct estimate){value, fmax(0, value - hypot(a.value - a.lo, b.value - b.lo)),
                             value + hypot(a.hi - a.value, b.hi - b.value)};
}

/* cut: stacks that were cut may have had it as well. They ended in the program. */
static struct estimate both_amount(const struct calling_contexts *contexts,
                                   const struct groups *both, const struct groups *kernel, bool cut)
{
    const struct plain *plain = contexts->plain;
    struct groups user = user_part(contexts, both, kernel);
    if (kernel->sum && !user.sum)
        return kernel_amount(contexts, kernel);
    struct estimate of_user = cut ? plain_total_amount(plain, &user) : plain_amount(plain, &user);
    return kernel->sum ? apart(of_user, kernel_amount(contexts, kernel)) : of_user;
}

/* How much of all there is is user and how much is kernel time is counted, not sampled. */
static struct estimate both_share(const struct calling_contexts *contexts,
                                  const struct groups *both, const struct groups *kernel,
                                  double cut)
{
    const struct plain *plain = contexts->plain;
    struct groups user = user_part(contexts, both, kernel);
    struct groups whole = user_part(contexts, &contexts->whole, &contexts->beside);
    double of_user = plain_amount(plain, &whole).value;
    double of_kernel = plain_beside(plain, &contexts->beside), all = of_user + of_kernel;
    if (!(all > 0))
        return (struct estimate){0, NAN, NAN};
    struct estimate share = {0}, inside = {0};
    if (user.sum || !kernel->sum)
        share = estimate_raise(plain_part(plain, &user, &whole), cut, 1);
    if (kernel->sum && plain->beside_whole)
        inside = groups_share(kernel, &contexts->beside, plain->beside_weight);
    else if (kernel->sum) /* it was not sampled: this is all of it */
        inside = (struct estimate){1, 1, 1};
    share = estimate_times(share, of_user / all);
    struct estimate sum = apart(share, estimate_times(inside, of_kernel / all));
    return (struct estimate){sum.value, sum.lo, fmin(sum.hi, 1)};
}

/* ---- shares and amounts */

struct estimate context_self_share(const struct calling_contexts *contexts,
                                   const struct calling_context *context)
{
    struct groups room;
    if (contexts->options.both)
        return both_share(contexts, context->self.groups, own_kernel(contexts, context, &room), 0);
    return plain_part(contexts->plain, context->self.groups, &contexts->whole);
}

struct estimate context_total_share(const struct calling_contexts *contexts,
                                    const struct groups *total, const struct groups *beside)
{
    double cut = contexts->plain->cut;
    if (contexts->options.both)
        return both_share(contexts, total, beside, cut);
    return estimate_raise(plain_part(contexts->plain, total, &contexts->whole), cut, 1);
}

struct estimate context_self_amount(const struct calling_contexts *contexts,
                                    const struct calling_context *context)
{
    struct groups room;
    if (!contexts->options.both)
        return plain_amount(contexts->plain, context->self.groups);
    return both_amount(contexts, context->self.groups, own_kernel(contexts, context, &room), false);
}

struct estimate context_total_amount(const struct calling_contexts *contexts,
                                     const struct groups *total, const struct groups *beside)
{
    if (!contexts->options.both)
        return plain_total_amount(contexts->plain, total);
    return both_amount(contexts, total, beside, true);
}

struct estimate context_samples(const struct calling_contexts *contexts,
                                const struct calling_context *context)
{
    const struct plain *plain = contexts->plain;
    struct estimate share = plain_part(plain, context->total.groups, &contexts->whole);
    double n = plain->sample_weight > 0 ? (double)contexts->whole.sum / plain->sample_weight : 0;
    if (contexts->options.both) {
        struct groups user = user_part(contexts, context->total.groups, context->beside.groups);
        double seen = plain->sample_weight > 0 ? (double)user.sum / plain->sample_weight : 0;
        if (plain->beside_weight > 0)
            seen += (double)context->beside.groups->sum / plain->beside_weight;
        share = context_total_share(contexts, context->total.groups, context->beside.groups);
        n = share.value > 0 ? seen / share.value : 0;
    }
    return (struct estimate){round(share.value * n), floor(share.lo * n), ceil(share.hi * n)};
}

static bool *functions_wanted(const struct context_frames *frames, const char *pattern)
{
    const struct context_functions *functions = &frames->functions;
    bool *wanted = mem_alloc((functions->n + 1) * sizeof *wanted);
    for (size_t i = 0; i < functions->n; i++) {
        const char *name = functions->at[i].name;
        wanted[i] = name_matches(pattern, name, scene_readable(frames->plain->scene, name));
    }
    return wanted;
}

void contexts_make(struct calling_contexts *contexts, struct plain *plain,
                   struct contexts_options options)
{
    *contexts = (struct calling_contexts){
        .options = options, .plain = plain, .clock = context_clock_find(plain->profile)};
    contexts->options.both &= plain->profile->mode != PROFILE_EXACT;
    contexts->kernel_unit = contexts->options.both ? plain_beside_unit(plain) : 0;
    context_frames_make(&contexts->frames, plain, !options.no_inlines);
    if (options.function)
        contexts->wanted = functions_wanted(&contexts->frames, options.function);
    if (options.form == CONTEXTS_FLAT)
        contexts_list(contexts);
    else if (options.form == CONTEXTS_BOTTOM_UP)
        contexts_invert(contexts);
    else
        contexts_grow(contexts);
    contexts_add_kernel(contexts);
}

void contexts_release(struct calling_contexts *contexts)
{
    context_frames_release(&contexts->frames);
    mem_free(contexts->wanted);
    vec_release(&contexts->cells);
    arena_release(&contexts->groups);
    vec_release(contexts);
}
