/* Nested functions whose address is taken: code on an executable stack, made anew in each frame, in
 * threads too. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* link: -z execstack */

__attribute__((noinline)) static uint64_t apply(uint64_t (*function)(uint64_t), uint64_t x)
{
    for (int i = 0; i < 20; i++)
        x = function(x);
    return x;
}

__attribute__((noinline)) static uint64_t nest(uint64_t factor, int depth)
{
    uint64_t calls = 0;
    uint64_t scaled(uint64_t x)
    {
        calls++;
        return x * factor + (uint64_t)depth;
    }
    uint64_t sum = apply(scaled, depth ? nest(factor + 2, depth - 1) : 1);
    return sum + calls;
}

static void *run(void *n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 3000; i++)
        sum = sum * 31 + nest((uint64_t)n + i, (int)(i % 9));
    return (void *)sum;
}

int main(void)
{
    uint64_t sum = (uint64_t)run((void *)1);
    pthread_t id[2];
    for (uint64_t i = 0; i < 2; i++)
        pthread_create(&id[i], NULL, run, (void *)(i + 2));
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum ^= (uint64_t)result;
    }
    printf("%lx\n", sum);
    return 0;
}
