#include "walk/count/event_clock.h"

#include "walk/base/context.h"
#include "walk/base/sys.h"

#include <sys/resource.h>
#include <sys/syscall.h>

enum { TRIES = 64, PAGE = 4096 };

bool event_page_read(const volatile struct perf_event_mmap_page *page,
                     uint64_t (*read)(uint32_t counter), uint64_t *ret_count)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t sequence = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE), index = page->index;
        uint32_t unused = 64u - page->pmc_width;
        uint64_t count = (uint64_t)page->offset;
        if (!page->cap_user_rdpmc || !index || unused > 63)
            return false;
        count += (uint64_t)((int64_t)(read(index - 1) << unused) >> unused);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (page->lock == sequence) {
            *ret_count = count;
            return true;
        }
    }
    return false;
}

static uint64_t counter_read(uint32_t counter)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
}

static uint64_t faults(void)
{
    struct rusage usage = {0};
    sys3(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0);
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

void event_clock_begin(struct context *context)
{
    const struct perf_event_mmap_page *page;
    if (context->event_kind != EVENT_CLOCK_PERF || context->event_page || context->event_refused)
        return;
    context->event_page = page = context->event_open();
    if (page && page->pmc_width != EVENT_COUNTER_BITS)
        event_clock_close(context);
    context->event_refused = !context->event_page;
}

uint64_t event_clock(struct context *context)
{
    if (context->event_kind == EVENT_CLOCK_TSC)
        return sys_tsc();
    if (context->event_kind == EVENT_CLOCK_FAULTS)
        return faults();
    if (!context->event_page ||
        !event_page_read(context->event_page, counter_read, &context->event_count))
        __atomic_fetch_add(context->events_lost, 1, __ATOMIC_RELAXED);
    return context->event_count;
}

void event_clock_pause(struct context *context)
{
    bool perf = context->event_kind == EVENT_CLOCK_PERF;
    if (!perf && (context->event_kind == EVENT_CLOCK_TSC || context->leave == LEAVE_PLAN))
        return;
    context->event_paused = event_clock(context);
    context->event_pausing = true;
}

void event_clock_go_on(struct context *context)
{
    if (!context->event_pausing)
        return;
    context->path_began += event_clock_since(event_clock(context), context->event_paused);
    context->event_pausing = false;
}

uint64_t event_clock_now(struct context *context)
{
    return context->event_pausing ? context->event_paused : event_clock(context);
}

void event_clock_close(struct context *context)
{
    if (context->event_page)
        sys3(SYS_munmap, (long)context->event_page, PAGE, 0);
    context->event_page = NULL;
    context->event_refused = false;
    /* The next counter begins at 0, and the path that is under way goes on. */
    context->path_began -= context->event_count;
    context->event_count = 0;
}
