/* Work without effect, three places of each kind, one function each: `waste planted TURNS`. `waste
 * clean TURNS` is the same work without. What nobody may optimise away is volatile. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef volatile uint64_t cell;

static _Alignas(64) union {
    cell cells[4096];
    volatile uint32_t halves[8192];
    volatile uint8_t bytes[32768];
} memory;

#define FUNCTION __attribute__((noinline, noclone)) static uint64_t

enum { TURNS = 64 };
static const uint64_t ODD = 0x9e3779b97f4a7c15;

/* ---- dead stores */

FUNCTION dead_twice(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[1] = i;
        if (clean)
            sum += memory.cells[1];
        memory.cells[1] = ~i;
        sum += memory.cells[1];
    }
    return sum;
}

/* Eight bytes that two stores of four overwrite. */
FUNCTION dead_halves(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[2] = i;
        if (clean)
            sum += memory.halves[5];
        memory.halves[4] = (uint32_t)i + 77;
        memory.halves[5] = (uint32_t)sum | 1;
        sum += memory.cells[2];
    }
    return sum;
}

/* A running total that is stored at each turn; the turn after overwrites it. */
FUNCTION dead_total(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        sum = sum * 3 + i;
        if (!clean)
            memory.cells[3] = sum;
    }
    memory.cells[3] = sum;
    return memory.cells[3];
}

/* ---- silent stores */

FUNCTION silent_flag(uint64_t sum, int clean)
{
    uint64_t step = clean != 0;
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.bytes[64 + i % 8] = (uint8_t)(1 + step * i);
        sum += memory.bytes[64 + i % 8];
    }
    return sum;
}

/* What was loaded is stored again as it was. */
FUNCTION silent_back(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        uint64_t old = memory.cells[16 + i % 8];
        memory.cells[16 + i % 8] = clean ? old + 1 : old;
        sum += old;
    }
    return sum;
}

FUNCTION silent_vector(uint64_t sum, int clean)
{
    uint64_t step = clean != 0;
    for (uint64_t i = 0; i < TURNS; i++) {
        uint64_t low = 7 + step * i, got;
        __asm__ volatile("movq %2, %%xmm1\n\tpunpcklqdq %%xmm1, %%xmm1\n\tmovups %%xmm1, %1\n\t"
                         "mov %1, %0"
                         : "=&r"(got), "+m"(*(cell *)&memory.cells[32])
                         : "r"(low)
                         : "xmm1", "memory");
        sum += got;
    }
    return sum;
}

/* ---- redundant loads */

FUNCTION again_scale(uint64_t sum, int clean)
{
    if (!clean) {
        for (uint64_t i = 0; i < TURNS; i++)
            sum = sum * 3 + memory.cells[48];
        return sum;
    }
    memory.cells[48] = sum;
    uint64_t scale = memory.cells[48];
    for (uint64_t i = 0; i < TURNS; i++)
        sum = sum * 3 + scale;
    return sum;
}

FUNCTION again_pair(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[56] = i * ODD;
        sum += memory.cells[56];
        if (!clean)
            sum += memory.cells[56];
    }
    return sum;
}

/* Half of what was loaded before. */
FUNCTION again_half(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[64] = i * ODD;
        sum += memory.cells[64];
        if (!clean)
            sum += memory.halves[129];
    }
    return sum;
}

/* ---- results that nobody uses */

FUNCTION unused_product(uint64_t sum, int clean)
{
    uint64_t product;
    for (uint64_t i = 0; !clean && i < TURNS; i++)
        __asm__ volatile("imul $7, %2, %1\n\tadd %2, %0"
                         : "+r"(sum), "=&r"(product)
                         : "r"(i)
                         : "cc");
    for (uint64_t i = 0; clean && i < TURNS; i++)
        __asm__ volatile("imul $7, %2, %1\n\tadd %1, %0"
                         : "+r"(sum), "=&r"(product)
                         : "r"(i)
                         : "cc");
    return sum;
}

FUNCTION unused_load(uint64_t sum, int clean)
{
    uint64_t loaded;
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[72] = i * ODD;
        if (clean)
            sum += memory.cells[72];
        else
            __asm__ volatile("mov %1, %0" : "=r"(loaded) : "m"(*(cell *)&memory.cells[72]));
    }
    return sum;
}

#define SUM_OF_PAIR "movq %1, %%xmm2\n\tpaddq %%xmm2, %%xmm2\n\tpshufd $0x44, %%xmm2, %%xmm3\n\t"
FUNCTION unused_vector(uint64_t sum, int clean)
{
    for (uint64_t i = 0; !clean && i < TURNS; i++)
        __asm__ volatile(SUM_OF_PAIR "add %1, %0" : "+r"(sum) : "r"(i) : "xmm2", "xmm3", "cc");
    for (uint64_t i = 0; clean && i < TURNS; i++) {
        uint64_t got;
        __asm__ volatile(SUM_OF_PAIR "movq %%xmm3, %0" : "=r"(got) : "r"(i) : "xmm2", "xmm3");
        sum += got;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static uint64_t (*const functions[])(uint64_t, int) = {
        dead_twice,  dead_halves, dead_total, silent_flag,    silent_back, silent_vector,
        again_scale, again_pair,  again_half, unused_product, unused_load, unused_vector};
    int clean = argc > 1 && strcmp(argv[1], "clean") == 0;
    uint64_t sum = 1;
    for (long turn = argc > 2 ? atol(argv[2]) : 10; turn > 0; turn--)
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            sum = functions[i](sum, clean);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
