#include "collect/channel/share.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static off_t channel_at(uint32_t index)
{
    return (off_t)DIRECTORY_BYTES + (off_t)index * CHANNEL_BYTES;
}

/* The memfd is a file to the kernel, large and almost empty: `ulimit -f` would forbid it, with a
 * signal. The program's own limit is put back before it starts. */
static bool share_size(int fd, struct err *err)
{
    off_t bytes = (off_t)CHANNEL_FILE_BYTES;
    struct rlimit before, wide;
    if (getrlimit(RLIMIT_FSIZE, &before))
        return err_errno(err, "cannot read the file size limit");
    wide = (struct rlimit){before.rlim_max, before.rlim_max};
    if (wide.rlim_max < (rlim_t)bytes)
        return err_set(err, ERR_SYSTEM, "the hard limit on file sizes (ulimit -H -f) is too low");
    setrlimit(RLIMIT_FSIZE, &wide);
    int failed = ftruncate(fd, bytes);
    int why = errno;
    setrlimit(RLIMIT_FSIZE, &before);
    errno = why;
    return !failed || err_errno(err, "cannot size the shared memory");
}

_Static_assert(DIRECTORY_TOOL_DIED == FUTEX_OWNER_DIED, "the kernel writes it");

/* The kernel marks this word when our thread dies, however it dies. It is the list's pending
 * operation, and the list stays empty: its links would lie in memory that others can write to. */
static void life_tell(uint32_t *word)
{
    static struct robust_list_head head;
    if (word)
        __atomic_store_n(word, (uint32_t)gettid(), __ATOMIC_RELEASE);
    head.list.next = &head.list;
    head.list_op_pending = (struct robust_list *)(void *)word; /* futex_offset is 0 */
    syscall(SYS_set_robust_list, &head, sizeof head);
}

static bool share_fill(struct share *share, const struct record_options *options, struct err *err)
{
    if (!share_size(share->fd, err))
        return false;
    if (fcntl(share->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return err_errno(err, "cannot seal the shared memory");
    void *page = mmap(NULL, DIRECTORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, share->fd, 0);
    if (page == MAP_FAILED)
        return err_errno(err, "cannot map the shared memory");
    share->directory = page;
    *share->directory = (struct directory){.magic = DIRECTORY_MAGIC,
                                           .version = CHANNEL_VERSION,
                                           .n_channels = CHANNEL_N,
                                           .options = *options};
    life_tell(&share->directory->tool);
    return true;
}

bool share_create(struct share *ret_share, const struct record_options *options, struct err *err)
{
    struct share share = {.fd = memfd_create(CHANNEL_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (share.fd < 0)
        return err_errno(err, "cannot create the shared memory");
    if (!share_fill(&share, options, err)) {
        share_release(&share);
        return false;
    }
    *ret_share = share;
    return true;
}

void share_release(struct share *share)
{
    if (share->directory) {
        life_tell(NULL);
        __atomic_store_n(&share->directory->tool, 0, __ATOMIC_RELEASE);
        munmap(share->directory, DIRECTORY_BYTES);
    }
    if (share->fd >= 0)
        close(share->fd);
    *share = (struct share){.fd = -1};
}

struct channel *share_map(const struct share *share, uint32_t index)
{
    void *at = mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    share->fd, channel_at(index));
    return at == MAP_FAILED ? NULL : at;
}

void share_unmap(struct channel *channel)
{
    munmap(channel, CHANNEL_BYTES);
}

void *share_map_bank(const struct share *share, uint32_t channel, uint32_t slot)
{
    void *at = mmap(NULL, CHANNEL_BANK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    share->fd, (off_t)channel_bank_at(channel, slot));
    return at == MAP_FAILED ? NULL : at;
}

void share_unmap_bank(const void *bank)
{
    munmap((void *)(uintptr_t)bank, CHANNEL_BANK_BYTES);
}

void *share_map_library(const struct share *share)
{
    void *at = mmap(NULL, PLAN_LIBRARY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    share->fd, (off_t)PLAN_LIBRARY_AT);
    return at == MAP_FAILED ? NULL : at;
}

void share_unmap_library(void *library)
{
    munmap(library, PLAN_LIBRARY_BYTES);
}

uint64_t share_own_bank_at(uint32_t channel)
{
    return (uint64_t)channel_at(channel) + CHANNEL_COUNTERS_AT;
}

bool share_next(const struct share *share, struct share_stretch *stretch, uint64_t limit)
{
    off_t start = lseek(share->fd, (off_t)stretch->end, SEEK_DATA);
    if (start < 0 || (uint64_t)start >= limit)
        return false;
    off_t end = lseek(share->fd, start, SEEK_HOLE);
    *stretch = (struct share_stretch){.start = (uint64_t)start, .end = limit};
    if (end > start && (uint64_t)end < limit)
        stretch->end = (uint64_t)end;
    return true;
}

static bool empty(const struct share *share, uint64_t at, uint64_t bytes)
{
    return fallocate(share->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
                     (off_t)bytes) == 0;
}

void share_free(struct share *share, uint32_t index)
{
    uint64_t banks = channel_bank_at(index + 1, 0) - channel_bank_at(index, 0);
    if (empty(share, (uint64_t)channel_at(index), CHANNEL_BYTES) &&
        empty(share, channel_bank_at(index, 0), banks))
        __atomic_store_n(&share->directory->claimed_by[index], 0, __ATOMIC_RELEASE);
}
