#include "collect/kernel/wait_source.h"

#include "collect/kernel/wait_pace.h"
#include "collect/perf/perf_request.h"

#include <stdio.h>

const char *wait_source_text(char *text, size_t room, const struct perf_request *request,
                             const struct wait_pace *pace, uint64_t now_ns, uint64_t began_ns)
{
    char paranoid[64];
    double elapsed = (double)(now_ns - began_ns) / 1e9;
    double on = (double)(pace->on_ns + (pace->on ? now_ns - pace->since_ns : 0)) / 1e9;
    if (!request->tracker.context_switch)
        snprintf(text, room, "%s", "");
    else if (!request->waits && !request->kernel)
        snprintf(text, room,
                 "the kernel's context switches, without stacks: %s; 1 or less, or CAP_PERFMON, "
                 "would allow them",
                 perf_paranoid_text(paranoid, sizeof paranoid));
    else if (!request->waits)
        snprintf(text, room,
                 "the kernel's context switches, without stacks: those of all processes would "
                 "be too many");
    else if (!pace->sliced)
        snprintf(text, room, "the kernel's context switches, each with its stack");
    else
        snprintf(text, room,
                 "the kernel's context switches, with stacks during %.1f of %.1f s because there "
                 "were many",
                 on, elapsed);
    return text;
}
