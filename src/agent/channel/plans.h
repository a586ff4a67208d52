/* Plans of the tool (wire/plan.h), for exact runs. */
#pragma once

#include <stdbool.h>

/* True if the tool has plans, or records calling contexts. */
bool plans_wanted(void);
/* Maps the library in `fd`, the shared memory. False: no room. */
bool plans_open(long fd);
void plans_close(void);
/* The process begins, or was forked: gets the plans of all its mappings. */
void plans_begin(void);
/* Gets the plans of all published mappings; waits for them as long as the tool lives. Under the
 * cache's lock, or before anything is translated. */
void plans_await(void);
