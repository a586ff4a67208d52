/* A process begins to be recorded: its channel is filled with what the tool must know first. */
#pragma once

#include <stdbool.h>

/* Starts the clock and opens the channel to the tool, if it has one. False: the process cannot be
 * walked. */
bool agent_begin(void);
/* Of a process that was started or forked: sets how long it is young. Processes that another one
 * starts are often over soon, and there may be hundreds: to copy their code costs more than 1 % of
 * their time. Where one program runs again and again, its first process has shown the same. */
void agent_begin_young(void);
/* An orphan that lived to its first sample gets a channel and a cache of its own. False: there are
 * none left. */
bool agent_reborn(void);
