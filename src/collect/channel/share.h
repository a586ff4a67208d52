/* The tool's end of the shared memory: one memfd with the directory, all channels and their banks.
 *
 * The other side is another process, which may be broken or hostile, and its bytes may change while
 * they are read. So everything is copied before it is checked. The memfd is sealed against
 * shrinking, which would turn reads into SIGBUS. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>

struct err;

struct share {
    int fd; /* close-on-exec: the agent opens it through /proc */
    struct directory *directory;
};

bool share_create(struct share *ret_share, const struct record_options *options, struct err *err);
void share_release(struct share *share);

/* Maps a whole channel, or returns NULL. Sparse: only touched pages use memory. */
struct channel *share_map(const struct share *share, uint32_t index);
void share_unmap(struct channel *channel);
/* Maps the bank of a thread slot, or returns NULL; sparse, too. */
void *share_map_bank(const struct share *share, uint32_t channel, uint32_t slot);
void share_unmap_bank(const void *bank);

/* Maps the library of plans, PLAN_LIBRARY_BYTES, or returns NULL. */
void *share_map_library(const struct share *share);
void share_unmap_library(void *library);

/* Bytes of the memfd that have been touched. */
struct share_stretch {
    uint64_t start, end;
};
/* The next stretch after stretch->end and before `limit`; false: none. */
bool share_next(const struct share *share, struct share_stretch *stretch, uint64_t limit);

/* Offset of the channel's own bank. */
uint64_t share_own_bank_at(uint32_t channel);

/* Clears the channel of an ended process, with its banks, so that another can claim it. */
void share_free(struct share *share, uint32_t index);

static inline uint64_t share_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
