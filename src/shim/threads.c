/* What the agent does not follow, counted: threads it does not walk, and children that go on without
 * it until they call exec. */
#include "agent/agent.h"

#include "shim/libc.h"

#include <pthread.h>

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORT int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                          void *(*start)(void *), void *restrict argument)
{
    static create_fn *next;
    libc_function(&next, "pthread_create");
    int result = next(id, attributes, start, argument);
    if (result == 0)
        agent_lose_shared(LOSS_thread_native);
    return result;
}

static void in_parent(void)
{
    agent_lose_shared(LOSS_child_native);
}

/* The channel is the parent's. */
static void in_child(void)
{
    agent_forget();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, in_parent, in_child);
}
