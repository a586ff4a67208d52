/* Memory transactions, with the lock that each must fall back to; nested ones, and those that abort
 * themselves. Whatever becomes of them, sums are the same. */
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 20000, TRIES = 3, PLACES = 64 };

static long places[PLACES];
static atomic_int locked;

static void change(long round)
{
    for (long i = 0; i < 8; i++)
        places[(i * 7 + round) % PLACES]++;
}

__attribute__((target("rtm"))) static int attempt(long round)
{
    if (_xbegin() != _XBEGIN_STARTED)
        return 0;
    if (locked)
        _xabort(1);
    if (round % 16 == 0 && _xbegin() == _XBEGIN_STARTED)
        _xend();
    change(round);
    _xend();
    return 1;
}

static void *run(void *has)
{
    for (long round = 0; round < ROUNDS; round++) {
        int done = 0;
        for (int i = 0; has && i < TRIES && !done; i++)
            done = attempt(round);
        if (done)
            continue;
        while (atomic_exchange(&locked, 1))
            _mm_pause();
        change(round);
        atomic_store(&locked, 0);
    }
    return NULL;
}

__attribute__((target("rtm"))) static unsigned outside(void)
{
    _xabort(7); /* does nothing outside of a transaction */
    return _xtest();
}

/* Elided locks: prefixes that say so are ignored where there is no such thing. */
static int elide(void)
{
    static int lock;
    int old = 1;
    __asm__ volatile("xacquire lock xchgl %0,%1" : "+r"(old), "+m"(lock)::"memory");
    places[0] += 0;
    __asm__ volatile("xrelease movl $0,%0" : "=m"(lock)::"memory");
    return old + lock;
}

int main(void)
{
    static int has;
    unsigned a = 7, b, c = 0, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    has = b >> 11 & 1;
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, run, has ? &has : NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    long sum = 0, elided = 0;
    for (int i = 0; i < PLACES; i++)
        sum += places[i];
    for (int i = 0; i < 1000; i++)
        elided += elide();
    printf("%ld of %ld, %u, %ld\n", sum, (long)THREADS * ROUNDS * 8, has ? outside() : 0, elided);
    return sum != (long)THREADS * ROUNDS * 8;
}
