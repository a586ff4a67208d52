/* Where the preloaded library comes to life: after libc, before the program's own constructors. */
#include "agent/agent.h"
#include "agent/channel/connect.h"
#include "shim/go_runtime.h"
#include "shim/python.h"
#include "wire/channel.h"

#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* Set by the linker: the first byte of libgait.so and the end of its code. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void wake(void)
{
    const char *path = getenv(CHANNEL_ENV);
    struct agent_place place = {.loader = &_r_debug,
                                .text_start = (uint64_t)__ehdr_start,
                                .text_end = (uint64_t)etext,
                                .hwcap2 = getauxval(AT_HWCAP2)};
    if (!path || !connect_path(path, &place, agent_waits))
        return;
    go_runtime_find();
    python_find();
    agent_start();
}
