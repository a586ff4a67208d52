/* Touches each line of as much memory as a first cache holds, over and over, each by a load
 * instruction of its own: without interrupts all of them hit. */
#include <stdint.h>
#include <stdlib.h>

enum { BYTES = 32 << 10 };

int main(int argc, char **argv)
{
    static _Alignas(4096) uint8_t blocks[BYTES];
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    for (uint64_t i = 0; i < rounds; i++)
        __asm__ volatile("offset = 0\n\t"
                         ".rept 512\n\t"
                         "mov offset(%0), %%rax\n\t"
                         "offset = offset + 64\n\t"
                         ".endr"
                         :
                         : "r"(blocks)
                         : "rax", "memory");
    return 0;
}
