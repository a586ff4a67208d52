/* The agent's memory: the channel that it shares with the tool, and its own.
 *
 * Everything is mapped here, before the first thread is recorded, and can be unmapped. A fork
 * inherits its parent's mappings; it must not write to the parent's code cache and channel, so it
 * gets new ones. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct r_debug;

/* What only the caller can know: the shim, or the tool that injected the agent. */
struct agent_place {
    int32_t pid; /* the pid in the tool's namespace; 0: the same */
    const struct r_debug *loader;
    uint64_t text_start, text_end; /* of libgait.so */
    uint64_t hwcap2;               /* AT_HWCAP2 */
    bool untold;                   /* no interposer reports changes of code */
};

/* Maps the channel at `path` and everything else. False: this process is not recorded. */
bool connect_path(const char *path, const struct agent_place *place);
/* The same with the channel's descriptor, which the caller keeps. After a failure connect_undo
 * unmaps what is left. */
bool connect_by(long fd, const struct agent_place *place);
/* Gives a fork a channel and a cache of its own. */
bool connect_fork(void);
/* Unmaps everything: a program with limited memory needs it for itself. */
void connect_undo(void);
/* True if the tool still reads. */
bool connect_tool_lives(void);
/* A descriptor of the shared memory, for descriptor_shut, or -errno. */
long connect_share(void);
