#include "base/crc.h"

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n)
{
    static const uint32_t halves[16] = {
        /* the remainder of each half of a byte */
        0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u, 0x417B1DBCu, 0x5125DAD3u,
        0x61C69362u, 0x7198540Du, 0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u,
        0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u,
    };
    const uint8_t *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= byte[i];
        crc = halves[crc & 15] ^ crc >> 4;
        crc = halves[crc & 15] ^ crc >> 4;
    }
    return ~crc;
}

static uint32_t by_instruction(uint32_t crc, const uint8_t *byte, size_t n)
{
    uint64_t wide = ~crc;
    for (; n >= 8; n -= 8, byte += 8) {
        uint64_t word;
        __builtin_memcpy(&word, byte, 8);
        __asm__("crc32q %1, %0" : "+r"(wide) : "rm"(word));
    }
    uint32_t narrow = (uint32_t)wide;
    for (; n; n--, byte++)
        __asm__("crc32b %1, %0" : "+r"(narrow) : "rm"(*byte));
    return ~narrow;
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, bytes, n)
                                            : crc32c_by_table(crc, bytes, n);
}
