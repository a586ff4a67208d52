/* Locked instructions between threads: cmpxchg16b, xadd, bts, a lock-free stack; every one counts
 * once. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* link: -mcx16 */

enum { THREADS = 4, ROUNDS = 100000 };
static _Alignas(16) volatile uint64_t pair[2];
static volatile uint64_t added, bits[ROUNDS / 64 + 1];
static volatile uint64_t counted;

static void pair_add(uint64_t n)
{
    uint64_t low = pair[0], high = pair[1];
    char done;
    do {
        uint64_t new_low = low + n, new_high = high ^ (n << 32);
        __asm__ volatile("lock cmpxchg16b %1\n sete %0"
                         : "=q"(done), "+m"(pair), "+a"(low), "+d"(high)
                         : "b"(new_low), "c"(new_high)
                         : "cc", "memory");
    } while (!done);
}

static void *run(void *unused)
{
    for (uint64_t i = 0; i < ROUNDS; i++) {
        pair_add(i);
        uint64_t one = i;
        __asm__ volatile("lock xadd %0,%1" : "+r"(one), "+m"(added)::"cc");
        char was;
        __asm__ volatile("lock bts %2,%1\n setc %0"
                         : "=q"(was), "+m"(bits)
                         : "r"(i)
                         : "cc", "memory");
        if (!was)
            __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

int main(void)
{
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    printf("%lu %lu %lu %lu\n", pair[0], pair[1], added, counted);
    return 0;
}
