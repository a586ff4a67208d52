#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/waits/wait_reason.h"

#define REASON(runnable, ...)                                                                      \
    reason((const char *const[]){__VA_ARGS__},                                                     \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), runnable)

static char text[128];

/* "what/call" */
static const char *reason(const char *const *names, size_t n, bool runnable)
{
    struct wait_reason found = wait_reason_find(names, n, runnable);
    snprintf(text, sizeof text, "%s/%.*s", found.what, (int)found.syscall_bytes, found.syscall);
    return text;
}

static void calls(void **state)
{
    (void)state;
    assert_string_equal(
        REASON(false, "schedule", "futex_wait", "do_futex", "__x64_sys_futex", "do_syscall_64"),
        "futex/futex");
    assert_string_equal(
        REASON(false, "schedule", "anon_pipe_read", "vfs_read", "ksys_read", "do_syscall_64"),
        "read (pipe)/read");
    assert_string_equal(REASON(false, "schedule", "sock_read_iter", "vfs_read", "__x64_sys_read"),
                        "read (socket)/read");
    assert_string_equal(REASON(false, "schedule", "__x64_sys_read.isra.0"), "read/read");
    assert_string_equal(REASON(false, "schedule", "ep_poll", "__x64_sys_epoll_wait"),
                        "poll/epoll_wait");
    assert_string_equal(REASON(false, "do_nanosleep", "__x64_sys_clock_nanosleep"),
                        "sleep/clock_nanosleep");
    assert_string_equal(REASON(false, "do_wait", "kernel_wait4", "__do_sys_wait4"), "child/wait4");
    /* The entry is a jump: only what it jumped to is on the stack. */
    assert_string_equal(REASON(false, "schedule", "do_wait", "kernel_wait4", "do_syscall_64"),
                        "child/wait4");
    assert_string_equal(REASON(false, "schedule", "do_wait", "kernel_waitid.isra.0", "x"),
                        "child/waitid");
    assert_string_equal(REASON(false, "schedule", "do_wait_for_something"), "unknown/");
    assert_string_equal(REASON(false, "__x64_sys_keyctl"), "another system call/keyctl");
}

static void others(void **state)
{
    (void)state;
    assert_string_equal(REASON(false, "io_schedule", "filemap_fault", "handle_mm_fault",
                               "exc_page_fault", "asm_exc_page_fault"),
                        "page fault/");
    assert_string_equal(REASON(true, "schedule", "exit_to_user_mode_loop"), "runnable/");
    assert_string_equal(REASON(true, "preempt_schedule", "vfs_write", "__x64_sys_write"),
                        "runnable/write");
    assert_string_equal(REASON(false, "schedule", "something_new"), "unknown/");
    assert_string_equal(wait_reason_unseen(false).what, "stack not taken");
    assert_string_equal(wait_reason_unseen(true).what, "runnable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),
        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
