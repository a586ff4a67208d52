/* Objects of two types, three of one to one of the other, asked through their tables of methods;
 * and a branch that nobody can guess. Usage: types [ROUNDS] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct thing;
struct methods {
    uint64_t (*unused)(const struct thing *thing);
    uint64_t (*size)(const struct thing *thing);
};
struct thing {
    const struct methods *methods;
    uint64_t n;
};

static uint64_t once(const struct thing *thing)
{
    return thing->n;
}

static uint64_t twice(const struct thing *thing)
{
    return 2 * thing->n;
}

static const struct methods small = {twice, once}, large = {once, twice};

__attribute__((noinline)) static uint64_t ask(const struct thing *thing)
{
    return thing->methods->size(thing) + 1;
}

__attribute__((noinline)) static uint64_t chance(uint64_t drawn)
{
    static volatile uint64_t odd;
    if (drawn & 1)
        odd++;
    return odd;
}

int main(int argc, char **argv)
{
    static const struct thing things[] = {{&small, 1}, {&small, 2}, {&small, 3}, {&large, 4}};
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 8000;
    uint64_t sum = 0, seed = UINT64_C(88172645463325252);
    for (uint64_t i = 0; i < rounds; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        sum += ask(&things[i % 4]) + chance(seed >> 20);
    }
    printf("%llu\n", (unsigned long long)sum);
}
