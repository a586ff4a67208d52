/* Calls whose inputs are nearly the same, or that have effects which are easy to overlook (other_*:
 * none is a same call), and calls that are the same in ways that are easy to miss (same_*: all
 * are). `same_calls TURNS`. */
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <x86intrin.h>

#define FUNCTION __attribute__((noinline)) static
#define OPAQUE __asm__ volatile("")

static uint64_t seed = 88172645463325252;
FUNCTION uint64_t any()
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

struct large {
    uint64_t words[6];
};
struct small {
    uint8_t a, b;
    uint16_t c;
    uint32_t d;
};
struct bits {
    unsigned a : 3, b : 5, c : 11, d : 13;
};
union both {
    double number;
    uint64_t word;
};

static int level;
static unsigned counted;
static thread_local int own;
static jmp_buf back;

/* ---- never the same */

FUNCTION bool other_compared() /* memory that is compared, and loaded into no register */
{
    OPAQUE;
    return level > 4000000;
}
FUNCTION unsigned other_count()
{
    OPAQUE;
    return ++counted;
}
FUNCTION void other_result(uint64_t *result) /* in its caller's frame */
{
    OPAQUE;
    *result += 3;
}
FUNCTION uint64_t other_large(struct large by_value)
{
    OPAQUE;
    return by_value.words[0] + by_value.words[5];
}
FUNCTION struct small other_small(struct small packed) /* overwrites part of its register */
{
    OPAQUE;
    packed.a = 5;
    return packed;
}
FUNCTION unsigned other_bits(struct bits packed)
{
    OPAQUE;
    return packed.c + packed.a;
}
FUNCTION long double other_long(long double x)
{
    OPAQUE;
    return x * x;
}
FUNCTION double other_union(union both x)
{
    OPAQUE;
    return x.number / 2;
}
FUNCTION uint64_t other_time()
{
    OPAQUE;
    return __rdtsc();
}
FUNCTION int other_thread()
{
    OPAQUE;
    return own;
}
FUNCTION uint64_t other_text(const std::string &text)
{
    uint64_t sum = 5;
    for (char c : text)
        sum = sum * 33 + (unsigned char)c;
    return sum;
}
FUNCTION int other_memory(const char *a, const char *b)
{
    OPAQUE;
    return memcmp(a, b, 40);
}
FUNCTION __m128i other_vector(__m128i x)
{
    OPAQUE;
    return _mm_add_epi32(x, x);
}
FUNCTION int other_jump(int x)
{
    if (x & 1)
        longjmp(back, x);
    return x;
}
struct base {
    virtual uint64_t other_method(uint64_t x) = 0;
    virtual ~base() {}
};
struct derived : base {
    uint64_t factor = any();
    __attribute__((noinline)) uint64_t other_method(uint64_t x) override
    {
        OPAQUE;
        return x * factor;
    }
};

/* ---- always the same */

FUNCTION uint64_t same_large(const struct large *of)
{
    uint64_t sum = 0;
    OPAQUE;
    for (uint64_t word : of->words)
        sum += word;
    return sum;
}
FUNCTION double same_real(double x)
{
    OPAQUE;
    return x * x * x;
}
FUNCTION int same_found(const std::map<int, int> &in, int key)
{
    auto found = in.find(key);
    return found == in.end() ? 0 : found->second;
}
FUNCTION double same_library(double x)
{
    OPAQUE;
    return exp(x);
}
FUNCTION size_t same_length(const char *text)
{
    OPAQUE;
    return strlen(text) + 1;
}
FUNCTION int same_sorted(int x) /* memory of its own */
{
    volatile int all[5] = {x, 3, 9, 1, 4};
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 5; k++)
            if (all[k] < all[i]) {
                int other = all[i];
                all[i] = all[k];
                all[k] = other;
            }
    return all[2];
}
FUNCTION bool same_text(const std::string &a, const char *b)
{
    OPAQUE;
    return a == b;
}

FUNCTION uint64_t turn(const std::map<int, int> &numbers, struct base *object)
{
    static const struct large fixed = {{1, 2, 3, 4, 5, 6}};
    static const std::string text = "a text that is not short";
    char one[40], zeros[40] = {0};
    uint64_t sum = 0, result = any();
    struct large large;
    union both both = {.number = (double)(any() >> 20)};
    struct small small = {(uint8_t)any(), (uint8_t)any(), (uint16_t)any(), (uint32_t)any()};
    struct bits bits = {(unsigned)any() & 7, (unsigned)any() & 31, (unsigned)any() & 2047, 0};
    std::string random(20, 'x');
    for (uint64_t &word : large.words)
        word = any();
    for (char &c : random)
        c = (char)any();
    for (char &c : one)
        c = (char)any();
    level = (int)(any() >> 40);
    own = (int)any();
    other_result(&result);
    sum += other_compared() + other_count() + result + other_large(large) + other_small(small).d;
    sum += other_bits(bits) + (uint64_t)other_long((long double)(any() >> 20));
    sum += (uint64_t)other_union(both) + (other_time() & 1) + (uint64_t)other_thread();
    sum += other_text(random) + (other_memory(one, zeros) > 0) + object->other_method(any());
    sum += (uint64_t)_mm_cvtsi128_si64(
        other_vector(_mm_set_epi64x((long long)any(), (long long)any())));
    if (!setjmp(back))
        sum += (uint64_t)other_jump((int)any());
    sum += same_large(&fixed) + (uint64_t)same_real(1.5) + (uint64_t)same_found(numbers, 17);
    sum += (uint64_t)same_library(2.5) + same_length("eleven char") + (uint64_t)same_sorted(7);
    return sum + same_text(text, "a text that is not shorT");
}

int main(int argc, char **argv)
{
    std::map<int, int> numbers;
    struct derived object;
    uint64_t sum = 0;
    for (int i = 0; i < 50; i++)
        numbers[i] = i * 3;
    for (long turns = argc > 1 ? atol(argv[1]) : 10; turns > 0; turns--)
        sum += turn(numbers, &object);
    printf("%d\n", sum != 0);
    return 0;
}
