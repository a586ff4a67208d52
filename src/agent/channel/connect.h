/* The memory of the agent: the channel that it shares with the tool, and what it has for itself.
 *
 * All of it is mapped here, before the first thread is recorded, and all of it can be given back. A
 * fork has its parent's mappings, of which code cache and channel must not be written to by both:
 * it gets others in their place. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct r_debug;

/* What only who brought us here can know. */
struct agent_place {
    int32_t pid; /* as the tool knows this process; 0: as it does itself */
    const struct r_debug *loader;
    uint64_t text_start, text_end; /* of libgait.so */
    uint64_t hwcap2;               /* AT_HWCAP2 */
    bool untold;                   /* nobody tells when the program's code changes */
};

/* Maps the channel behind `path` and everything else; false: this process stays alone. */
bool connect_path(const char *path, const struct agent_place *place);
/* The same with the channel's descriptor, which stays the caller's; what is mapped when it fails is
 * left for connect_undo. */
bool connect_by(long fd, const struct agent_place *place);
/* A fork gets a channel, and a cache, of its own. */
bool connect_fork(void);
/* Everything of ours, as far as it is mapped: a program whose memory is limited needs it for
 * itself. */
void connect_undo(void);
/* Whether the tool still reads. */
bool connect_tool_lives(void);
/* A descriptor of the shared memory, for descriptor_shut, or -errno. */
long connect_share(void);
