/* The way out of an exact run: the thread goes on natively, for good. */
#pragma once

struct thread;

/* It leaves the run, with its state in its context or in a signal frame. */
void exact_retire(struct thread *thread);
/* Then: loads the registers of the context that %gs points to and jumps to the program. */
__attribute__((noreturn)) void exact_go_native(void);
