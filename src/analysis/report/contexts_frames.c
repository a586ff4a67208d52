#include "analysis/report/contexts_frames.h"

#include "analysis/counts/code_owner.h"

static void functions_copy(struct context_frames *frames)
{
    const struct plain *plain = frames->plain;
    for (size_t i = 0; i < plain->functions.n; i++) {
        const struct plain_function *function = &plain->functions.at[i];
        *vec_push(&frames->functions) = (struct context_function){
            .module = function->module, .start = function->start, .name = function->name};
    }
    for (uint32_t node = 0; node < plain->profile->stacks.nodes.n; node++)
        if (plain->function_of[node] != PLAIN_NONE && plain->flags[node] & PLAIN_KERNEL)
            frames->functions.at[plain->function_of[node]].kernel = true;
        else if (plain->function_of[node] != PLAIN_NONE &&
                 profile_module_is_python(plain->profile,
                                          stacks_key(&plain->profile->stacks, node).module))
            frames->functions.at[plain->function_of[node]].python = true;
}

/* "_Z...", "_R...": says what it is a member of. */
static bool is_whole_name(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* Equal names at different addresses are one function: debug information has one for each unit. Not
 * so where it has no more than the last part of a name: every lambda's is "operator()". */
static uint32_t inlined_add(struct context_frames *frames, uint32_t module,
                            const struct source_frame *found)
{
    struct intern *names = &frames->plain->scene->names;
    const char *name = found->linkage ? found->linkage : "[inlined]";
    const char *file = found->file && !is_whole_name(name) ? found->file : "";
    uint32_t key[3] = {module, intern_number(names, name), intern_number(names, file)};
    uint32_t function = (uint32_t)frames->plain->functions.n + map_add(&frames->inlined, key);
    if (function == frames->functions.n)
        *vec_push(&frames->functions) =
            (struct context_function){.module = module, .name = name, .inlined = true};
    return function;
}

/* Debug information has the innermost first; the last is the real function, whose name is ours. */
static void place_add(struct context_frames *frames, struct code_frames *found, uint32_t function,
                      uint64_t at, bool inlines, bool stub)
{
    uint32_t module = frames->functions.at[function].module;
    struct context_frame *real = vec_push(&frames->list);
    real->function = function;
    if (stub) /* the place is not one of its own */
        return;
    code_frames_find(found, frames->plain->scene, module, at);
    if (!found->n)
        return;
    /* The line that runs is the innermost's, whatever it was inlined into. */
    const struct source_frame *line = &found->at[inlines ? found->n - 1 : 0];
    real->file = line->file;
    real->line = line->line;
    for (size_t i = inlines ? found->n - 1 : 0; i-- > 0;)
        *vec_push(&frames->list) =
            (struct context_frame){.function = inlined_add(frames, module, &found->at[i]),
                                   .file = found->at[i].file,
                                   .line = found->at[i].line};
}

/* Places recur on many stacks; looking them up is what costs. */
static void frames_repeat(struct context_frames *frames, uint32_t first, uint32_t end)
{
    for (uint32_t k = first; k < end; k++) {
        struct context_frame frame = frames->list.at[k];
        *vec_push(&frames->list) = frame;
    }
}

void context_frames_make(struct context_frames *frames, const struct plain *plain, bool inlines)
{
    const struct stacks *stacks = &plain->profile->stacks;
    uint32_t n = stacks->nodes.n;
    struct map places;
    struct code_frames found = {0};
    struct first_nodes {
        VEC(uint32_t);
    } firsts = {0}; /* of each place: the node that has its frames */
    *frames = (struct context_frames){.plain = plain};
    map_init(&frames->inlined, 3 * sizeof(uint32_t));
    map_init(&places, 2 * sizeof(uint64_t));
    functions_copy(frames);
    frames->first_of = mem_alloc((n + 1) * sizeof *frames->first_of);
    for (uint32_t node = 0; node < n; node++) {
        uint32_t function = plain->function_of[node];
        if (function != PLAIN_NONE) {
            uint64_t key[2] = {function, stacks_key(stacks, node).address};
            uint32_t place = map_add(&places, key);
            if (place == firsts.n) {
                *vec_push(&firsts) = node;
                place_add(frames, &found, function, key[1], inlines,
                          plain->flags[node] & PLAIN_STUB);
            } else {
                uint32_t known = firsts.at[place];
                frames_repeat(frames, frames->first_of[known], frames->first_of[known + 1]);
            }
        }
        frames->first_of[node + 1] = (uint32_t)frames->list.n;
    }
    vec_release(&firsts);
    vec_release(&found);
    map_release(&places);
}

void context_frames_release(struct context_frames *frames)
{
    mem_free(frames->first_of);
    vec_release(&frames->list);
    vec_release(&frames->functions);
    map_release(&frames->inlined);
}
