#include "agent/threads/event_page.h"

#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "walk/base/sys.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };

const void *event_page_open(void)
{
    struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER1,
                                   .type = agent.options.event_type,
                                   .config = agent.options.event_config,
                                   .config1 = agent.options.event_config1,
                                   .config2 = agent.options.event_config2,
                                   .pinned = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    if (!descriptor_low_begin())
        return NULL;
    long fd = sys6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    long page = sys_failed(fd) ? fd : sys6(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    if (sys_failed(fd))
        descriptor_low_end();
    else
        descriptor_shut(fd);
    return sys_failed(page) ? (const void *)0 : (const void *)page;
}
