#include "base/utf8.h"

#include <stdbool.h>

size_t utf8_bytes(const unsigned char *at)
{
    size_t n = at[0] < 0x80 ? 1 : at[0] >= 0xC2 && at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if ((at[0] >= 0x80 && at[0] < 0xC2) || at[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xED && at[1] >= 0xA0;
    bool beyond = at[0] == 0xF4 && at[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}
