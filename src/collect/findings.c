#include "collect/findings.h"

#include "wire/channel.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>

static const char *const standing_names[] = {
    [STANDING_INFO] = "info",     [STANDING_GOOD] = "good",       [STANDING_LIMITED] = "limited",
    [STANDING_DENIED] = "denied", [STANDING_MISSING] = "missing", [STANDING_UNKNOWN] = "unknown",
};

const char *standing_name(enum standing standing)
{
    return standing_names[standing];
}

struct judge {
    struct findings *findings;
    struct arena *arena;
    const struct machine *machine;
};

static void add(struct judge *judge, const char *name, enum standing standing, const char *value,
                const char *meaning, const char *advice)
{
    *vec_push(judge->findings) =
        (struct finding){.name = name,
                         .value = value,
                         .meaning = meaning ? meaning : "",
                         .advice = advice && standing != STANDING_GOOD ? advice : "",
                         .standing = standing};
}

/* ---- outcomes */

enum standing outcome_standing(struct outcome outcome)
{
    switch (outcome.result) {
    case ATTEMPT_WORKS: return STANDING_GOOD;
    case ATTEMPT_KILLED: return outcome.why == SIGSYS ? STANDING_DENIED : STANDING_UNKNOWN;
    case ATTEMPT_MUTE: return STANDING_MISSING;
    case ATTEMPT_UNTRIED: return STANDING_UNKNOWN;
    case ATTEMPT_REFUSED: break;
    }
    return outcome.why == EACCES || outcome.why == EPERM ? STANDING_DENIED : STANDING_MISSING;
}

/* Kernels answer EACCES for their own settings; filters, as container engines set them, EPERM. */
static bool by_filter(const struct machine *machine, struct outcome outcome)
{
    return (outcome.result == ATTEMPT_KILLED && outcome.why == SIGSYS) ||
           (outcome.result == ATTEMPT_REFUSED && machine->seccomp == 2 &&
            (outcome.why == EPERM || outcome.why == ENOSYS));
}

static const char *outcome_text(struct judge *judge, struct outcome outcome)
{
    switch (outcome.result) {
    case ATTEMPT_WORKS: return "tried, works";
    case ATTEMPT_KILLED:
        return arena_format(judge->arena, "tried, killed by %s%s", strsignal(outcome.why),
                            outcome.why == SIGSYS ? ": a seccomp filter" : "");
    case ATTEMPT_MUTE: return "granted, but nothing came";
    case ATTEMPT_UNTRIED: return "could not be tried";
    case ATTEMPT_REFUSED: break;
    }
    return arena_format(judge->arena, "tried, refused: %s%s", strerror(outcome.why),
                        by_filter(judge->machine, outcome) ? ", by the seccomp filter" : "");
}

/* Settings are the whole machine's: in a container they cannot be changed. */
static const char *typed(struct judge *judge, const char *command)
{
    bool contained = judge->machine->user_namespace || *judge->machine->container;
    return contained ? arena_format(judge->arena, "on the host:  %s", command) : command;
}

/* What lifts a refusal of perf_event_open, where paranoid at most `level` would do. */
static const char *perf_advice(struct judge *judge, struct outcome outcome, long level)
{
    const struct machine *machine = judge->machine;
    if (outcome_standing(outcome) != STANDING_DENIED)
        return "";
    if (by_filter(machine, outcome))
        return "start the container with:  docker run --security-opt seccomp=unconfined "
               "--cap-add PERFMON ...";
    return typed(judge,
                 arena_format(judge->arena, "sudo sysctl kernel.perf_event_paranoid=%ld", level));
}

static void add_try(struct judge *judge, const char *name, enum try which, long level,
                    const char *with, const char *without)
{
    struct outcome outcome = judge->machine->tried[which];
    enum standing standing = outcome_standing(outcome);
    add(judge, name, standing, outcome_text(judge, outcome),
        standing == STANDING_GOOD ? with : without, perf_advice(judge, outcome, level));
}

/* ---- the machine */

static void judge_system(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    int major, minor;
    machine_version(machine, &major, &minor);
    bool traps = major > 5 || (major == 5 && minor >= 18);
    add(judge, "kernel",
        !major  ? STANDING_UNKNOWN
        : traps ? STANDING_GOOD
                : STANDING_LIMITED,
        *machine->kernel ? machine->kernel : "unknown",
        traps ? "5.18 or later: its perf clock may interrupt programs"
              : "before 5.18: record is triggered by the CPU-time timer",
        traps ? "" : "a newer kernel, for example:  sudo apt-get install linux-image-amd64");
    add(judge, "processor", STANDING_INFO, *machine->processor ? machine->processor : "unknown", "",
        "");
    add(judge, "hypervisor", STANDING_INFO, *machine->hypervisor ? machine->hypervisor : "none",
        *machine->hypervisor ? "interrupts cost more, and counters are often not passed on" : "",
        "");
    bool contained = *machine->container || machine->user_namespace;
    add(judge, "container", STANDING_INFO,
        *machine->container       ? machine->container
        : machine->user_namespace ? "a user namespace"
                                  : "none found",
        contained ? "settings of the kernel are the host's" : "", "");
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
    bool perfmon = machine_capable(machine, CAP_PERFMON) || machine_capable(machine, CAP_SYS_ADMIN);
    add(judge, "capabilities",
        !machine->capabilities_known ? STANDING_UNKNOWN
        : perfmon                    ? STANDING_GOOD
                                     : STANDING_LIMITED,
        !machine->capabilities_known ? "/proc/self/status cannot be read"
        : *held                      ? held
                                     : "none of CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYS_PTRACE",
        perfmon ? ""
                : "none is needed for one's own programs; -a and kernel samples want CAP_PERFMON",
        /* Inherited, not of the file: a program cannot look into the descriptors of one that has more
         * rights than itself, and that is how it finds its channel. */
        "sudo setpriv --reuid=\"$(id -u)\" --regid=\"$(id -g)\" --init-groups --inh-caps=+perfmon "
        "--ambient-caps=+perfmon gait record ...");
    long paranoid = machine->paranoid;
    bool fine = perfmon || (paranoid != SETTING_UNKNOWN && paranoid <= 1);
    add(judge, "paranoid",
        paranoid == SETTING_UNKNOWN ? STANDING_UNKNOWN
        : fine                      ? STANDING_GOOD
        : paranoid >= 3             ? STANDING_DENIED
                                    : STANDING_LIMITED,
        paranoid == SETTING_UNKNOWN
            ? "kernel.perf_event_paranoid cannot be read"
            : arena_format(judge->arena, "kernel.perf_event_paranoid = %ld", paranoid),
        perfmon         ? "does not bind CAP_PERFMON"
        : paranoid >= 3 ? "on kernels that know this level perf is for root alone"
        : paranoid == 2 ? "user mode of one's own programs only: enough for record and --plain"
        : paranoid == 1 ? "one's own programs, the kernel included"
                        : "",
        paranoid == SETTING_UNKNOWN ? "mount -t proc proc /proc"
                                    : typed(judge, "sudo sysctl kernel.perf_event_paranoid=1"));
}

static void judge_filter(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    static const enum try calls[] = {TRY_perf, TRY_ptrace, TRY_memfd};
    static const char *const names[] = {"perf_event_open", "ptrace", "memfd_create"};
    const char *refused = "";
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (by_filter(machine, machine->tried[calls[i]]))
            refused = arena_format(judge->arena, "%s%s%s", refused, *refused ? ", " : "", names[i]);
    add(judge, "seccomp",
        *refused                              ? STANDING_DENIED
        : machine->seccomp == SETTING_UNKNOWN ? STANDING_UNKNOWN
                                              : STANDING_GOOD,
        *refused ? arena_format(judge->arena, "a filter refuses %s", refused)
        : machine->seccomp == SETTING_UNKNOWN ? "/proc/self/status does not tell"
        : machine->seccomp                    ? "a filter is on; what gait needs passes"
                                              : "no filter",
        "", "docker run --security-opt seccomp=unconfined ...");
    add_try(judge, "memfd", TRY_memfd, 2, "", "record needs it for what the program tells gait");
    struct outcome ptrace = machine->tried[TRY_ptrace];
    const char *scope =
        machine->ptrace_scope == SETTING_UNKNOWN
            ? "no Yama"
            : arena_format(judge->arena, "kernel.yama.ptrace_scope = %ld", machine->ptrace_scope);
    bool narrow = machine->ptrace_scope > 0 && !machine_capable(machine, CAP_SYS_PTRACE);
    enum standing standing = outcome_standing(ptrace);
    add(judge, "ptrace", standing == STANDING_GOOD && narrow ? STANDING_LIMITED : standing,
        arena_format(judge->arena, "%s; %s", outcome_text(judge, ptrace), scope),
        narrow ? "processes that gait did not start cannot be looked into" : "",
        typed(judge, "sudo sysctl kernel.yama.ptrace_scope=0"));
}

static void judge_clocks(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    add_try(judge, "perf", TRY_perf, 2, "perf_event_open is granted",
            "no perf at all: record goes by the CPU-time timer");
    add_try(judge, "perf clock", TRY_sigtrap, 2, "record --trigger perf: any rate",
            "record falls back to the CPU-time timer");
    struct outcome timer = machine->tried[TRY_timer];
    enum standing standing = outcome_standing(timer);
    double ms = (double)timer.value / 1e6;
    add(judge, "CPU-time timer", standing,
        standing == STANDING_GOOD
            ? arena_format(judge->arena, "tried, works; a tick every %.2g ms", ms)
            : outcome_text(judge, timer),
        standing == STANDING_GOOD && timer.value > 500000
            ? arena_format(judge->arena, "record --trigger cputime: at most %.0f samples a second",
                           1e3 / ms)
            : "",
        "");
}

static void judge_samples(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    add_try(judge, "samples", TRY_samples, 2, "record --plain",
            "record --plain has no source of samples");
    add_try(judge, "stacks", TRY_stacks, 2, "record --plain unwinds code without frame pointers",
            "record --plain has no stacks of code without frame pointers");
    add_try(judge, "switches", TRY_switches, 2, "record --plain tells time off the CPU",
            "time off the CPU is not told");
    add_try(judge, "kernel samples", TRY_kernel, 1, "", "time in the kernel has no addresses");
    bool hidden = !machine->kernel_symbols;
    bool forbidden = hidden && machine->kptr_restrict != SETTING_UNKNOWN;
    add(judge, "kernel symbols",
        !hidden     ? STANDING_GOOD
        : forbidden ? STANDING_DENIED
                    : STANDING_UNKNOWN,
        hidden ? forbidden ? arena_format(judge->arena,
                                          "/proc/kallsyms has no addresses; kptr_restrict = %ld",
                                          machine->kptr_restrict)
                           : "/proc/kallsyms cannot be read"
               : "/proc/kallsyms has addresses",
        hidden ? "functions of the kernel have no names" : "",
        typed(judge, "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"));
}

/* Without a device in /sys there is no hardware, whatever the error was. */
static enum standing hardware_standing(const struct machine *machine, struct outcome outcome)
{
    enum standing standing = outcome_standing(outcome);
    return standing != STANDING_GOOD && !machine->core_pmu ? STANDING_MISSING : standing;
}

static void judge_hardware(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    struct outcome cycles = machine->tried[TRY_cycles], branches = machine->tried[TRY_branches];
    enum standing standing = hardware_standing(machine, cycles);
    const char *denied = perf_advice(judge, cycles, 2);
    const char *pass =
        *machine->hypervisor ? "on the host, pass it on; qemu:  -cpu host,pmu=on" : "";
    add(judge, "PMU", standing,
        machine->core_pmu ? outcome_text(judge, cycles)
                          : "none: no cpu in /sys/bus/event_source/devices",
        standing == STANDING_GOOD ? "record --plain -e cycles, instructions, cache-misses ..."
                                  : "software events only; walks and exact counts need none",
        *denied && machine->core_pmu ? denied : pass);
    standing = hardware_standing(machine, branches);
    add(judge, "LBR", standing,
        machine->core_pmu ? outcome_text(judge, branches) : "none: there is no PMU",
        "gait records branches by walking: it does not need them",
        machine->core_pmu ? perf_advice(judge, branches, 2) : pass);
    add(judge, "IBS", machine->ibs ? STANDING_GOOD : STANDING_MISSING,
        machine->ibs ? "/sys/bus/event_source/devices/ibs_op is there"
                     : "none: no ibs_op in /sys/bus/event_source/devices",
        "", "");
}

static void judge_resources(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    long mlock = machine->mlock_kb;
    add(judge, "ring memory",
        mlock == SETTING_UNKNOWN ? STANDING_UNKNOWN
        : mlock < 516            ? STANDING_LIMITED
                                 : STANDING_GOOD,
        arena_format(judge->arena, "%s KiB for each user, and RLIMIT_MEMLOCK %s",
                     mlock == SETTING_UNKNOWN ? "unknown"
                                              : arena_format(judge->arena, "%ld", mlock),
                     machine->memlock_bytes == UINT64_MAX
                         ? "unlimited"
                         : arena_format(judge->arena, "%llu KiB",
                                        (unsigned long long)machine->memlock_bytes >> 10)),
        "rings of --plain are taken from it",
        typed(judge, "sudo sysctl kernel.perf_event_mlock_kb=4096"));
    bool found = !*machine->library_error;
    add(judge, "libgait.so", found ? STANDING_GOOD : STANDING_MISSING,
        found ? machine->library : machine->library_error,
        found ? "" : "record cannot walk without it; record --plain can do without",
        "export GAIT_LIB=/path/to/libgait.so");
    double mib = (double)machine->free_bytes / (1 << 20);
    add(judge, "folder",
        !machine->folder_writable ? STANDING_DENIED
        : mib < 64                ? STANDING_LIMITED
                                  : STANDING_GOOD,
        machine->folder_writable ? arena_format(judge->arena, "writable, %.0f MiB free", mib)
                                 : "the current folder cannot be written",
        "gait.data goes here", "gait record -o /tmp/gait.data -- PROGRAM");
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
    add(judge, "debug files",
        full                    ? STANDING_GOOD
        : machine->debug_folder ? STANDING_LIMITED
                                : STANDING_MISSING,
        arena_format(judge->arena, "/usr/lib/debug %s; DEBUGINFOD_URLS %s; libdebuginfod %s",
                     machine->debug_folder ? "has files" : "is empty",
                     set ? "is set" : "is not set", client ? "loads" : "is not installed"),
        full ? "" : "stripped libraries show fewer names and no lines",
        set ? package
            : arena_format(judge->arena, "%s%sexport DEBUGINFOD_URLS=https://debuginfod.%s",
                           client ? "" : package, client ? "" : "; ", debuginfod_url(machine)));
}

/* ---- which recordings work */

static const char *record_advice(const struct machine *machine)
{
    struct outcome sampled = machine->sampled;
    if (sampled.result == ATTEMPT_KILLED && machine->tried[TRY_timer].result == ATTEMPT_WORKS)
        return "gait record --trigger cputime -- PROGRAM";
    if (sampled.result != ATTEMPT_WORKS)
        return "gait doctor, again, after what is said above";
    return machine->folder_writable ? "" : "gait record -o /tmp/gait.data -- PROGRAM";
}

static void judge_record(struct judge *judge)
{
    static const char *const by[] = {
        [TRIGGER_AUTO] = "but nothing interrupts the program",
        [TRIGGER_PERF] = "triggered by the perf clock",
        [TRIGGER_CPUTIME] = "triggered by the CPU-time timer: fewer samples a second",
    };
    const struct machine *machine = judge->machine;
    struct outcome sampled = machine->sampled;
    bool works = sampled.result == ATTEMPT_WORKS, here = machine->folder_writable;
    judge->findings->records = works && here && sampled.value != TRIGGER_AUTO;
    enum standing standing = !works                          ? outcome_standing(sampled)
                             : !judge->findings->records     ? STANDING_DENIED
                             : sampled.value == TRIGGER_PERF ? STANDING_GOOD
                                                             : STANDING_LIMITED;
    add(judge, "record", standing, outcome_text(judge, sampled),
        !works  ? ""
        : !here ? "but this folder cannot be written"
                : by[sampled.value],
        record_advice(machine));
    add(judge, "record --exact", outcome_standing(machine->exact),
        outcome_text(judge, machine->exact), "", "gait doctor, again, after what is said above");
}

static void judge_plain(struct judge *judge)
{
    struct outcome samples = judge->machine->tried[TRY_samples];
    struct outcome stacks = judge->machine->tried[TRY_stacks];
    bool bare = samples.result == ATTEMPT_WORKS && stacks.result != ATTEMPT_WORKS;
    if (bare)
        add(judge, "record --plain", STANDING_LIMITED, "samples, but no stacks", "",
            perf_advice(judge, stacks, 2));
    else
        add_try(judge, "record --plain", TRY_samples, 2, "with stacks", "see samples above");
    add_try(judge, "record -p PID", TRY_other, 2, "processes of the same user", "");
    add_try(judge, "record -a", TRY_everything, 0, "", "one's own programs only");
    struct outcome cycles = judge->machine->tried[TRY_cycles];
    enum standing standing = hardware_standing(judge->machine, cycles);
    add(judge, "record -e PMU", standing, outcome_text(judge, cycles), "see gait list events",
        judge->machine->core_pmu ? perf_advice(judge, cycles, 2) : "");
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
    findings->verdicts_at = findings->n;
    judge_record(&judge);
    judge_plain(&judge);
}
