/* What this machine is and grants: files of the kernel as they were read, and what was tried.
 *
 * Whatever cannot be read is unknown, which is not the same as no. Judging is left to findings.h,
 * so that a machine can also be made by a test. */
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
    bool core_pmu, ibs;          /* have a folder in /sys/bus/event_source/devices */
    bool debug_folder;           /* /usr/lib/debug has something */
    const char *debuginfod_urls; /* of the environment; NULL: not set */
    struct attempt_outcome libdebuginfod;
    uint64_t memlock_bytes; /* RLIMIT_MEMLOCK; UINT64_MAX: no limit */
    uint64_t free_bytes;    /* of the current folder's disk */
    bool folder_writable;
    char library[PATH_MAX], library_error[512]; /* libgait.so, or why it was not found */
    struct attempt_outcome tried[TRY_N];
    /* Recordings of a program that ends at once; of a process that runs; of all CPUs. */
    struct attempt_outcome sampled, exact, plain, follow, everything;
    /* KiB of each ring of the one of all CPUs, which needs most: what it got, and what it wanted.
     */
    uint32_t ring_kib, ring_wanted_kib;
};

/* Reads files below root ("" is the machine itself) and what else concerns this process. */
void machine_read(struct machine *machine, const char *root);
/* Tries what is in TRIES, and records `argv` in every way; about half a second. */
void machine_try(struct machine *machine, char *const *argv);

bool machine_capable(const struct machine *machine, int capability);
/* Of the kernel's release; {0, 0} where it makes no sense. */
void machine_version(const struct machine *machine, int *ret_major, int *ret_minor);
