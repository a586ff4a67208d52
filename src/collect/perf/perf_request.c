#include "collect/perf/perf_request.h"

#include "base/err.h"
#include "base/scope.h"
#include "collect/perf/perf_record.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int perf_open(const struct perf_event_attr *attr, int pid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* INT_MAX: it cannot be read. */
static int paranoid_value(void)
{
    char value[16] = "";
    AUTO(fd_close) int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    return fd < 0 || read(fd, value, sizeof value - 1) <= 0 ? INT_MAX : atoi(value);
}

const char *perf_paranoid_text(char *text, size_t room)
{
    int value = paranoid_value();
    if (value != INT_MAX)
        snprintf(text, room, "kernel.perf_event_paranoid is %d", value);
    else
        snprintf(text, room, "kernel.perf_event_paranoid cannot be read");
    return text;
}

/* ---- asking */

/* Both events write into one ring and must agree on the clock. */
static void ask_clock(struct perf_event_attr *attr)
{
    attr->size = sizeof *attr;
    attr->use_clockid = 1;
    attr->clockid = CLOCK_MONOTONIC;
    attr->sample_id_all = 1;
}

static void ask_tracker(struct perf_event_attr *attr, bool inherit)
{
    *attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                     .config = PERF_COUNT_SW_DUMMY,
                                     .sample_type = PERF_RECORD_IDENTIFIED,
                                     .inherit = inherit,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .mmap = 1,
                                     .mmap2 = 1,
                                     .comm = 1,
                                     .comm_exec = 1,
                                     .task = 1,
                                     .context_switch = 1,
                                     .build_id = 1,
                                     .watermark = 1};
    ask_clock(attr);
}

static void ask_sampler(struct perf_event_attr *attr, const struct perf_event_name *event,
                        const struct perf_wish *wish)
{
    *attr = (struct perf_event_attr){.type = event->type,
                                     .config = event->config,
                                     .config1 = event->config1,
                                     .config2 = event->config2,
                                     .sample_type = PERF_RECORD_SAMPLED | PERF_SAMPLE_CALLCHAIN |
                                                    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                     .sample_regs_user = PERF_RECORD_REGISTERS,
                                     .sample_stack_user = 1 << 13,
                                     .disabled = 1,
                                     .inherit = !wish->all_cpus,
                                     .exclude_user = event->exclude_user,
                                     .exclude_kernel = event->exclude_kernel,
                                     .exclude_hv = event->exclude_user || event->exclude_kernel,
                                     .exclude_idle = 1,
                                     .exclude_callchain_user = 1,
                                     .watermark = 1};
    ask_clock(attr);
    if (perf_name_is_clock(event)) {
        attr->sample_period = 1000000000u / wish->hz;
    } else {
        attr->freq = 1;
        attr->sample_freq = wish->hz;
    }
}

/* Every switch. With a frequency the periods that the kernel reports add up to ten times the number
 * of switches (Linux 6.18), and the period of an inherited event cannot be changed. So the waiter
 * is on or off. */
static void ask_waiter(struct perf_event_attr *attr, const struct perf_wish *wish)
{
    *attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                     .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
                                     .sample_period = 1,
                                     .sample_type = PERF_RECORD_SAMPLED | PERF_SAMPLE_CALLCHAIN |
                                                    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                     .sample_regs_user = PERF_RECORD_REGISTERS,
                                     .sample_stack_user = 1 << 13,
                                     .disabled = 1,
                                     .inherit = !wish->all_cpus,
                                     .exclude_callchain_user = 1,
                                     .watermark = 1};
    ask_clock(attr);
}

/* ---- what is refused */

static bool try(const struct perf_event_attr *attr, const struct perf_wish *wish)
{
    AUTO(fd_close) int fd = perf_open(attr, wish->all_cpus ? -1 : 0, wish->all_cpus ? 0 : -1);
    return fd >= 0;
}

static void give_up_kernel(struct perf_request *request, struct perf_event_attr *attr)
{
    char paranoid[64];
    attr->exclude_kernel = attr->exclude_hv = 1;
    snprintf(request->refused, sizeof request->refused,
             "the kernel's part is not sampled: %s; 1 or less, or CAP_PERFMON, would allow it",
             perf_paranoid_text(paranoid, sizeof paranoid));
}

static void give_up_switches(struct perf_request *request)
{
    size_t used = strlen(request->refused);
    request->tracker.context_switch = 0;
    snprintf(request->refused + used, sizeof request->refused - used,
             "%sthis kernel does not tell switches: CPU time is that of children that were waited "
             "for, in clock ticks",
             used ? "; " : "");
}

static bool refused_wholly(const char *event, const struct perf_wish *wish, int why,
                           struct err *err)
{
    char paranoid[64];
    const char *otherwise = wish->beside ? "" : ". Without --plain gait record needs no permission";
    perf_paranoid_text(paranoid, sizeof paranoid);
    errno = why;
    switch (why) {
    case EACCES:
    case EPERM:
        if (wish->all_cpus)
            return err_errno(err,
                             "perf_event_open for all CPUs: %s; 0 or less, or CAP_PERFMON, would "
                             "allow it",
                             paranoid);
        if (paranoid_value() <= 2)
            return err_errno(err,
                             "perf_event_open, although %s: seccomp, the container or a security "
                             "module is in the way%s",
                             paranoid, otherwise);
        return err_errno(
            err,
            "perf_event_open: %s, or seccomp or the container is in the way; 2 or less, "
            "or CAP_PERFMON, would allow it%s",
            paranoid, otherwise);
    case ENOSYS:
        return err_errno(err, "this kernel has no perf_event_open, or seccomp hides it%s",
                         wish->beside ? "" : "; without --plain gait record does not need it");
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case ENXIO:
        return err_errno(err, "event '%s' is not offered by this machine; see gait list", event);
    case EINVAL: return err_errno(err, "event '%s' is refused as a source of samples", event);
    default: return err_errno(err, "perf_event_open for event '%s'", event);
    }
}

/* True: something was given up, try again. */
static bool give_up_something(struct perf_request *request, struct perf_event_attr *attr, int why)
{
    bool permission = why == EACCES || why == EPERM;
    if (permission && !attr->exclude_kernel && !attr->exclude_user) {
        give_up_kernel(request, attr);
        return true;
    }
    if (why == EINVAL && attr->exclude_idle) {
        attr->exclude_idle = 0;
        return true;
    }
    return false;
}

/* ---- all */

static bool is_named(const struct perf_request *request, const char *name)
{
    bool found = strcmp(request->event.text, name) == 0;
    for (uint32_t i = 0; i < request->n_others; i++)
        found |= strcmp(request->others[i].event.text, name) == 0;
    return found;
}

static bool is_apart(const struct perf_event_name *a, const struct perf_event_name *b,
                     struct err *err)
{
    return !perf_name_shares(a, b) ||
           err_set(err, ERR_USAGE, "-e: the kernel does not tell samples of %s and of %s apart",
                   a->text, b->text);
}

/* Of the event at `n` of the others and all before it. */
static bool all_apart(const struct perf_request *request, uint32_t n, struct err *err)
{
    const struct perf_event_name *event = &request->others[n].event;
    bool ok = is_apart(&request->event, event, err);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = is_apart(&request->others[i].event, event, err);
    return ok;
}

/* The first of the list, and the others. */
static bool names_parse(struct perf_request *request, const char *list, struct err *err)
{
    char name[PERF_NAME_ROOM];
    if (!perf_name_next(&list, name, err) || !perf_name_parse(name, &request->event, err))
        return false;
    while (*list) {
        struct perf_other *other = &request->others[request->n_others];
        if (!perf_name_next(&list, name, err))
            return false;
        if (request->n_others == PERF_OTHERS_MAX)
            return err_set(err, ERR_USAGE, "-e: more than %d events", PERF_OTHERS_MAX + 1);
        if (is_named(request, name))
            return err_set(err, ERR_USAGE, "-e: %s is named twice", name);
        if (!perf_name_parse(name, &other->event, err) ||
            !all_apart(request, request->n_others, err))
            return false;
        other->clock = perf_name_is_clock(&other->event);
        request->n_others++;
    }
    return true;
}

static bool sampler_settle(struct perf_request *request, struct perf_event_attr *attr,
                           const struct perf_event_name *event, const struct perf_wish *wish,
                           struct err *err)
{
    ask_sampler(attr, event, wish);
    while (!try(attr, wish)) {
        int why = errno;
        if (!give_up_something(request, attr, why))
            return refused_wholly(event->text, wish, why, err);
    }
    if (attr->exclude_kernel)
        attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
    return true;
}

static uint32_t stranger_find(const struct perf_request *request)
{
    if (perf_name_shares(&request->event, &request->event))
        return PERF_FIRST;
    for (uint32_t i = 0; i < request->n_others; i++)
        if (perf_name_shares(&request->others[i].event, &request->others[i].event))
            return i;
    return PERF_FIRST;
}

bool perf_request_settle(struct perf_request *request, const struct perf_wish *wish,
                         struct err *err)
{
    struct perf_request made = {.beside = wish->beside};
    if (!names_parse(&made, wish->event ? wish->event : "cpu-clock", err))
        return false;
    made.clock = perf_name_is_clock(&made.event);
    made.stranger = stranger_find(&made);
    made.mean_period_ns = 1000000000u / wish->hz;
    ask_tracker(&made.tracker, !wish->all_cpus);
    if (!sampler_settle(&made, &made.sampler, &made.event, wish, err))
        return false;
    for (uint32_t i = 0; i < made.n_others; i++)
        if (!sampler_settle(&made, &made.others[i].attr, &made.others[i].event, wish, err))
            return false;
    made.kernel = !made.sampler.exclude_kernel;
    if (!try(&made.tracker, wish) && errno == EINVAL) /* since Linux 5.12; inodes are told else */
        made.tracker.build_id = 0;
    if (!try(&made.tracker, wish) && errno == EINVAL)
        give_up_switches(&made);
    if (!try(&made.tracker, wish))
        return refused_wholly(made.event.text, wish, errno, err);
    ask_waiter(&made.waiter, wish);
    /* Not of all processes: unwinding stacks of every daemon takes so long that rings overflow. */
    made.waits = made.clock && made.kernel && made.tracker.context_switch && !wish->all_cpus &&
                 try(&made.waiter, wish);
    *request = made;
    return true;
}

/* ---- branch records */

/* Taken branches, where a number for them is known, so that each is met as often as it is taken.
 * Generations of AMD before Zen 4 record branches for this event alone. */
static const char *branches_event(void)
{
    static const unsigned intel = 0x756e6547, amd = 0x68747541; /* of the vendor's name */
    unsigned most, name, c, d;
    if (!__get_cpuid(0, &most, &name, &c, &d))
        return "branches:u";
    return name == intel ? "r20c4:u" : name == amd ? "rc4:u" : "branches:u";
}

static bool branches_refused(const char *event, struct err *err)
{
    char paranoid[64];
    int why = errno;
    const char *otherwise = "; without --branches gait record records branches by walking";
    perf_paranoid_text(paranoid, sizeof paranoid);
    errno = why;
    if (why == EACCES || why == EPERM)
        return err_errno(err, "branch records of the processor are refused: %s%s", paranoid,
                         otherwise);
    return err_errno(err, "this machine has no branch records (LBR) for event %s%s", event,
                     otherwise);
}

bool perf_request_branches(struct perf_request *request, const struct perf_wish *wish, bool bare,
                           struct err *err)
{
    enum { TAKEN_A_SECOND = 300000000 }; /* as many programs have; `hz` is met roughly */
    struct perf_request made = {.clock = bare};
    struct perf_event_attr *attr = &made.sampler;
    if (!perf_name_parse(bare ? "cpu-clock:u" : branches_event(), &made.event, err))
        return false;
    ask_tracker(&made.tracker, true);
    made.tracker.context_switch = 0;
    ask_sampler(attr, &made.event, wish);
    made.mean_period_ns = (bare ? 1000000000 : TAKEN_A_SECOND) / wish->hz;
    attr->freq = 0;
    attr->sample_period = made.mean_period_ns;
    attr->sample_type = PERF_RECORD_SAMPLED | (bare ? 0 : PERF_SAMPLE_BRANCH_STACK);
    attr->branch_sample_type = bare ? 0 : PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    while (!try(attr, wish))
        if (errno != EINVAL || !give_up_something(&made, attr, errno))
            return branches_refused(made.event.text, err);
    if (!try(&made.tracker, wish) && errno == EINVAL)
        made.tracker.build_id = 0;
    if (!try(&made.tracker, wish))
        return branches_refused(made.event.text, err);
    *request = made;
    return true;
}
