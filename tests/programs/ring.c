/* Follows a ring of so many KiB of cache lines, in no order, so many times: each load waits for the
 * one before, and all come from the smallest cache that holds the ring. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP at = *(void *volatile *)at;

int main(int argc, char **argv)
{
    uint64_t n = (argc > 1 ? strtoull(argv[1], NULL, 0) : 16) * 1024 / 64, seed = 1;
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000000;
    char *lines = aligned_alloc(4096, n * 64);
    uint64_t *order = malloc(n * sizeof *order);
    for (uint64_t i = 0; i < n; i++)
        order[i] = i;
    for (uint64_t i = n - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t other = (seed >> 33) % i, was = order[i];
        order[i] = order[other];
        order[other] = was;
    }
    for (uint64_t i = 0; i < n; i++)
        *(void **)(void *)(lines + 64 * i) = lines + 64 * order[i];
    void *at = lines;
    for (uint64_t i = 0; i < steps; i += 8) {
        STEP STEP STEP STEP STEP STEP STEP STEP
    }
    printf("%d\n", (int)((char *)at - lines));
    return 0;
}
