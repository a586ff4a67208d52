/* What this machine is and permits: files of the kernel, and the results of attempts.
 *
 * What cannot be read is unknown, which is not "no". findings.h judges, so that tests can make up a
 * machine. */
#pragma once

#include "collect/doctor/tries.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define SETTING_UNKNOWN LONG_MIN

struct machine {
    char kernel[65];                                                      /* release */
    char processor[128], hypervisor[64], container[64], distribution[64]; /* "": none or unknown */
    long paranoid, kptr_restrict, ptrace_scope, seccomp, mlock_kb, max_rate_hz;
    uint64_t capabilities; /* effective */
    bool capabilities_known;
    bool user_namespace;         /* root here is not root of the machine */
    bool kernel_symbols;         /* /proc/kallsyms has addresses */
    bool core_pmu, ibs;          /* listed in /sys/bus/event_source/devices */
    bool debug_folder;           /* /usr/lib/debug has something */
    const char *debuginfod_urls; /* of the environment; NULL: not set */
    struct attempt_outcome libdebuginfod;
    uint64_t memlock_bytes; /* RLIMIT_MEMLOCK; UINT64_MAX: no limit */
    uint64_t free_bytes;    /* of the current folder's disk */
    bool folder_writable;
    char library[PATH_MAX], library_error[512]; /* libgait.so, or why it was not found */
    struct attempt_outcome tried[TRY_N];
    /* Recordings of a program that ends at once, of a running process, and of all CPUs. */
    struct attempt_outcome sampled, exact, plain, follow, everything;
    /* KiB of each ring in the recording of all CPUs, which needs most: granted and wanted. */
    uint32_t ring_kib, ring_wanted_kib;
};

/* Reads files below `root` ("" is the machine itself), and the limits of this process. */
void machine_read(struct machine *machine, const char *root);
/* Runs all TRIES, and records `argv` in every way; about half a second. */
void machine_try(struct machine *machine, char *const *argv);

bool machine_capable(const struct machine *machine, int capability);
/* Of the kernel; {0, 0} if the release makes no sense. */
void machine_version(const struct machine *machine, int *ret_major, int *ret_minor);
