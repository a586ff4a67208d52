/* Threads and forks of the program: told to the agent when they begin and end. */
#include "agent/agent.h"
#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/signals/trap.h"
#include "shim/go_runtime.h"
#include "shim/libc.h"

#include <pthread.h>
#include <stdint.h>

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* What the program wants a new thread to do, from its creation until it begins. Not from the
 * program's own heap. */
struct errand {
    uint32_t taken;
    void *(*start)(void *);
    void *argument;
    bool trap_blocked;
};

enum { ERRANDS = 256 };
static struct errand errands[ERRANDS];

/* Its destructor tells the end of a thread, also by pthread_exit and cancellation. */
static pthread_key_t last_words;

static struct errand *errand_take(void)
{
    for (int i = 0; agent_samples() && i < ERRANDS; i++) {
        uint32_t free = 0;
        if (__atomic_compare_exchange_n(&errands[i].taken, &free, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return &errands[i];
    }
    return NULL;
}

static void errand_free(struct errand *errand)
{
    __atomic_store_n(&errand->taken, 0, __ATOMIC_RELEASE);
}

static void *thread_run(void *closure)
{
    struct errand errand = *(struct errand *)closure;
    errand_free(closure);
    agent_thread_begins(errand.trap_blocked);
    pthread_setspecific(last_words, &last_words);
    return errand.start(errand.argument);
}

EXPORT int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                          void *(*start)(void *), void *restrict argument)
{
    static create_fn *next;
    libc_function(&next, "pthread_create");
    struct errand *errand = errand_take();
    if (!errand)
        return next(id, attributes, start, argument);
    go_runtime_find(); /* a library of Go's sets its handlers from a thread of its own */
    errand->start = start;
    errand->argument = argument;
    errand->trap_blocked = trap_blocked();
    int result = next(id, attributes, thread_run, errand);
    if (result)
        errand_free(errand);
    return result;
}

/* Between the two there is one thread only: the C library sees to it. */
static bool forker_blocks_trap;

static void before_fork(void)
{
    forker_blocks_trap = trap_blocked();
    descriptor_program_begin(); /* the child would keep one of ours that is on its way */
}

static void in_child(void)
{
    agent_forked(forker_blocks_trap);
}

static void thread_ends(void *word)
{
    (void)word;
    agent_thread_ends();
}

__attribute__((constructor)) static void watch(void)
{
    pthread_key_create(&last_words, thread_ends);
    pthread_atfork(before_fork, descriptor_program_end, in_child);
}
