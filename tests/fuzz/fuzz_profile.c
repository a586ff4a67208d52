/* Reads any bytes as a profile. Whatever is accepted must survive being written and read again, and
 * then give the same bytes. */
#include "base/err.h"
#include "profile/file/encode.h"
#include "profile/file/file.h"

#include "mend.h"

#include <string.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void encode(struct bytes *ret_bytes, const struct profile *profile, bool compress)
{
    struct encoder encoder = {.zstd = compress ? ZSTD_createCCtx() : NULL};
    encode_whole(&encoder, profile, NULL);
    *ret_bytes = encoder.out;
    encoder.out = (struct bytes){0};
    ZSTD_freeCCtx(encoder.zstd);
    encoder_release(&encoder);
}

static void read_write_read(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct profile profile, again;
    struct bytes first, second;
    if (!profile_read_bytes("input", data, size, &profile, &err)) {
        ASSERT(err.kind == ERR_FORMAT && strncmp(err.text, "input: ", 7) == 0);
        return;
    }
    encode(&first, &profile, size & 1);
    ASSERT(profile_read_bytes("first", first.at, first.n, &again, &err));
    ASSERT(!again.warning);
    encode(&second, &again, size & 1);
    ASSERT(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
    vec_release(&first);
    vec_release(&second);
    profile_release(&profile);
    profile_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_write_read(data, size);
    uint8_t *mended = mem_alloc(size);
    if (size)
        memcpy(mended, data, size);
    profile_mend(mended, size);
    read_write_read(mended, size);
    mem_free(mended);
    return 0;
}
