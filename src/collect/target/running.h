/* The processes that run now and can be recorded (attachable.h): those that took CPU time while one
 * looked for a moment. The first process of the system, this one, and those that it descends from
 * are left out. */
#pragma once

#include <stddef.h>

struct running {
    size_t n;        /* found, by CPU time: the busiest first; no more than there is room for */
    size_t refused;  /* that ran as well: attaching is not possible or not permitted, */
    size_t too_many; /* or there was no room */
};

/* Takes half a second. */
struct running running_find(int *ret_pids, size_t room);
