/* One thread of another process, borrowed: held still, made to do system calls for us, given back
 * as it was.
 *
 * Nothing of the process is written to: the thread executes a `syscall` instruction that is there
 * already, with registers of ours and all signals blocked, and gets its own registers and mask
 * back. A system call that it was in is restarted by the kernel, as after a stop by job control; so
 * are those that would have told their caller that they were interrupted.
 *
 * Threads whose sleep is not disturbed by it are borrowed first, then threads that run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct err;

struct borrowed {
    int pid, tid;
    uint64_t syscall_at;               /* where the process has a `syscall` instruction */
    struct user_regs_struct registers; /* its own */
    uint64_t mask;
    bool calling; /* a call has been made: it stands behind it */
};

/* Any thread of the process. */
bool borrow_begin(struct borrowed *ret_borrowed, int pid, struct err *err);
/* This one, in two steps, so that many can be asked before the first is waited for. False: it is
 * gone, or cannot be had just now; it is not held then. */
bool borrow_ask(struct borrowed *ret_borrowed, int pid, int tid);
bool borrow_take(struct borrowed *borrowed);
/* Takes over a thread that this process traces already, seized and stopped at its execve. */
bool borrow_traced(struct borrowed *ret_borrowed, int pid, struct err *err);

/* *ret_result is the kernel's: -errno on failure. False: the thread is gone, or cannot call. */
bool borrow_call(struct borrowed *borrowed, long number, const uint64_t arguments[6],
                 int64_t *ret_result, struct err *err);
/* As borrow_call, where failing is a failure: `what` was tried. */
bool borrow_need(struct borrowed *borrowed, const char *what, long number,
                 const uint64_t arguments[6], uint64_t *ret_result, struct err *err);
/* Starts another thread of the process, which runs `at` with that stack pointer and argument and
 * all signals blocked. It is not traced; it must end by itself. */
bool borrow_spawn(struct borrowed *borrowed, uint64_t at, uint64_t stack, uint64_t argument,
                  int *ret_tid, struct err *err);

void borrow_end(struct borrowed *borrowed);
