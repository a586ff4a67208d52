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

/* ---- copies of copies */

FUNCTION copy_word(uint64_t sum, int clean)
{
    for (uint64_t i = 0; !clean && i < TURNS; i++) {
        memory.cells[80] = i * ODD;
        memory.cells[81] = memory.cells[80];
        memory.cells[82] = memory.cells[81];
        sum += memory.cells[82];
    }
    for (uint64_t i = 0; clean && i < TURNS; i++) {
        memory.cells[80] = i * ODD;
        memory.cells[81] = memory.cells[80];
        uint64_t got = memory.cells[81];
        memory.cells[82] = got;
        sum += got + memory.cells[82];
    }
    return sum;
}

#define COPY_ON                                                                                    \
    "movups 768(%1), %%xmm4\n\tmovups %%xmm4, 784(%1)\n\t"                                         \
    "movups 784(%1), %%xmm5\n\tmovups %%xmm5, 800(%1)\n\t"

FUNCTION copy_vector(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        memory.cells[96] = i * ODD;
        memory.cells[97] = i + ODD;
        if (clean) {
            uint64_t got;
            __asm__ volatile(COPY_ON "movq %%xmm5, %0"
                             : "=r"(got)
                             : "r"(&memory)
                             : "xmm4", "xmm5", "memory");
            sum += got;
        } else {
            __asm__ volatile(COPY_ON : "+r"(sum) : "r"(&memory) : "xmm4", "xmm5", "memory");
        }
        sum += memory.cells[100] + memory.cells[101];
    }
    return sum;
}

__attribute__((noinline, noclone)) static void hand_on(cell *to, cell *from)
{
    for (int i = 0; i < 4; i++)
        to[i] = from[i];
}

__attribute__((noinline, noclone)) static uint64_t add_on(cell *to, cell *from, uint64_t sum)
{
    for (int i = 0; i < 4; i++) {
        uint64_t word = from[i];
        to[i] = word;
        sum += word;
    }
    return sum;
}

/* All four words go by way of a buffer, in a function of their own. */
FUNCTION copy_buffer(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS / 4; i++) {
        for (uint64_t k = 0; k < 4; k++)
            memory.cells[112 + k] = (i + k) * ODD;
        hand_on(&memory.cells[120], &memory.cells[112]);
        if (clean)
            sum = add_on(&memory.cells[128], &memory.cells[120], sum);
        else
            hand_on(&memory.cells[128], &memory.cells[120]);
        for (uint64_t k = 0; k < 4; k++)
            sum += memory.cells[128 + k];
    }
    return sum;
}

/* ---- memory that is set, and then overwritten */

FUNCTION set_string(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        void *to = (void *)&memory.cells[144];
        uint64_t n = 4;
        __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(i) : "memory");
        if (clean)
            sum += memory.cells[147];
        for (uint64_t k = 0; k < 4; k++)
            memory.cells[144 + k] = (i + k) * ODD;
        for (uint64_t k = 0; k < 4; k++)
            sum += memory.cells[144 + k];
    }
    return sum;
}

FUNCTION set_vector(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        __asm__ volatile("pxor %%xmm6, %%xmm6\n\tmovups %%xmm6, 1280(%0)"
                         :
                         : "r"(&memory)
                         : "xmm6", "memory");
        if (clean)
            sum += memory.cells[160];
        memory.cells[160] = i * ODD;
        memory.cells[161] = i + ODD;
        sum += memory.cells[160] + memory.cells[161];
    }
    return sum;
}

/* By single bytes, of which four words are made. */
FUNCTION set_bytes(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        void *to = (void *)&memory.cells[176];
        uint64_t n = 16;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(255) : "memory");
        if (clean)
            sum += memory.bytes[1416];
        for (uint64_t k = 0; k < 4; k++)
            memory.halves[352 + k] = (uint32_t)(i + k * 3 + 1);
        sum += memory.cells[176] + memory.cells[177];
    }
    return sum;
}

/* ---- calls with the same inputs */

/* The compiler must not know that it has no effect. */
#define OPAQUE __asm__ volatile("")

static uint8_t text[16] = "twelve bytes";

__attribute__((noinline, noclone)) static uint64_t length(const uint8_t *of)
{
    uint64_t n = 0;
    OPAQUE;
    while (of[n])
        n++;
    return n;
}

/* As a loop's condition has it. */
FUNCTION same_length(uint64_t sum, int clean)
{
    for (uint64_t i = 0; i < TURNS; i++) {
        if (clean)
            text[i % 8] = (uint8_t)(sum >> 8 | 1);
        sum = (sum ^ length(text)) * ODD + i;
    }
    return sum;
}

/* Two levels, with a frame of its own that it writes and reads. */
__attribute__((noinline, noclone)) static uint64_t weigh(uint64_t n, uint64_t by)
{
    volatile uint64_t parts[4];
    OPAQUE;
    for (uint64_t i = 0; i < 4; i++)
        parts[i] = n * by + i;
    return parts[0] ^ parts[3];
}

__attribute__((noinline, noclone)) static uint64_t heavier(uint64_t n)
{
    OPAQUE;
    return weigh(n, 3) + weigh(n, 5);
}

FUNCTION same_weight(uint64_t sum, int clean)
{
    uint64_t step = clean != 0;
    for (uint64_t i = 0; i < TURNS; i++)
        sum += heavier(77 + step * sum);
    return sum;
}

__attribute__((noinline, noclone)) static double area(double radius)
{
    OPAQUE;
    return radius * radius * 3.14159;
}

FUNCTION same_area(uint64_t sum, int clean)
{
    uint64_t step = clean != 0;
    for (uint64_t i = 0; i < TURNS; i++)
        sum = sum * ODD + (uint64_t)(int64_t)area((double)(int64_t)(5 + step * (sum >> 40)));
    return sum;
}

int main(int argc, char **argv)
{
    static uint64_t (*const functions[])(uint64_t, int) = {
        dead_twice,  dead_halves, dead_total,  silent_flag,    silent_back, silent_vector,
        again_scale, again_pair,  again_half,  unused_product, unused_load, unused_vector,
        copy_word,   copy_vector, copy_buffer, set_string,     set_vector,  set_bytes,
        same_length, same_weight, same_area};
    int clean = argc > 1 && strcmp(argv[1], "clean") == 0;
    uint64_t sum = 1;
    for (long turn = argc > 2 ? atol(argv[2]) : 10; turn > 0; turn--)
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            sum = functions[i](sum, clean);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
