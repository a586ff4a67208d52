/* A process begins to be recorded: its channel is filled with what the tool must know first. */
#pragma once

#include <stdbool.h>

/* Starts the clock and opens the channel to the tool. False: the process cannot be walked. */
bool agent_begin(void);
/* Of a process that was started or forked: whether it is one of many of its program. */
void agent_begin_young(void);
/* A fork that lived to its first sample gets a channel and a cache of its own. False: there are
 * none left. */
bool agent_reborn(void);
