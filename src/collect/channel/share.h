/* The tool's end of the shared memory: one memfd that holds the directory, all channels and their
 * banks.
 *
 * The other side is another process, which may be broken or hostile: its bytes may change while
 * they are read. So everything is copied before it is checked, and the memfd is sealed against
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

/* Maps channel `index` whole, or returns NULL. Sparse: only touched pages cost memory. */
struct channel *share_map(const struct share *share, uint32_t index);
void share_unmap(struct channel *channel);
/* Maps the bank of a thread slot, or returns NULL; sparse as well. */
void *share_map_bank(const struct share *share, uint32_t channel, uint32_t slot);
void share_unmap_bank(const void *bank);

/* Maps the library of plans, PLAN_LIBRARY_BYTES, or returns NULL. */
void *share_map_library(const struct share *share);
void share_unmap_library(void *library);

/* Bytes of the memfd that have been touched. */
struct share_stretch {
    uint64_t start, end;
};
/* The next behind stretch->end and before `limit`; false: there is none. */
bool share_next(const struct share *share, struct share_stretch *stretch, uint64_t limit);

/* Where the channel's own bank is. */
uint64_t share_own_bank_at(uint32_t channel);

/* Empties a channel and its banks, whose process is gone, and lets another one claim it. */
void share_free(struct share *share, uint32_t index);

/* Acquires what the other side released. */
static inline uint64_t share_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
