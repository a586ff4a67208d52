/* One thread of another process, borrowed: stopped, made to do system calls for the tool, and given
 * back unchanged.
 *
 * Nothing is written to the process. The thread executes a `syscall` instruction that is already
 * there, with the tool's registers and all signals blocked; then it gets its own registers and mask
 * back. The kernel restarts a system call that it was in, as after a stop by job control; so it
 * does for those that would have returned EINTR.
 *
 * Threads whose sleep is not disturbed are borrowed first, then running threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct err;

struct borrowed {
    int pid, tid;
    uint64_t syscall_at;               /* address of a `syscall` instruction */
    struct user_regs_struct registers; /* its own, to be restored */
    uint64_t mask;
    bool calling; /* a call has been made: it stands after the instruction */
};

/* Borrows any thread of the process. */
bool borrow_begin(struct borrowed *ret_borrowed, int pid, struct err *err);
/* Borrows this thread in two steps, so that many can be asked before the first is waited for.
 * False: it has ended, or cannot be stopped now; it is not held. */
bool borrow_ask(struct borrowed *ret_borrowed, int pid, int tid);
bool borrow_take(struct borrowed *borrowed);
/* Takes over a thread that this process traces already, seized and stopped at its execve. */
bool borrow_traced(struct borrowed *ret_borrowed, int pid, struct err *err);

/* *ret_result is the kernel's: -errno on failure. False: the thread has ended, or cannot call. */
bool borrow_call(struct borrowed *borrowed, long number, const uint64_t arguments[6],
                 int64_t *ret_result, struct err *err);
/* As borrow_call, but an errno is an error, too: `what` failed. */
bool borrow_need(struct borrowed *borrowed, const char *what, long number,
                 const uint64_t arguments[6], uint64_t *ret_result, struct err *err);
/* Starts another thread of the process at `at`, with that stack pointer and argument, and all
 * signals blocked. It is not traced, and must end by itself. */
bool borrow_spawn(struct borrowed *borrowed, uint64_t at, uint64_t stack, uint64_t argument,
                  int *ret_tid, struct err *err);

void borrow_end(struct borrowed *borrowed);
