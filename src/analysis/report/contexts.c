#include "analysis/report/contexts.h"

#include "program/names/match.h"
#include "analysis/report/contexts_build.h"

#include <inttypes.h>
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
    const struct threads *threads = &plain->profile->threads;
    const char *name = "thread";
    for (size_t i = 0; i < threads->n; i++)
        if (threads->at[i].pid == pid && threads->at[i].tid == tid && *threads->at[i].name)
            name = threads->at[i].name; /* the last of several: what it had become */
    return arena_format(&plain->scene->arena, "[%s %" PRIu32 "/%" PRIu32 "]", name, pid, tid);
}

const char *context_name(const struct calling_contexts *contexts,
                         const struct calling_context *context)
{
    if (context->function == CONTEXT_THREAD)
        return thread_name(contexts->plain, context->thread);
    return scene_readable(contexts->plain->scene,
                          contexts->frames.functions.at[context->function].name);
}

struct estimate context_share(const struct calling_contexts *contexts, const struct groups *groups)
{
    return plain_part(contexts->plain, groups, &contexts->whole);
}

struct estimate context_total_share(const struct calling_contexts *contexts,
                                    const struct groups *groups)
{
    return estimate_raise(context_share(contexts, groups), contexts->plain->cut, 1);
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
    context_frames_make(&contexts->frames, plain, !options.no_inlines);
    if (options.function)
        contexts->wanted = functions_wanted(&contexts->frames, options.function);
    if (options.form == CONTEXTS_FLAT)
        contexts_list(contexts);
    else if (options.form == CONTEXTS_BOTTOM_UP)
        contexts_invert(contexts);
    else
        contexts_grow(contexts);
}

void contexts_release(struct calling_contexts *contexts)
{
    context_frames_release(&contexts->frames);
    mem_free(contexts->wanted);
    vec_release(&contexts->cells);
    arena_release(&contexts->groups);
    vec_release(contexts);
}
