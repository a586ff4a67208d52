#include "collect/stacks/python_stack.h"

#include "collect/stacks/stack.h"
#include "profile/profile.h"
#include "python/code.h"

#include <string.h>

/* No padding, compared by bytes. */
struct python_code_key {
    uint64_t code, print;
};

void python_codes_init(struct python_codes *codes)
{
    *codes = (struct python_codes){0};
    map_init(&codes->keys, sizeof(struct python_code_key));
}

void python_codes_release(struct python_codes *codes)
{
    map_release(&codes->keys);
    vec_release(codes);
    arena_release(&codes->arena);
}

bool python_codes_add(struct python_codes *codes, struct python_functions *functions,
                      struct profile *profile, const struct event_python *event, uint32_t bytes)
{
    const char *texts = (const char *)(event + 1);
    uint64_t needed = (uint64_t)event->name_bytes + event->file_bytes + event->lines_bytes;
    if (bytes < sizeof *event || needed > bytes - sizeof *event || !event->name_bytes)
        return false;
    struct python_code_key key = {event->code, event->print};
    uint32_t index = map_add(&codes->keys, &key);
    if (index < codes->n) /* another thread has sent it, too */
        return true;
    const char *name = arena_string_n(&codes->arena, texts, event->name_bytes);
    const char *file = arena_string_n(&codes->arena, texts + event->name_bytes, event->file_bytes);
    uint8_t *lines = arena_alloc(&codes->arena, event->lines_bytes + 1);
    memcpy(lines, texts + event->name_bytes + event->file_bytes, event->lines_bytes);
    if (functions->module == MODULE_NONE)
        functions->module = profile_module(profile, PYTHON_MODULE, NULL, 0);
    *vec_push(codes) = (struct python_code){
        .function = python_functions_add(functions, name, file, event->first_line),
        .first_line = event->first_line,
        .lines_bytes = event->lines_bytes,
        .lines = lines};
    return true;
}

/* ---- merging */

struct merging {
    struct stack *to;
    const struct python_codes *codes;
    struct python_functions *functions;
    size_t unnamed;
};

static void python_push(struct merging *merging, const struct python_frame *frame, struct avma sp)
{
    struct python_code_key key = {frame->code, frame->print};
    uint32_t index = map_find(&merging->codes->keys, &key);
    if (index == MAP_NONE) {
        merging->unnamed++;
        return;
    }
    const struct python_code *code = &merging->codes->at[index];
    uint32_t line = python_line(code->lines, code->lines_bytes, code->first_line, frame->at);
    uint64_t at = python_functions_line(merging->functions, code->function, line);
    *vec_push(merging->to) = (struct stack_frame){{PYTHON_PC | at}, STACK_INTERRUPTED, sp};
}

/* The frames of one loop: up to the one that it began with. */
static size_t loop_end(const struct stack_sample *sample, size_t first)
{
    size_t i = first;
    while (i < sample->n_python && !sample->python[i].entered)
        i++;
    return i < sample->n_python ? i + 1 : i;
}

size_t python_stack_merge(struct stack *to, const struct stack *stack,
                          const struct stack_sample *sample, const struct python_codes *codes,
                          struct python_functions *functions)
{
    struct merging merging = {to, codes, functions, 0};
    size_t next = 0, end = loop_end(sample, 0);
    to->n = 0;
    to->end = stack->end;
    for (size_t i = 0; i < stack->n; i++) {
        /* A frame ends where its caller's begins. */
        bool loop = i + 1 < stack->n && next < end && sample->python[end - 1].entered &&
                    sample->python[end - 1].entered < stack->at[i + 1].sp.v;
        if (!loop || !i)
            *vec_push(to) = stack->at[i];
        while (i + 1 < stack->n && next < end && sample->python[end - 1].entered &&
               sample->python[end - 1].entered < stack->at[i + 1].sp.v) {
            for (; next < end; next++)
                python_push(&merging, &sample->python[next], stack->at[i].sp);
            end = loop_end(sample, next);
        }
    }
    for (; next < sample->n_python; next++) /* the C stack was not known so far */
        python_push(&merging, &sample->python[next], (struct avma){0});
    return merging.unnamed;
}
