/* Reads any bytes as a profile. Whatever is accepted must survive being written and read again, and
 * then give the same bytes. */
#include "base/err.h"
#include "profile/encode.h"
#include "profile/file.h"
#include "wire/crc.h"

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

/* Makes start, lengths and checksums right, so that mutations get past them to the decoders. */
static void mend(uint8_t *data, size_t size)
{
    struct bytes start = {0};
    chunk_put_start(&start);
    if (size >= start.n)
        memcpy(data, start.at, start.n);
    size_t at = start.n;
    vec_release(&start);
    while (at + CHUNK_HEADER_BYTES <= size) {
        size_t n = (size_t)data[at] | (size_t)data[at + 1] << 8;
        size_t left = size - at - CHUNK_HEADER_BYTES;
        n = n < left ? n : left;
        uint8_t *header = data + at;
        for (int i = 0; i < 4; i++)
            header[i] = (uint8_t)(n >> 8 * i);
        uint32_t crc = crc32c(crc32c(0, header, 8), header + CHUNK_HEADER_BYTES, n);
        for (int i = 0; i < 4; i++)
            header[8 + i] = (uint8_t)(crc >> 8 * i);
        at += CHUNK_HEADER_BYTES + n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_write_read(data, size);
    uint8_t *mended = mem_alloc(size);
    if (size)
        memcpy(mended, data, size);
    mend(mended, size);
    read_write_read(mended, size);
    mem_free(mended);
    return 0;
}
