/* A function whose load cannot be forwarded from its store if one of its callers calls it, and can
 * if the other does. */
#include <stdint.h>
#include <stdlib.h>

static union {
    uint64_t whole;
    volatile char bytes[8];
} near, far, other;
static volatile uint64_t sink;

__attribute__((noipa)) static uint64_t touch(volatile char *store, volatile uint64_t *load)
{
    *store = 1;
    return *load;
}

__attribute__((noinline)) static void clashing(void)
{
    sink += touch(near.bytes, &near.whole);
}

__attribute__((noinline)) static void clean(void)
{
    sink += touch(far.bytes, &other.whole);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 0) : 1000;
    for (long i = 0; i < rounds; i++) {
        clashing();
        clean();
        clean();
    }
    return 0;
}
