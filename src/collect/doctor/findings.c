#include "collect/doctor/findings.h"

#include "collect/doctor/judge.h"

#include <linux/capability.h>
#include <string.h>

static void judge_system(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    int major, minor;
    machine_version(machine, &major, &minor);
    bool traps = major > 5 || (major == 5 && minor >= 18);
    judge_add(judge, "kernel",
              !major  ? STANDING_UNKNOWN
              : traps ? STANDING_GOOD
                      : STANDING_LIMITED,
              *machine->kernel ? machine->kernel : "unknown",
              traps ? "its perf clock can interrupt programs (5.18 or later)"
                    : "before 5.18: gait record uses the CPU-time timer",
              traps ? "" : "a newer kernel, for example:  sudo apt-get install linux-image-amd64");
    judge_add(judge, "processor", STANDING_INFO,
              *machine->processor ? machine->processor : "unknown", "", "");
    judge_add(
        judge, "hypervisor", STANDING_INFO, *machine->hypervisor ? machine->hypervisor : "none",
        *machine->hypervisor ? "interrupts cost more, and counters are often missing" : "", "");
    bool contained = *machine->container || machine->user_namespace;
    judge_add(judge, "container", STANDING_INFO,
              *machine->container       ? machine->container
              : machine->user_namespace ? "a user namespace"
                                        : "none found",
              contained ? "kernel settings are those of the host" : "", "");
}

static void judge_rights(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    static const struct {
        int bit;
        const char *name;
    } wanted[] = {{CAP_PERFMON, "CAP_PERFMON"},
                  {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                  {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"}};
    const char *held = "";
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (machine_capable(machine, wanted[i].bit))
            held = arena_format(judge->arena, "%s%s%s", held, *held ? ", " : "", wanted[i].name);
    /* Capabilities of a user namespace are not the machine's, which perf asks for. */
    bool perfmon = !machine->user_namespace && (machine_capable(machine, CAP_PERFMON) ||
                                                machine_capable(machine, CAP_SYS_ADMIN));
    if (*held && machine->user_namespace)
        held = arena_format(judge->arena, "%s, in a user namespace only", held);
    judge_add(
        judge, "capabilities",
        !machine->capabilities_known ? STANDING_UNKNOWN
        : perfmon                    ? STANDING_GOOD
                                     : STANDING_LIMITED,
        !machine->capabilities_known ? "/proc/self/status cannot be read"
        : *held                      ? held
                                     : "none of CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYS_PTRACE",
        perfmon ? "" : "your own programs need none; -a and kernel samples need CAP_PERFMON",
        /* Inherited, not of the file: a program cannot look into the descriptors of one that has
         * more rights than itself, and that is how it finds its channel. */
        "sudo setpriv --reuid=\"$(id -u)\" --regid=\"$(id -g)\" --init-groups --inh-caps=+perfmon "
        "--ambient-caps=+perfmon gait record ...");
    long paranoid = machine->paranoid;
    bool fine = perfmon || (paranoid != SETTING_UNKNOWN && paranoid <= 1);
    judge_add(judge, "paranoid",
              paranoid == SETTING_UNKNOWN ? STANDING_UNKNOWN
              : fine                      ? STANDING_GOOD
              : paranoid >= 3             ? STANDING_DENIED
                                          : STANDING_LIMITED,
              paranoid == SETTING_UNKNOWN
                  ? "kernel.perf_event_paranoid cannot be read"
                  : arena_format(judge->arena, "kernel.perf_event_paranoid = %ld", paranoid),
              perfmon         ? "you have CAP_PERFMON, so it does not matter"
              : paranoid >= 3 ? "kernels that know this level permit perf to root only"
              : paranoid == 2 ? "user mode of your own programs only: enough for record and --plain"
              : paranoid == 1 ? "one's own programs, the kernel included"
                              : "",
              paranoid == SETTING_UNKNOWN
                  ? "mount -t proc proc /proc"
                  : judge_setting(judge, "sudo sysctl kernel.perf_event_paranoid=1"));
}

static void judge_filter(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    static const enum try calls[] = {TRY_perf, TRY_ptrace, TRY_memfd};
    static const char *const names[] = {"perf_event_open", "ptrace", "memfd_create"};
    const char *refused = "";
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (outcome_filtered(machine, machine->tried[calls[i]]))
            refused = arena_format(judge->arena, "%s%s%s", refused, *refused ? ", " : "", names[i]);
    judge_add(judge, "seccomp",
              *refused                              ? STANDING_DENIED
              : machine->seccomp == SETTING_UNKNOWN ? STANDING_UNKNOWN
                                                    : STANDING_GOOD,
              *refused ? arena_format(judge->arena, "a filter refuses %s", refused)
              : machine->seccomp == SETTING_UNKNOWN ? "/proc/self/status does not say"
              : machine->seccomp ? "a filter is active, but permits what gait needs"
                                 : "no filter",
              "", "docker run --security-opt seccomp=unconfined ...");
    judge_try(judge, "memfd", TRY_memfd, 2, "", "record needs it to get data from the program");
    struct attempt_outcome ptrace = machine->tried[TRY_ptrace];
    const char *scope =
        machine->ptrace_scope == SETTING_UNKNOWN
            ? "no Yama"
            : arena_format(judge->arena, "kernel.yama.ptrace_scope = %ld", machine->ptrace_scope);
    bool narrow = machine->ptrace_scope > 0 && !machine_capable(machine, CAP_SYS_PTRACE);
    enum standing standing = outcome_standing(ptrace);
    judge_add(judge, "ptrace", standing == STANDING_GOOD && narrow ? STANDING_LIMITED : standing,
              arena_format(judge->arena, "%s; %s", outcome_text(judge, ptrace), scope),
              narrow ? "gait cannot attach to processes that it did not start" : "",
              judge_setting(judge, "sudo sysctl kernel.yama.ptrace_scope=0"));
}

static void judge_clocks(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    judge_try(judge, "perf", TRY_perf, 2, "perf_event_open is permitted",
              "no perf at all: record uses the CPU-time timer");
    judge_try(judge, "perf clock", TRY_sigtrap, 2, "record --trigger perf: any rate",
              "record falls back to the CPU-time timer");
    struct attempt_outcome timer = machine->tried[TRY_timer];
    enum standing standing = outcome_standing(timer);
    double ms = (double)timer.value / 1e6;
    judge_add(judge, "CPU-time timer", standing,
              standing == STANDING_GOOD
                  ? arena_format(judge->arena, "works (tried); a tick every %.2g ms", ms)
                  : outcome_text(judge, timer),
              standing == STANDING_GOOD && timer.value > 500000
                  ? arena_format(judge->arena,
                                 "record --trigger cputime: at most %.0f samples a second",
                                 1e3 / ms)
                  : "",
              "");
}

static void judge_samples(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    judge_try(judge, "samples", TRY_samples, 2,
              "record --plain, and for record processes without the agent",
              "record --plain has no source of samples, and record sees only what the agent sees");
    judge_try(judge, "stacks", TRY_stacks, 2, "record --plain unwinds code without frame pointers",
              "record --plain has no stacks of code without frame pointers");
    judge_try(judge, "switches", TRY_switches, 2, "record shows time off the CPU",
              "record does not show time off the CPU");
    judge_try(judge, "kernel samples", TRY_kernel, 1, "", "kernel time is not split by function");
    bool hidden = !machine->kernel_symbols;
    bool forbidden = hidden && machine->kptr_restrict != SETTING_UNKNOWN;
    judge_add(
        judge, "kernel symbols",
        !hidden     ? STANDING_GOOD
        : forbidden ? STANDING_DENIED
                    : STANDING_UNKNOWN,
        hidden ? forbidden ? arena_format(judge->arena,
                                          "/proc/kallsyms has no addresses; kptr_restrict = %ld",
                                          machine->kptr_restrict)
                           : "/proc/kallsyms cannot be read"
               : "/proc/kallsyms has addresses",
        hidden ? "functions of the kernel have no names" : "",
        judge_setting(judge, "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"));
}

static void judge_hardware(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    struct attempt_outcome cycles = machine->tried[TRY_cycles],
                           branches = machine->tried[TRY_branches];
    enum standing standing = judge_hardware_standing(machine, cycles);
    const char *denied = judge_perf_advice(judge, cycles, 2);
    const char *pass =
        *machine->hypervisor ? "pass it through on the host; qemu:  -cpu host,pmu=on" : "";
    judge_add(judge, "PMU", standing,
              machine->core_pmu ? outcome_text(judge, cycles)
                                : "none: no cpu in /sys/bus/event_source/devices",
              standing == STANDING_GOOD ? "record --plain -e cycles, instructions, cache-misses ..."
                                        : "software events only; walks and exact counts need none",
              *denied && machine->core_pmu ? denied : pass);
    standing = judge_hardware_standing(machine, branches);
    judge_add(judge, "LBR", standing,
              machine->core_pmu ? outcome_text(judge, branches) : "none: there is no PMU",
              standing == STANDING_GOOD
                  ? arena_format(judge->arena,
                                 "the last %llu taken branches a sample, some microseconds each; "
                                 "walks give some 32,000 instructions a sample",
                                 (unsigned long long)branches.value)
                  : "gait does not need it: it records branches by walking",
              machine->core_pmu ? judge_perf_advice(judge, branches, 2) : pass);
    judge_add(judge, "IBS", machine->ibs ? STANDING_GOOD : STANDING_MISSING,
              machine->ibs ? "/sys/bus/event_source/devices/ibs_op exists"
                           : "none: no ibs_op in /sys/bus/event_source/devices",
              "", "");
}

/* The kernel's own budget, for each CPU, goes first; what goes beyond it is the user's locked
 * memory. */
static void judge_rings(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    const char *limit = machine->memlock_bytes == UINT64_MAX
                            ? "no limit"
                            : arena_format(judge->arena, "%llu KiB",
                                           (unsigned long long)machine->memlock_bytes >> 10);
    const char *budget = machine->mlock_kb == SETTING_UNKNOWN
                             ? "unknown"
                             : arena_format(judge->arena, "%ld KiB", machine->mlock_kb);
    bool less = machine->ring_kib < machine->ring_wanted_kib;
    judge_add(
        judge, "ring memory",
        !machine->ring_wanted_kib ? STANDING_UNKNOWN
        : less                    ? STANDING_LIMITED
                                  : STANDING_GOOD,
        arena_format(judge->arena,
                     "rings of %u KiB, wanted %u; kernel.perf_event_mlock_kb %s, ulimit -l %s",
                     machine->ring_kib, machine->ring_wanted_kib, budget, limit),
        less ? "record --plain may lose samples under high load" : "",
        less ? judge_setting(judge,
                             arena_format(judge->arena, "sudo sysctl kernel.perf_event_mlock_kb=%u",
                                          machine->ring_wanted_kib + 4))
             : "");
}

static void judge_resources(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    judge_rings(judge);
    bool found = !*machine->library_error;
    judge_add(judge, "libgait.so", found ? STANDING_GOOD : STANDING_MISSING,
              found ? machine->library : machine->library_error,
              found ? "" : "record needs it; record --plain does not",
              "export GAIT_LIB=/path/to/libgait.so");
    double mib = (double)machine->free_bytes / (1 << 20);
    judge_add(judge, "folder",
              !machine->folder_writable ? STANDING_DENIED
              : mib < 64                ? STANDING_LIMITED
                                        : STANDING_GOOD,
              machine->folder_writable ? arena_format(judge->arena, "writable, %.0f MiB free", mib)
                                       : "the current folder is not writable",
              "gait.data is written here", "gait record -o /tmp/gait.data -- PROGRAM");
}

static const char *debuginfod_url(const struct machine *machine)
{
    static const char *const known[] = {"debian.net", "ubuntu.com", "fedoraproject.org",
                                        "archlinux.org"};
    for (size_t i = 0; i < sizeof known / sizeof *known && *machine->distribution; i++)
        if (!strncmp(known[i], machine->distribution, strlen(machine->distribution)))
            return known[i];
    return "elfutils.org";
}

static void judge_debug(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    bool set = machine->debuginfod_urls && *machine->debuginfod_urls;
    bool client = machine->libdebuginfod.result == ATTEMPT_WORKS;
    bool full = set && client;
    const char *package = strcmp(machine->distribution, "fedora") == 0
                              ? "sudo dnf install elfutils-debuginfod-client"
                              : "sudo apt-get install libdebuginfod1";
    judge_add(judge, "debug files",
              full                    ? STANDING_GOOD
              : machine->debug_folder ? STANDING_LIMITED
                                      : STANDING_MISSING,
              arena_format(judge->arena, "/usr/lib/debug %s; DEBUGINFOD_URLS %s; libdebuginfod %s",
                           machine->debug_folder ? "has files" : "is empty",
                           set ? "is set" : "is not set", client ? "loads" : "is not installed"),
              full ? "" : "stripped libraries show fewer names and no lines",
              set ? package
                  : arena_format(judge->arena, "%s%sexport DEBUGINFOD_URLS=https://debuginfod.%s",
                                 client ? "" : package, client ? "" : "; ",
                                 debuginfod_url(machine)));
}

void findings_make(struct findings *findings, struct arena *arena, const struct machine *machine)
{
    *findings = (struct findings){0};
    struct judge judge = {.findings = findings, .arena = arena, .machine = machine};
    judge_system(&judge);
    judge_rights(&judge);
    judge_filter(&judge);
    judge_clocks(&judge);
    judge_samples(&judge);
    judge_hardware(&judge);
    judge_resources(&judge);
    judge_debug(&judge);
    judge_recordings(&judge);
}
