#include "export/viewers/gzip.h"

#include "base/err.h"

#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, PIECE = 1 << 30 };

/* zlib counts in 32 bits: pieces. */
void gzip_write(FILE *to, const struct bytes *bytes)
{
    z_stream stream = {0};
    uint8_t out[8192];
    ASSERT(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                        Z_DEFAULT_STRATEGY) == Z_OK);
    size_t left = bytes->n;
    stream.next_in = bytes->at;
    int status;
    do {
        if (!stream.avail_in) {
            stream.avail_in = left < PIECE ? (unsigned)left : PIECE;
            left -= stream.avail_in;
        }
        stream.next_out = out;
        stream.avail_out = sizeof out;
        status = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
        ASSERT(status == Z_OK || status == Z_STREAM_END);
        fwrite(out, 1, sizeof out - stream.avail_out, to);
    } while (status != Z_STREAM_END);
    deflateEnd(&stream);
}
