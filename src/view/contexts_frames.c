#include "view/contexts_frames.h"

#include "program/source.h"

enum { INLINE_DEPTH = 64 }; /* what is inlined deeper belongs to the innermost of these */

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
}

/* "_Z...", "_R...": says what it is a member of. */
static bool is_whole_name(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* Equal names at different addresses are one function: debug information has one for each unit. Not so
 * where it has no more than the last part of a name: every lambda's is "operator()". */
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

static struct binary *binary_of(const struct plain *plain, uint32_t module)
{
    return module < plain->scene->modules.n ? plain->scene->modules.at[module].binary : NULL;
}

/* Debug information has the innermost first; the last is the real function, whose name is ours. */
static void place_add(struct context_frames *frames, uint32_t function, uint64_t at, bool inlines)
{
    uint32_t module = frames->functions.at[function].module;
    struct binary *binary = binary_of(frames->plain, module);
    struct source_frame found[INLINE_DEPTH];
    size_t n = binary ? source_frames(binary, (struct svma){at}, found, INLINE_DEPTH) : 0;
    size_t skipped =
        n > INLINE_DEPTH ? n - INLINE_DEPTH : 0; /* outer ones, which were not written */
    struct context_frame *real = vec_push(&frames->list);
    *real = (struct context_frame){.function = function};
    if (!n)
        return;
    if (!skipped) {
        real->file = found[n - 1].file;
        real->line = found[n - 1].line;
    }
    if (!inlines) { /* the line that runs is the innermost's, whatever it was inlined into */
        real->file = found[0].file;
        real->line = found[0].line;
        return;
    }
    for (size_t i = skipped ? INLINE_DEPTH : n - 1; i-- > 0;)
        *vec_push(&frames->list) =
            (struct context_frame){.function = inlined_add(frames, module, &found[i]),
                                   .file = found[i].file,
                                   .line = found[i].line};
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
                place_add(frames, function, key[1], inlines);
            } else {
                uint32_t known = firsts.at[place];
                frames_repeat(frames, frames->first_of[known], frames->first_of[known + 1]);
            }
        }
        frames->first_of[node + 1] = (uint32_t)frames->list.n;
    }
    vec_release(&firsts);
    map_release(&places);
}

void context_frames_release(struct context_frames *frames)
{
    mem_free(frames->first_of);
    vec_release(&frames->list);
    vec_release(&frames->functions);
    map_release(&frames->inlined);
}
