/* The agent's memory: the channel that it shares with the tool, and its own.
 *
 * Everything is mapped here, before the first thread is recorded, and can be unmapped. A fork
 * inherits its parent's mappings; it must not write to the parent's code cache and channel, so it
 * gets new ones at its first sample. A process that waits for its first sample, too, has the
 * directory and room for threads until then. */
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

/* Maps the channel at `path` and everything else; if `waits` says so when the directory is there,
 * the channel at the first sample. False: this process is not recorded. */
bool connect_path(const char *path, const struct agent_place *place, bool (*waits)(void));
/* Whether the recording began with this process, whatever it executes now. */
bool connect_first(void);
/* A process is one of those that the recording has met; `fresh`: it cannot have been before. */
void connect_count(int32_t pid, bool fresh);
/* The same with the channel's descriptor, which the caller keeps. After a failure connect_undo
 * unmaps what is left. */
bool connect_by(long fd, const struct agent_place *place);
/* Gives an orphan a channel and a cache of its own. */
bool connect_orphan(void);
/* Unmaps everything: a program with limited memory needs it for itself. */
void connect_undo(void);
/* True if the tool still reads. */
bool connect_tool_lives(void);
/* A descriptor of the shared memory, for descriptor_shut, or -errno. */
long connect_share(void);
