/* When sampling ends before the process does. */
#pragma once

#include "wire/losses.h"

/* No more samples: from now on system calls may be filtered, for example. */
void agent_retire(enum loss why);
/* A thread gives up the time stamp counter, which samples need. Threads that it creates have none
 * either. */
void agent_clock_forbidden(void);
/* Once a second: ends sampling if the tool is gone or a debugger is there; reports how much memory
 * the agent uses. */
void agent_heed_tool(void);
