/* Being told to stop, by Ctrl-C or kill, with something to put right first. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct err;

/* From now on SIGINT, SIGTERM and SIGHUP are noted, unless they are ignored. */
void interrupts_catch(void);
/* 0: none came. */
int interrupt_signal(void);
/* False, with an error: one came. */
bool interrupt_none(struct err *err);

/* fork(), after which what comes is passed on to the child. With `group` it has a process group of
 * its own and all of that is told: a shell that ends does not end what it started. */
pid_t interrupt_fork(bool group);
/* The child has ended. */
void interrupt_forget(void);

/* Ends this process as the signal would have. */
_Noreturn void interrupt_die(int signal);
