/* Threads that have their system calls dispatched to themselves (PR_SET_SYSCALL_USER_DISPATCH)
 * while others walk. They run natively, but their faults and traps still come by the agent, whose
 * every system call would become a signal of theirs, too. They are known by %fs, which takes no
 * call to read, and by the byte that says whether calls are dispatched: calls are let through for
 * as long as the agent takes to pass a signal on. */
#pragma once

#include "agent/base/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* This thread is about to begin. selector: the address of its byte. */
void exact_dispatch_begin(uint64_t selector);
/* This thread is new, whoever had its %fs before. */
void exact_dispatch_forget(void);
/* False: it is another thread. Else the signal is passed on; *ret_to is the handler to jump to. */
bool exact_dispatch_pass(int signal, const uint8_t *siginfo, struct kernel_ucontext *frame,
                         uint64_t *ret_to);
