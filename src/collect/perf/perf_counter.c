#include "collect/perf/perf_counter.h"

#include "base/err.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, COUNTER_BITS = 48 };

static bool page_permits(const struct perf_event_name *event, const void *at, struct err *err)
{
    const volatile struct perf_event_mmap_page *page = at;
    if (!page->cap_user_rdpmc)
        return err_set(err, ERR_SYSTEM,
                       "--metric %s: the kernel does not let programs read this counter "
                       "(/sys/bus/event_source/devices/cpu/rdpmc, or no event of the processor)",
                       event->text);
    if (page->pmc_width != COUNTER_BITS)
        return err_set(err, ERR_SYSTEM, "--metric %s: a counter of %u bits, where %d are known",
                       event->text, page->pmc_width, COUNTER_BITS);
    return page->index ||
           err_set(err, ERR_SYSTEM, "--metric %s: no counter of the processor is free for it",
                   event->text);
}

bool perf_counter_try(const struct perf_event_name *event, struct err *err)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = event->type,
                                   .config = event->config,
                                   .config1 = event->config1,
                                   .config2 = event->config2,
                                   .pinned = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return err_set(err, ERR_SYSTEM,
                       "--metric %s: the kernel counts no such event here (%s); gait doctor says "
                       "what this machine has; --metric faults works on all",
                       event->text, strerror(errno));
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    bool permits = page != MAP_FAILED ? page_permits(event, page, err)
                                      : err_set(err, ERR_SYSTEM, "--metric %s: mmap: %s",
                                                event->text, strerror(errno));
    if (page != MAP_FAILED)
        munmap(page, PAGE);
    close(fd);
    return permits;
}
