#include "compress/random.h"

enum { FRACTION_BITS = 56, LOGARITHM_BITS = 32 };
#define LN_2 UINT64_C(0xb17217f7d1cf79) /* in 2^-56 */

/* Digit by digit: a division of 128 bits would have to be linked. */
uint64_t random_quotient(uint64_t numerator, uint64_t denominator)
{
    uint64_t digits = 0, rest = numerator;
    for (int bit = 0; bit < FRACTION_BITS; bit++) {
        uint64_t carry = rest >> 63;
        rest <<= 1;
        digits <<= 1;
        if (carry || rest >= denominator) {
            rest -= denominator;
            digits |= 1;
        }
    }
    return digits;
}

/* -log2 of u/2^64, in 2^-32, u not 0: squared, a number's logarithm doubles, and its integer part
 * is the next digit. */
static uint64_t minus_log2(uint64_t u)
{
    uint64_t zeroes = (uint64_t)__builtin_clzll(u), m = u << zeroes,
             digits = 0; /* m: 1 .. 2, in 2^-63 */
    for (int bit = 0; bit < LOGARITHM_BITS; bit++) {
        uint64_t square = u128_product(m, m, 64); /* 1 .. 4, in 2^-62 */
        uint64_t carry = square >> 63;
        digits = digits << 1 | carry;
        m = carry ? square : square << 1;
    }
    return ((zeroes + 1) << LOGARITHM_BITS) - digits;
}

/* -ln(1 - q) is the logarithm of 1/(1 - q): q + q^2/2 + q^3/3 + ..., which is slow for large q, of
 * which the whole number of halvings is taken first: 1 - q = 2^-k (1 - q'), q' at most one half. */
uint64_t random_failure(uint64_t numerator, uint64_t denominator)
{
    uint64_t left = denominator - numerator, halvings = 0;
    if (!left)
        return UINT64_MAX;
    while (left <= denominator / 2) {
        left <<= 1;
        halvings++;
    }
    uint64_t q = random_quotient(denominator - left, denominator), power = q, sum = halvings * LN_2;
    for (uint64_t n = 1; n < 64 && power; n++, power = u128_product(power, q, FRACTION_BITS))
        sum += power / n;
    return sum ? sum : 1;
}

uint64_t random_geometric(struct random *random, uint64_t failure)
{
    uint64_t u = random_next(random);
    uint64_t minus_ln =
        u128_product(minus_log2(u ? u : 1), LN_2, FRACTION_BITS); /* in 2^-32, below 45 */
    /* Both in 2^-56: 45 of them are below 2^62. */
    return (minus_ln << (FRACTION_BITS - LOGARITHM_BITS)) / failure;
}
