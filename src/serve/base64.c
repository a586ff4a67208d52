#include "serve/base64.h"

void base64_add(struct bytes *to, const void *bytes, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = bytes;
    bytes_reserve(to, to->n + (n + 2) / 3 * 4);
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)at[i] << 16 | (i + 1 < n ? (uint32_t)at[i + 1] << 8 : 0) |
                         (i + 2 < n ? at[i + 2] : 0);
        char four[4] = {letters[three >> 18], letters[three >> 12 & 63],
                        i + 1 < n ? letters[three >> 6 & 63] : '=',
                        i + 2 < n ? letters[three & 63] : '='};
        bytes_add(to, four, sizeof four);
    }
}
