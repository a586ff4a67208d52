#include "agent/sampling/python_take.h"

#include "agent/base/process.h"
#include "agent/base/stack_copy.h"
#include "agent/base/thread.h"

/* A thread of a Python program that runs no Python is looked for among the others this seldom. */
enum { SKIPS = 16 };

static bool memory_read(void *closure, uint64_t from, void *to, uint64_t bytes)
{
    const struct kernel_ucontext *frame = closure;
    return stack_copy_memory(to, from, bytes, frame) == bytes;
}

/* As the tool says, if the program has loaded its Python since. */
static bool python_known(const struct python_memory *memory)
{
    struct python *python = &agent.python;
    const struct channel *channel = agent.channel;
    if (!python->runtime) {
        uint64_t runtime = __atomic_load_n(&channel->python_runtime, __ATOMIC_ACQUIRE);
        if (!runtime)
            return false;
        python->code_type = channel->python_code_type;
        python->version = channel->python_version;
        __atomic_store_n(&python->runtime, runtime, __ATOMIC_RELEASE);
    }
    return python->known || python_begin(python, memory);
}

/* pthread_self() of the program. */
static uint64_t fs_read(void)
{
    uint64_t base;
    __asm__ volatile("rdfsbase %0" : "=r"(base));
    return base;
}

static uint64_t state_find(struct thread *thread, const struct python_memory *memory)
{
    struct python_copy *copy = &thread->python;
    uint64_t id = fs_read();
    if (python_thread_is(&agent.python, memory, copy->state, PYTHON_BY_PTHREAD, id))
        return copy->state;
    if (copy->skips) {
        copy->skips--;
        return 0;
    }
    copy->state = python_thread(&agent.python, memory, PYTHON_BY_PTHREAD, id);
    copy->skips = copy->state ? 0 : SKIPS;
    return copy->state;
}

static void text_send(struct python_copy *copy, const struct python_frame *frame,
                      const struct python_memory *memory)
{
    uint64_t slot = (frame->code >> 5 ^ frame->code >> 13) % PYTHON_SENT;
    if (copy->sent[slot].code == frame->code && copy->sent[slot].print == frame->print &&
        copy->sent[slot].pid == agent.pid)
        return;
    const struct event_python *event = (const void *)copy->text;
    if (!python_code(&agent.python, memory, frame, copy->text))
        return;
    void *out = ring_take(&agent.ring, event->bytes);
    if (!out)
        return;
    __builtin_memcpy((uint8_t *)out + 4, copy->text + 4, event->bytes - 4);
    ring_publish(out, EVENT_PYTHON);
    copy->sent[slot].code = frame->code;
    copy->sent[slot].print = frame->print;
    copy->sent[slot].pid = agent.pid;
}

uint32_t python_copy_take(struct thread *thread)
{
    struct python_copy *copy = &thread->python;
    const struct python_memory memory = {memory_read, &thread->frame};
    bool whole = true;
    if (!python_known(&memory))
        return 0;
    uint64_t state = state_find(thread, &memory);
    if (!state)
        return 0;
    uint32_t n =
        python_frames(&agent.python, &memory, state, copy->frames, PYTHON_FRAMES_MAX, &whole);
    if (!whole)
        agent_lose(n == PYTHON_FRAMES_MAX ? LOSS_python_deep : LOSS_python_unread);
    for (uint32_t i = 0; i < n; i++)
        text_send(copy, &copy->frames[i], &memory);
    return n;
}
