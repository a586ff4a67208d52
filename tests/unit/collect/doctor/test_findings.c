/* Findings on machines that are made up: what is denied, what is missing, what to type. */
#include "collect/doctor/findings.h"
#include "wire/channel.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A machine on which all is well, seen by a user without rights. */
static struct machine good_machine(void)
{
    struct machine machine = {.kernel = "6.1.0-49-amd64",
                              .paranoid = 1,
                              .ptrace_scope = SETTING_UNKNOWN,
                              .mlock_kb = 516,
                              .ring_kib = 1024,
                              .ring_wanted_kib = 1024,
                              .capabilities_known = true,
                              .kernel_symbols = true,
                              .core_pmu = true,
                              .folder_writable = true,
                              .free_bytes = UINT64_C(1) << 32,
                              .sampled = {.value = TRIGGER_PERF}};
    return machine;
}

static struct finding find(const struct findings *findings, const char *name)
{
    for (size_t i = 0; i < findings->n; i++)
        if (!strcmp(findings->at[i].name, name))
            return findings->at[i];
    fail_msg("no finding '%s'", name);
    return (struct finding){0};
}

static struct arena arena;

static struct findings judged(const struct machine *machine)
{
    struct findings findings;
    findings_make(&findings, &arena, machine);
    return findings;
}

static void done(struct findings *findings)
{
    vec_release(findings);
    arena_release(&arena);
}

#define assert_standing(findings, name, expected)                                                  \
    assert_string_equal(standing_name(find(findings, name).standing), standing_name(expected))

static void all_is_well(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    struct findings findings = judged(&machine);
    assert_true(findings.records);
    for (size_t i = findings.verdicts_at; i < findings.n; i++)
        assert_int_equal(findings.at[i].standing, STANDING_GOOD);
    assert_string_equal(find(&findings, "perf").advice, "");
    done(&findings);
}

/* The error is the same when hardware is missing and when a setting withholds it. */
static void denied_is_not_missing(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    machine.paranoid = 3;
    machine.tried[TRY_cycles] = (struct attempt_outcome){ATTEMPT_REFUSED, EACCES, 0};
    struct findings findings = judged(&machine);
    assert_standing(&findings, "PMU", STANDING_DENIED);
    assert_non_null(strstr(find(&findings, "PMU").advice, "perf_event_paranoid=2"));
    done(&findings);
    machine.core_pmu = false;
    findings = judged(&machine);
    assert_standing(&findings, "PMU", STANDING_MISSING);
    assert_standing(&findings, "record -e PMU", STANDING_MISSING);
    assert_null(strstr(find(&findings, "PMU").advice, "sysctl"));
    done(&findings);
    machine.core_pmu = true;
    machine.tried[TRY_branches] = (struct attempt_outcome){ATTEMPT_REFUSED, EOPNOTSUPP, 0};
    findings = judged(&machine);
    assert_standing(&findings, "LBR", STANDING_MISSING);
    assert_standing(&findings, "branches", STANDING_GOOD); /* by walks */
    done(&findings);
}

static void filters_are_named(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    machine.seccomp = 2;
    machine.tried[TRY_perf] = (struct attempt_outcome){ATTEMPT_REFUSED, EPERM, 0};
    machine.tried[TRY_ptrace] = (struct attempt_outcome){ATTEMPT_KILLED, SIGSYS, 0};
    struct findings findings = judged(&machine);
    assert_string_equal(find(&findings, "seccomp").value,
                        "a filter refuses perf_event_open, ptrace");
    assert_non_null(strstr(find(&findings, "perf").advice, "seccomp=unconfined"));
    done(&findings);
    machine.seccomp = 0; /* then it is a security module: no filter to lift */
    machine.tried[TRY_ptrace].result = ATTEMPT_WORKS;
    findings = judged(&machine);
    assert_standing(&findings, "seccomp", STANDING_GOOD);
    assert_null(strstr(find(&findings, "perf").advice, "seccomp"));
    done(&findings);
}

static void the_verdict_follows_the_trial(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    machine.sampled.value = TRIGGER_CPUTIME;
    struct findings findings = judged(&machine);
    assert_standing(&findings, "record", STANDING_GOOD);
    assert_true(findings.records);
    done(&findings);
    machine.tried[TRY_perf].result = ATTEMPT_REFUSED; /* it samples, but not the kernel */
    findings = judged(&machine);
    assert_standing(&findings, "record", STANDING_LIMITED);
    assert_true(findings.records);
    done(&findings);
    machine.tried[TRY_perf].result = ATTEMPT_KILLED;
    findings = judged(&machine);
    assert_false(findings.records);
    done(&findings);
    machine = good_machine();
    machine.sampled.value = TRIGGER_AUTO; /* the program ran, but nothing interrupted it */
    findings = judged(&machine);
    assert_false(findings.records);
    done(&findings);
    machine = good_machine();
    machine.sampled.result = ATTEMPT_MUTE;
    findings = judged(&machine);
    assert_false(findings.records);
    done(&findings);
    machine = good_machine();
    machine.folder_writable = false;
    findings = judged(&machine);
    assert_false(findings.records);
    assert_non_null(strstr(find(&findings, "record").advice, "-o"));
    done(&findings);
}

/* Root of a user namespace has every capability, and none of them counts for perf. */
static void rights_of_a_namespace(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    machine.paranoid = 2;
    machine.capabilities = UINT64_MAX;
    struct findings findings = judged(&machine);
    assert_standing(&findings, "capabilities", STANDING_GOOD);
    assert_standing(&findings, "paranoid", STANDING_GOOD);
    done(&findings);
    machine.user_namespace = true;
    findings = judged(&machine);
    assert_standing(&findings, "capabilities", STANDING_LIMITED);
    assert_standing(&findings, "paranoid", STANDING_LIMITED);
    done(&findings);
}

static void small_rings(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    machine.ring_kib = 512;
    struct findings findings = judged(&machine);
    assert_standing(&findings, "ring memory", STANDING_LIMITED);
    assert_string_equal(find(&findings, "ring memory").advice,
                        "sudo sysctl kernel.perf_event_mlock_kb=1028");
    done(&findings);
}

static void samples_without_stacks(void **state)
{
    (void)state;
    struct machine machine = good_machine();
    machine.tried[TRY_stacks] = (struct attempt_outcome){.result = ATTEMPT_MUTE};
    machine.tried[TRY_everything] = (struct attempt_outcome){ATTEMPT_REFUSED, EACCES, 0};
    machine.everything = (struct attempt_outcome){ATTEMPT_REFUSED, EIO, 0};
    snprintf(machine.container, sizeof machine.container, "docker");
    struct findings findings = judged(&machine);
    assert_standing(&findings, "record --plain", STANDING_LIMITED);
    assert_string_equal(find(&findings, "record -a").advice,
                        "on the host:  sudo sysctl kernel.perf_event_paranoid=0");
    done(&findings);
}

/* ---- reading */

static char *root;

static void put(const char *path, const char *text)
{
    char whole[512], command[600];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", whole);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void nothing_to_read(void **state)
{
    (void)state;
    struct machine machine;
    machine_read(&machine, "/no/such/folder");
    assert_int_equal(machine.paranoid, SETTING_UNKNOWN);
    assert_int_equal(machine.seccomp, SETTING_UNKNOWN);
    assert_false(machine.capabilities_known);
    for (int i = 0; i < TRY_N; i++)
        machine.tried[i].result = ATTEMPT_UNTRIED;
    struct findings findings = judged(&machine);
    assert_standing(&findings, "paranoid", STANDING_UNKNOWN);
    assert_standing(&findings, "seccomp", STANDING_UNKNOWN);
    assert_standing(&findings, "kernel symbols", STANDING_UNKNOWN);
    assert_standing(&findings, "perf", STANDING_UNKNOWN);
    done(&findings);
}

static void files_as_kernels_write_them(void **state)
{
    (void)state;
    char folder[] = "/tmp/gait-machine-XXXXXX", command[600];
    root = mkdtemp(folder);
    assert_non_null(root);
    put("/proc/sys/kernel/perf_event_paranoid", "-1\n");
    put("/proc/sys/kernel/kptr_restrict", "no number\n");
    put("/proc/self/status", "Name:\tx\nCapEff:\t0000004000080000\nSeccomp:\t2\n");
    put("/proc/self/uid_map", "         0       1000          1\n");
    put("/proc/1/cgroup", "12:cpu:/kubepods/besteffort/pod1\n");
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some Core 5000\nmodel name\t: other\n");
    put("/proc/kallsyms", "0000000000000000 A zero\nffffffff81000000 T _text\n");
    put("/etc/os-release", "NAME=\"X\"\nID=debian\n");
    put("/sys/bus/event_source/devices/cpu_core/type", "4\n");
    put("/usr/lib/debug/x", "");
    struct machine machine;
    machine_read(&machine, root);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
    assert_int_equal(machine.paranoid, -1);
    assert_int_equal(machine.kptr_restrict, SETTING_UNKNOWN);
    assert_int_equal(machine.seccomp, 2);
    assert_true(machine_capable(&machine, CAP_PERFMON));
    assert_true(machine_capable(&machine, CAP_SYS_PTRACE));
    assert_false(machine_capable(&machine, CAP_SYS_ADMIN));
    assert_true(machine.user_namespace);
    assert_string_equal(machine.container, "kubernetes");
    assert_string_equal(machine.processor, "Some Core 5000");
    assert_string_equal(machine.distribution, "debian");
    assert_true(machine.kernel_symbols);
    assert_true(machine.core_pmu);
    assert_false(machine.ibs);
    assert_true(machine.debug_folder);
}

static void versions(void **state)
{
    (void)state;
    static const struct {
        const char *release;
        enum standing standing;
    } cases[] = {{"5.17.15", STANDING_LIMITED},
                 {"5.18.0-rc1", STANDING_GOOD},
                 {"4.19.0", STANDING_LIMITED},
                 {"10.0", STANDING_GOOD},
                 {"", STANDING_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine = good_machine();
        snprintf(machine.kernel, sizeof machine.kernel, "%s", cases[i].release);
        struct findings findings = judged(&machine);
        assert_standing(&findings, "kernel", cases[i].standing);
        done(&findings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_well),
        cmocka_unit_test(denied_is_not_missing),
        cmocka_unit_test(filters_are_named),
        cmocka_unit_test(the_verdict_follows_the_trial),
        cmocka_unit_test(rights_of_a_namespace),
        cmocka_unit_test(small_rings),
        cmocka_unit_test(samples_without_stacks),
        cmocka_unit_test(nothing_to_read),
        cmocka_unit_test(files_as_kernels_write_them),
        cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
