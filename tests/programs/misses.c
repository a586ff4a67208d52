/* misses N: 512 loads, each an instruction of its own, N times of random places of 16 MB: nearly
 * every one misses the first cache. */
#include <stdint.h>
#include <stdlib.h>

enum { WORDS = 1 << 21 };

#define LOAD                                                                                       \
    state = state * 6364136223846793005u + 1442695040888963407u;                                   \
    sum += *(volatile uint64_t *)&far[state >> 43];
#define TWICE(x) x x
#define MANY(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x)))))))))

int main(int argc, char **argv)
{
    uint64_t *far = calloc(WORDS, sizeof *far), state = 1, sum = 0;
    if (!far)
        return 1;
    for (long i = argc > 1 ? atol(argv[1]) : 100; i > 0; i--) {
        MANY(LOAD)
    }
    return sum != 0;
}
