#include "store/body.h"

#include "base/err.h"
#include "profile/file/file.h"

#include <zstd.h>

enum { LEVEL = 3, GROWTH_MAX = 256, FREE_BYTES = 1 << 20, PLAIN_MAX = 1 << 30 };

void body_write(struct bytes *to, const struct profile *profile)
{
    struct bytes plain = {0};
    profile_write_bytes(&plain, profile, false);
    size_t room = ZSTD_compressBound(plain.n);
    bytes_reserve(to, to->n + room);
    size_t n = ZSTD_compress(to->at + to->n, room, plain.at, plain.n, LEVEL);
    ASSERT(!ZSTD_isError(n));
    to->n += n;
    vec_release(&plain);
}

bool body_read(const char *name, const void *bytes, size_t n, struct profile *ret_profile,
               struct err *err)
{
    unsigned long long claimed = ZSTD_getFrameContentSize(bytes, n);
    /* Also: unknown, or no frame. */
    if (claimed > PLAIN_MAX || claimed > (unsigned long long)n * GROWTH_MAX + FREE_BYTES)
        return err_set(err, ERR_FORMAT, "%s: it is damaged: no frame of zstd that fits", name);
    struct bytes plain = {0};
    bytes_reserve(&plain, (size_t)claimed + 1);
    size_t got = ZSTD_decompress(plain.at, (size_t)claimed, bytes, n);
    bool ok = got == claimed || err_set(err, ERR_FORMAT, "%s: it is damaged: %s", name,
                                        ZSTD_isError(got) ? ZSTD_getErrorName(got) : "too short");
    ok = ok && profile_read_bytes(name, plain.at, got, ret_profile, err);
    vec_release(&plain);
    return ok;
}
