/* The agent put into a process that did not load it, spoken to, and taken out again.
 *
 * Nothing of the process's file systems, environment or namespaces is used: its memory is asked of
 * the kernel by a borrowed thread, the image comes from this executable, the channel's descriptor
 * through a socket that the process makes itself. Each command is carried out by a short-lived
 * thread of the agent's own; the program's threads run on, but for the one that starts it, which is
 * held for under a millisecond. */
#pragma once

#include "collect/target/roster.h"
#include "wire/attach.h"

#include <stdbool.h>
#include <stdint.h>

struct borrowed;
struct err;

struct injected {
    int pid;
    uint64_t base, bytes; /* of the image, the block and the stack of the agent's threads */
    uint64_t text_start, text_end;
    uint64_t entry, block_at, stack_at;
    uint64_t syscall_at; /* as in struct borrowed */
    struct attach block; /* as it was last read */
    struct roster roster;
};

/* Puts it in and starts recording all threads. False: the process is as it was. */
bool inject_begin(struct injected *ret_injected, int pid, int channel_fd, struct err *err);
/* The same by a thread that is borrowed already, which is given back; recording begins with
 * inject_refresh: until then the program may set what signals do, as runtimes do when they start.
 * `exact`: the thread, which stands before its first instruction, begins an exact run; there is
 * nothing more to ask of the agent. */
bool inject_begin_by(struct injected *ret_injected, struct borrowed *borrowed, int channel_fd,
                     bool exact, struct err *err);
/* Records threads that are new. True if nothing had to be done. */
bool inject_refresh(struct injected *injected, struct err *err);
/* Whether the process still has it: not if it ended or became another program. */
bool inject_present(const struct injected *injected);
/* Ends recording and takes the agent out: mappings, descriptors and signal actions are as they
 * were. False: err says what was left, and why; or the process is gone. */
bool inject_end(struct injected *injected, struct err *err);
/* What is known of it here; the process is not touched. */
void inject_release(struct injected *injected);
