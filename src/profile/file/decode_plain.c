#include "profile/file/decode_plain.h"

#include "base/err.h"

/* ---- stacks */

/* The node of an entry `depth` deep: below the last one that was one less deep. */
static bool add_node(struct decoder *decoder, uint64_t depth, const uint64_t fields[2],
                     uint32_t *ret_node, struct err *err)
{
    struct decoder_path *path = &decoder->path;
    uint32_t module = MODULE_NONE;
    if (depth > path->n)
        return err_set(err, ERR_FORMAT, "depth %llu below depth %lld", (unsigned long long)depth,
                       (long long)path->n - 1);
    if (depth >= STACK_DEPTH_MAX)
        return err_set(err, ERR_FORMAT, "more than %d frames", STACK_DEPTH_MAX - 1);
    if (depth == 0 && fields[0])
        return err_set(err, ERR_FORMAT, "a thread in module %llu", (unsigned long long)fields[0]);
    if (depth && !decoder_module(decoder, fields[0], &module, err))
        return false;
    path->n = (size_t)depth;
    uint32_t parent = depth ? path->at[depth - 1] : STACK_NONE;
    *ret_node = *vec_push(path) = stacks_node(decoder->tree, parent, module, fields[1]);
    return true;
}

static bool get_weights(struct decoder *decoder, struct cursor *cursor, uint32_t node,
                        struct err *err)
{
    uint64_t mask, weight;
    if (!payload_number(cursor, &mask, err))
        return false;
    if (mask >> STACK_GROUPS)
        return err_set(err, ERR_FORMAT, "unknown groups 0x%llx", (unsigned long long)mask);
    for (; mask; mask &= mask - 1) {
        if (!payload_number(cursor, &weight, err))
            return false;
        stacks_add(decoder->tree, node, (uint32_t)__builtin_ctzll(mask), weight);
    }
    return true;
}

bool decode_stacks(struct decoder *decoder, struct stacks *to, struct cursor *cursor,
                   struct err *err)
{
    uint64_t depth, fields[2] = {0};
    uint32_t node = STACK_NONE;
    decoder->path.n = 0;
    decoder->tree = to;
    while (cursor->at < cursor->end)
        if (!payload_number(cursor, &depth, err) || !payload_difference(cursor, &fields[0], err) ||
            !payload_difference(cursor, &fields[1], err) ||
            !add_node(decoder, depth, fields, &node, err) ||
            !get_weights(decoder, cursor, node, err))
            return false;
    return true;
}

/* ---- threads and names */

/* Every append has the threads again: only a new one's name is kept. */
static void add_thread(struct decoder *decoder, struct thread_times *thread)
{
    struct profile *profile = decoder->profile;
    const char *name = (const char *)decoder->name.at;
    struct thread_times *known = threads_find(&profile->threads, thread->pid, thread->tid, name);
    if (known) {
        thread_times_add(known, thread);
        return;
    }
    thread->name = arena_string(&profile->arena, name);
    *vec_push(&decoder->new_threads) = *thread;
}

bool decode_threads(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    while (cursor->at < cursor->end) {
        struct thread_times thread = {0};
        if (!payload_short(cursor, "process", &thread.pid, err) ||
            !payload_short(cursor, "thread", &thread.tid, err) ||
            !payload_name(cursor, &decoder->name, err) ||
            !payload_number(cursor, &thread.user_ns, err) ||
            !payload_number(cursor, &thread.kernel_ns, err) ||
            !payload_number(cursor, &thread.off_ns, err) ||
            !payload_number(cursor, &thread.switches, err))
            return false;
        add_thread(decoder, &thread);
    }
    return true;
}

bool decode_names(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    uint64_t fields[2] = {0};
    while (cursor->at < cursor->end) {
        struct name name = {0};
        char *text = NULL;
        if (!payload_difference(cursor, &fields[0], err) ||
            !payload_difference(cursor, &fields[1], err) ||
            !decoder_module(decoder, fields[0], &name.module, err) ||
            !payload_number(cursor, &name.bytes, err) ||
            !payload_text(cursor, &decoder->profile->arena, &text, err))
            return false;
        name.start = fields[1];
        name.text = text;
        *vec_push(&decoder->new_names) = name;
    }
    return true;
}
