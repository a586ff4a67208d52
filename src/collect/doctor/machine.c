#include "collect/doctor/machine.h"

#include "base/err.h"
#include "base/scope.h"
#include "collect/target/launch.h"
#include "collect/plain/plain.h"
#include "collect/recording.h"

#include <cpuid.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files of the kernel */

static FILE *file_below(const char *root, const char *path)
{
    char whole[PATH_MAX];
    if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole)
        return NULL;
    return fopen(whole, "re");
}

static bool exists_below(const char *root, const char *path)
{
    char whole[PATH_MAX];
    return snprintf(whole, sizeof whole, "%s%s", root, path) < (int)sizeof whole &&
           access(whole, F_OK) == 0;
}

static long setting_read(const char *root, const char *path)
{
    FILE *file = file_below(root, path);
    long value = SETTING_UNKNOWN;
    if (file) {
        if (fscanf(file, "%ld", &value) != 1)
            value = SETTING_UNKNOWN;
        fclose(file);
    }
    return value;
}

/* The first line that starts with the key, behind it and what separates; false: there is none. */
static bool field_read(const char *root, const char *path, const char *key, char *ret, size_t room)
{
    FILE *file = file_below(root, path);
    char line[1024];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *value = line + strlen(key);
        value += strspn(value, " \t:=\"");
        snprintf(ret, room, "%.*s", (int)strcspn(value, "\"\n"), value);
        found = true;
    }
    if (file)
        fclose(file);
    return found;
}

static void status_read(struct machine *machine, const char *root)
{
    char text[64];
    machine->seccomp = SETTING_UNKNOWN;
    if (field_read(root, "/proc/self/status", "Seccomp:", text, sizeof text))
        machine->seccomp = strtol(text, NULL, 10);
    machine->capabilities_known =
        field_read(root, "/proc/self/status", "CapEff:", text, sizeof text);
    if (machine->capabilities_known)
        machine->capabilities = strtoull(text, NULL, 16);
    /* All ids map to themselves in the first user namespace, and only there. */
    FILE *file = file_below(root, "/proc/self/uid_map");
    unsigned inside, outside, n;
    if (file) {
        if (fscanf(file, "%u %u %u", &inside, &outside, &n) == 3)
            machine->user_namespace = inside != 0 || outside != 0 || n != UINT32_MAX;
        fclose(file);
    }
}

static void container_read(struct machine *machine, const char *root)
{
    static const struct {
        const char *file, *word, *name;
    } marks[] = {
        {"/proc/1/cgroup", "kubepods", "kubernetes"},
        {"/proc/1/cgroup", "docker", "docker"},
        {"/proc/1/cgroup", "lxc", "lxc"},
        {"/.dockerenv", NULL, "docker"},
        {"/run/.containerenv", NULL, "podman"},
    };
    char line[1024];
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !*machine->container; i++) {
        FILE *file = file_below(root, marks[i].file);
        bool found = file && !marks[i].word;
        while (file && !found && fgets(line, sizeof line, file))
            found = strstr(line, marks[i].word);
        if (file)
            fclose(file);
        if (found)
            snprintf(machine->container, sizeof machine->container, "%s", marks[i].name);
    }
    if (!*machine->container)
        field_read(root, "/run/systemd/container", "", machine->container,
                   sizeof machine->container);
}

/* Without permission every address reads as zero. */
static bool symbols_read(const char *root)
{
    FILE *file = file_below(root, "/proc/kallsyms");
    unsigned long long address = 0;
    for (int i = 0; file && i < 1000 && !address; i++)
        if (fscanf(file, "%llx %*[^\n]", &address) != 1)
            break;
    if (file)
        fclose(file);
    return address != 0;
}

static bool folder_filled(const char *root, const char *path)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    DIR *folder = opendir(whole);
    int n = 0;
    while (folder && n < 3 && readdir(folder))
        n++; /* two of them are . and .. */
    if (folder)
        closedir(folder);
    return n > 2;
}

/* ---- this process */

static void hypervisor_read(struct machine *machine)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31)))
        return;
    unsigned words[4] = {0};
    __cpuid(0x40000000, a, words[0], words[1], words[2]);
    snprintf(machine->hypervisor, sizeof machine->hypervisor, "%s",
             *(const char *)words ? (const char *)words : "unnamed");
}

/* Tried: what access() grants to root, a read-only disk still refuses. */
static bool folder_writable(void)
{
    char name[64];
    snprintf(name, sizeof name, ".gait-doctor-%d", (int)getpid());
    AUTO(fd_close) int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0 && unlink(name) == 0;
}

static void limits_read(struct machine *machine)
{
    struct rlimit limit;
    machine->memlock_bytes = UINT64_MAX;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        machine->memlock_bytes = limit.rlim_cur;
    struct statvfs disk;
    if (statvfs(".", &disk) == 0)
        machine->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    machine->folder_writable = folder_writable();
}

void machine_read(struct machine *machine, const char *root)
{
    *machine = (struct machine){0};
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(machine->kernel, sizeof machine->kernel, "%s", names.release);
    machine->paranoid = setting_read(root, "/proc/sys/kernel/perf_event_paranoid");
    machine->kptr_restrict = setting_read(root, "/proc/sys/kernel/kptr_restrict");
    machine->ptrace_scope = setting_read(root, "/proc/sys/kernel/yama/ptrace_scope");
    machine->mlock_kb = setting_read(root, "/proc/sys/kernel/perf_event_mlock_kb");
    machine->max_rate_hz = setting_read(root, "/proc/sys/kernel/perf_event_max_sample_rate");
    field_read(root, "/proc/cpuinfo", "model name", machine->processor, sizeof machine->processor);
    field_read(root, "/etc/os-release", "ID=", machine->distribution, sizeof machine->distribution);
    status_read(machine, root);
    container_read(machine, root);
    machine->kernel_symbols = symbols_read(root);
    machine->core_pmu = exists_below(root, "/sys/bus/event_source/devices/cpu") ||
                        exists_below(root, "/sys/bus/event_source/devices/cpu_core");
    machine->ibs = exists_below(root, "/sys/bus/event_source/devices/ibs_op");
    machine->debug_folder = folder_filled(root, "/usr/lib/debug");
    machine->debuginfod_urls = getenv("DEBUGINFOD_URLS");
    hypervisor_read(machine);
    limits_read(machine);
    struct err err;
    if (!launch_find_library(machine->library, sizeof machine->library, &err))
        snprintf(machine->library_error, sizeof machine->library_error, "%s", err.text);
}

/* ---- tries */

static int load_debuginfod(uint64_t *ret_value, const void *with)
{
    (void)ret_value, (void)with;
    return dlopen("libdebuginfod.so.1", RTLD_LAZY) ? 0 : ENOENT;
}

struct trial {
    char *const *argv;
    enum record_mode mode;
};

/* A whole recording, but for its file. The value is the trigger that the program got. */
static int record(uint64_t *ret_value, const void *with)
{
    const struct trial *trial = with;
    struct recording_options options = {
        .argv = trial->argv,
        .command = "",
        .output = "/dev/null",
        .record = {.mode = trial->mode, .overhead_ppm = 10000, .seed = 1},
    };
    struct recording recording;
    struct err err;
    errno = 0;
    if (!recording_run(&options, &recording, &err))
        return errno ? errno : EIO;
    if (WIFSIGNALED(recording.status))
        raise(WTERMSIG(recording.status)); /* told as what became of the attempt */
    *ret_value = recording.channel.trigger;
    return recording.processes ? 0 : ATTEMPT_SILENT;
}

/* Without walks; with `argv` NULL it is whoever runs the attempt, or everything. */
struct plain_trial {
    char *const *argv;
    bool all_cpus;
};

/* The value is what struct machine says of rings: what it got above what it wanted. */
static int record_plain(uint64_t *ret_value, const void *with)
{
    const struct plain_trial *trial = with;
    static char *const none[] = {NULL};
    int parent = getppid();
    struct plain_options options = {
        .argv = trial->argv ? trial->argv : none,
        .command = "",
        .output = "/dev/null",
        .hz = 1000,
        .all_cpus = trial->all_cpus,
        .pids = &parent,
        .n_pids = !trial->argv && !trial->all_cpus,
        .duration_ns = 20000000,
        .seed = 1,
    };
    static struct plain_recording plain;
    struct err err;
    errno = 0;
    if (!plain_run(&options, &plain, &err))
        return err.kind == ERR_USAGE ? ENOSYS : errno ? errno : EIO;
    *ret_value = (uint64_t)(plain.ring_bytes >> 10) << 32 | plain.ring_wanted >> 10;
    return plain.processes ? 0 : ATTEMPT_SILENT;
}

void machine_try(struct machine *machine, char *const *argv)
{
    for (int i = 0; i < TRY_N; i++)
        machine->tried[i] = try_run((enum try)i);
    machine->libdebuginfod = attempt_run(load_debuginfod, NULL);
    machine->sampled = attempt_run(record, &(struct trial){argv, RECORD_SAMPLED});
    machine->exact = attempt_run(record, &(struct trial){argv, RECORD_EXACT_COUNTS});
    machine->plain = attempt_run(record_plain, &(struct plain_trial){argv, false});
    machine->follow = attempt_run(record_plain, &(struct plain_trial){NULL, false});
    machine->everything = attempt_run(record_plain, &(struct plain_trial){NULL, true});
    struct attempt_outcome rings = machine->everything.value ? machine->everything : machine->plain;
    machine->ring_kib = (uint32_t)(rings.value >> 32);
    machine->ring_wanted_kib = (uint32_t)rings.value;
}

/* ---- questions */

bool machine_capable(const struct machine *machine, int capability)
{
    return machine->capabilities >> capability & 1;
}

void machine_version(const struct machine *machine, int *ret_major, int *ret_minor)
{
    if (sscanf(machine->kernel, "%d.%d", ret_major, ret_minor) != 2)
        *ret_major = *ret_minor = 0;
}
