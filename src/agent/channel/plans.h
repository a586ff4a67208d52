/* Plans of the tool (wire/plan.h), for exact runs. */
#pragma once

#include <stdbool.h>

/* The tool has plans, or wants to know of calling contexts. */
bool plans_wanted(void);
/* Maps the library of `fd`, the shared memory. False: there is no room. */
bool plans_open(long fd);
void plans_close(void);
/* The process begins, or has been forked: no mapping has a plan yet. Takes those of all that it
 * has. */
void plans_begin(void);
/* Takes the plans of all mappings that the tool has been told of; waits for them as long as the
 * tool lives. Under the cache's lock, or before anything is translated. */
void plans_await(void);
