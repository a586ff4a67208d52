/* The agent injected into a process that did not load it, commanded, and removed again.
 *
 * Nothing of the process's file systems, environment or namespaces is used. A borrowed thread asks
 * the kernel for memory, the image comes from this executable, and the channel's descriptor comes
 * through a socket that the process makes itself. A short-lived thread of the agent carries out
 * each command. The program's threads run on, except for the one that starts it, which is held for
 * under a millisecond. */
#pragma once

#include "base/vec.h"
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
    struct attach block; /* as last read */
    struct roster roster;
    struct injected_tids {
        VEC(int);
    } spawned; /* threads of the agent, one for each command so far */
};

/* Injects it and starts recording all threads. False: the process is unchanged. */
bool inject_begin(struct injected *ret_injected, int pid, int channel_fd, struct err *err);
/* The same by a thread that is borrowed already, which is given back. Recording begins with
 * inject_refresh: until then the program may set signal actions, as runtimes do when they start.
 * `exact`: the thread stands before its first instruction and begins an exact run; the agent needs
 * no more commands. */
bool inject_begin_by(struct injected *ret_injected, struct borrowed *borrowed, int channel_fd,
                     bool exact, struct err *err);
/* Records new threads. True: nothing had to be done. */
bool inject_refresh(struct injected *injected, struct err *err);
/* Whether the process still has the agent: not if it ended or called exec. */
bool inject_present(const struct injected *injected);
/* Ends recording and removes the agent: mappings, descriptors and signal actions are as before.
 * False: err says what remained, and why; or the process has ended. */
bool inject_end(struct injected *injected, struct err *err);
/* Releases the tool's data; the process is not touched. */
void inject_release(struct injected *injected);
