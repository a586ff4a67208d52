/* Multiplies what is always near with what never is: of two loads that one instruction waits for,
 * one is dear. */
#include <stdint.h>
#include <stdlib.h>

enum { NEAR_NUMBERS = 512, FAR_NUMBERS = 1 << 24 };

static double near_numbers[NEAR_NUMBERS];

__attribute__((noinline)) static double products_sum(const double *far_numbers, uint64_t rounds)
{
    double sum = 0;
    uint64_t at = 1;
    for (uint64_t i = 0; i < rounds; i++) {
        double one = *(const volatile double *)&near_numbers[i % NEAR_NUMBERS];
        at = at * 6364136223846793005 + 1442695040888963407;
        double other = *(const volatile double *)&far_numbers[at >> 40];
        sum += one * other;
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
    double *far_numbers = malloc(FAR_NUMBERS * sizeof *far_numbers);
    if (!far_numbers)
        return 1;
    for (uint64_t i = 0; i < FAR_NUMBERS; i += 512) /* a page each */
        far_numbers[i] = 1;
    for (int i = 0; i < NEAR_NUMBERS; i++)
        near_numbers[i] = 1;
    double sum = products_sum(far_numbers, rounds);
    free(far_numbers);
    return sum < 0;
}
