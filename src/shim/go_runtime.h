/* Whether a Go runtime is in the process. It asks the kernel for the alternate stack of its threads
 * by raw system calls, finds the one that the agent lent, and takes it for its own: its handlers
 * must then run there (agent/signals/handover.h). */
#pragma once

/* Looks through modules that were loaded since the last look, and sets agent.go. */
void go_runtime_find(void);
