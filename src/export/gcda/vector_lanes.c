#include "export/gcda/vector_lanes.h"

#include <stdbool.h>

/* Bytes of an element, by opcode of the 0F map with prefix 66; 0: no packed integer arithmetic. */
static const uint8_t integer_bytes[256] = {
    [0x64] = 1, [0x65] = 2, [0x66] = 4, [0x74] = 1, [0x75] = 2, [0x76] = 4, [0xD4] = 8, [0xD5] = 2,
    [0xD8] = 1, [0xD9] = 2, [0xDA] = 1, [0xDC] = 1, [0xDD] = 2, [0xDE] = 1, [0xE0] = 1, [0xE3] = 2,
    [0xE4] = 2, [0xE5] = 2, [0xE8] = 1, [0xE9] = 2, [0xEA] = 2, [0xEC] = 1, [0xED] = 2, [0xEE] = 2,
    [0xF8] = 1, [0xF9] = 2, [0xFA] = 4, [0xFB] = 8, [0xFC] = 1, [0xFD] = 2, [0xFE] = 4,
};

/* add, mul, sub, min, div, max and sqrt, of ps without a prefix and of pd with 66. */
static bool is_float(uint8_t opcode)
{
    return opcode == 0x51 || (opcode >= 0x58 && opcode <= 0x5F && opcode != 0x5A && opcode != 0x5B);
}

unsigned vector_lanes(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    unsigned prefix = 0, width = 16;
    while (at < n && (bytes[at] == 0x66 || bytes[at] == 0xF2 || bytes[at] == 0xF3))
        prefix = bytes[at++];
    if (at + 2 < n && bytes[at] == 0xC5) {
        static const uint8_t prefixes[] = {0, 0x66, 0xF3, 0xF2};
        prefix = prefixes[bytes[at + 1] & 3];
        width = bytes[at + 1] & 4 ? 32 : 16;
        at += 2;
    } else {
        if (at < n && (bytes[at] & 0xF0) == 0x40)
            at++;
        if (at >= n || bytes[at++] != 0x0F)
            return 1;
    }
    if (at >= n)
        return 1;
    unsigned element = prefix == 0x66 ? integer_bytes[bytes[at]] : 0;
    if (!element && is_float(bytes[at]) && (prefix == 0 || prefix == 0x66))
        element = prefix ? 8 : 4;
    return element ? width / element : 1;
}
