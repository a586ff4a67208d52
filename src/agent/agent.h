/* The life of the agent in a process: when recording of the process and of its threads begins and
 * ends. */
#pragma once

#include <stdbool.h>

struct thread;

/* Whether this process is to wait for its first sample before it gets a channel. */
bool agent_waits(void);
/* Begins (threads/begin.h); then samples the calling thread, or takes it over for an exact run. */
void agent_start(void);
/* Samples a thread that was adopted. */
void agent_thread_start(struct thread *thread);
/* The calling thread begins or ends. `trap_blocked`: the thread that created it had SIGTRAP
 * blocked. */
void agent_thread_begins(bool trap_blocked);
void agent_thread_ends(void);
/* This process is a fork of the recorded one. `trap_blocked`: as above. */
void agent_forked(bool trap_blocked);
