/* Loads and stores of EVEX with short displacements, which count in what the instruction accesses;
 * names tell where each goes: wide_minus_N or wide_plus_N, of wide_data. And copies of libc, from
 * one known place to another. Status 77: this machine has no AVX-512. With an argument, so many
 * rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIED = 200 };

uint8_t wide_data[1024], copy_from[COPIED], copy_to[COPIED];
void wide_loop(uint64_t n, uint8_t *base);
/* That of libc, not what a compiler makes of it. */
static void *(*volatile copies)(void *, const void *, size_t) = memcpy;

#define NAMED(name, code) ".globl wide_" name "\nwide_" name ": " code "\n"
__asm__(
    ".text\nwide_loop: mov %rsi,%r11\n mov $8,%r10d\n mov $1,%eax\n kmovq %rax,%k1\n"
    "1: " NAMED("plus_64", "vmovdqu64 64(%rsi),%zmm16") NAMED(
        "plus_128", "vmovdqu64 %zmm16,128(%r11)") NAMED("minus_192", "vmovdqu8 -192(%rsi),%zmm17")
        NAMED("minus_32", "vmovdqu64 %ymm17,-32(%rsi)") NAMED("plus_48",
                                                              "vmovdqu32 48(%rsi),%xmm18")
            NAMED("plus_24", "vpaddq 24(%rsi){1to8},%zmm16,%zmm16")
                NAMED("minus_12", "vpaddd -12(%r11){1to16},%zmm16,%zmm16")
                    NAMED("plus_96", "vmovdqu64 32(%r11,%r10,8),%ymm19") NAMED(
                        "plus_16", "vpmovzxbd 16(%rsi),%zmm20") NAMED("minus_24",
                                                                      "vpmovqb %zmm16,-24(%rsi)")
                        NAMED("plus_40", "vmovsd 40(%rsi),%xmm21") NAMED("minus_20",
                                                                         "vmovss %xmm21,-20(%rsi)")
                            NAMED("minus_96", "vextracti64x4 $1,%zmm16,-96(%rsi)")
                                NAMED("plus_192",
                                      "vmovdqu64 192(%rsi),%zmm22{%k1}{z}") "dec %rdi\n jnz 1b\n "
                                                                            "vzeroupper\n ret\n");

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000, sum = 0;
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw")) {
        fputs("this machine has no AVX-512\n", stderr);
        return 77;
    }
    for (uint64_t i = 0; i < n; i++) {
        wide_loop(16, wide_data + 512);
        copies(copy_to, copy_from, COPIED - i % 8);
        copy_from[i % COPIED] += copy_to[0] + 1;
        sum = sum * 3 + copy_to[i % COPIED];
    }
    printf("%lx\n", sum);
    return 0;
}
