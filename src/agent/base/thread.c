#include "agent/base/thread.h"

#include "agent/base/process.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

enum { NO_SUCH_THREAD = 3 }; /* ESRCH */

uint64_t thread_random(struct thread *thread)
{
    thread->random ^= thread->random << 13;
    thread->random ^= thread->random >> 7;
    thread->random ^= thread->random << 17;
    return thread->random;
}

struct thread *thread_self(void)
{
    int32_t tid = (int32_t)sys3(SYS_gettid, 0, 0, 0);
    uint32_t n = __atomic_load_n(&agent.n_threads, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (agent.threads[i].tid == tid)
            return &agent.threads[i];
    return NULL;
}

bool thread_lives(const struct thread *thread)
{
    return sys3(SYS_tgkill, agent.pid, thread->tid, 0) != -NO_SUCH_THREAD;
}

uint64_t thread_context_bytes(void)
{
    uint64_t more = agent.cache->plan ? CHANNEL_BANK_BYTES + CONTEXT_SHADOW_BYTES
                    : agent.options.events & EVENTS_PAYLOAD
                        ? CHANNEL_COUNTERS_BYTES + CONTEXT_PAYLOAD_BYTES
                        : CHANNEL_COUNTERS_BYTES;
    return sizeof(struct context) + more;
}
