#include "collect/share.h"

#include "base/err.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static off_t channel_at(uint32_t index)
{
    return (off_t)DIRECTORY_BYTES + (off_t)index * CHANNEL_BYTES;
}

static bool share_fill(struct share *share, const struct record_options *options, struct err *err)
{
    if (ftruncate(share->fd, channel_at(CHANNEL_N)))
        return err_errno(err, "cannot size the shared memory");
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
    return true;
}

bool share_create(struct share *ret_share, const struct record_options *options, struct err *err)
{
    struct share share = {.fd = memfd_create("gait", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
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
    if (share->directory)
        munmap(share->directory, DIRECTORY_BYTES);
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
