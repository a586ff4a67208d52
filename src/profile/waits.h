/* Waits of a profile: the system calls of those without kernel frames, and waits as if they were
 * samples, for formats and views of stacks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct profile;

/* A wait without kernel frames has, innermost, an address of this module: the number of the system
 * call in which the thread waited, from WAIT_FILE_SHIFT on what its descriptor led to, and from
 * WAIT_HOLDER_SHIFT on the thread that held the lock (0: no lock, or not known). Of a wait with
 * kernel frames it may be below them, for the sake of the holder. */
#define WAIT_MODULE "[syscall]"
enum wait_file {
    WAIT_FILE_NONE,
    WAIT_PIPE,
    WAIT_SOCKET,
    WAIT_TERMINAL,
    WAIT_EVENT,
    WAIT_TIMER,
    WAIT_FILE,
    WAIT_FILES
};
enum { WAIT_FILE_SHIFT = 16, WAIT_HOLDER_SHIFT = 32, WAIT_NO_CALL = 0xffff };

/* Whether the call of that number reads or writes a descriptor, its first argument. */
bool wait_call_has_file(uint64_t number);
/* "futex"; "" if it is not one in which threads wait. */
const char *wait_call_name(uint64_t number);

/* The profile becomes a plain one whose stacks weigh the time that threads were off a CPU. False:
 * it has no waits, and is as it was. */
bool profile_weigh_waits(struct profile *profile);
