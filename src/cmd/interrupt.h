/* Signals that stop a command which must clean up first: Ctrl-C, kill. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct err;

/* Catches SIGINT, SIGTERM and SIGHUP, unless they are ignored. */
void interrupts_catch(void);
/* The signal that arrived; 0: none. */
int interrupt_signal(void);
/* False, with an error, if a signal arrived. */
bool interrupt_none(struct err *err);

/* fork(); signals are then passed on to the child. With `group` the child leads a process group and
 * all of it gets them: a shell that ends does not end what it started. */
pid_t interrupt_fork(bool group);
/* The child has ended: signals are no longer passed on. */
void interrupt_forget(void);

/* Ends this process as the signal would have. */
_Noreturn void interrupt_die(int signal);
