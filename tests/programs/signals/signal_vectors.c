/* Storms of SIGUSR1 to busy threads, whose handlers fill all vector registers, change rounding and
 * use the x87 stack: the interrupted loops must find their own as they left them. */
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* link: -mavx2 -lm */
#include <math.h>

enum { THREADS = 3, SIGNALS = 1000 };
static atomic_uint handled;
static atomic_int finish;

static void on_signal(int signal)
{
    __asm__ volatile(
        "vpcmpeqd %%ymm0,%%ymm0,%%ymm0\n vmovdqa %%ymm0,%%ymm1\n vmovdqa %%ymm0,%%ymm2\n"
        "vmovdqa %%ymm0,%%ymm3\n vmovdqa %%ymm0,%%ymm4\n vmovdqa %%ymm0,%%ymm5\n"
        "vmovdqa %%ymm0,%%ymm6\n vmovdqa %%ymm0,%%ymm7\n vmovdqa %%ymm0,%%ymm8\n"
        "vmovdqa %%ymm0,%%ymm9\n vmovdqa %%ymm0,%%ymm10\n vmovdqa %%ymm0,%%ymm11\n"
        "vmovdqa %%ymm0,%%ymm12\n vmovdqa %%ymm0,%%ymm13\n vmovdqa %%ymm0,%%ymm14\n"
        "vmovdqa %%ymm0,%%ymm15\n fldpi\n fldl2e\n fmulp\n fstp %%st(0)\n"
        "vzeroupper" ::
            : "memory");
    _mm_setcsr(_mm_getcsr() | 0x6000);
    handled += signal == SIGUSR1;
}

/* Sixteen ymm registers, the x87 stack and flags carry a sum that any disturbance changes. */
static uint64_t stir(uint64_t seed, unsigned rounds)
{
    __m256i v[12];
    for (int i = 0; i < 12; i++)
        v[i] = _mm256_set1_epi64x((long long)(seed * (uint64_t)(i + 3)));
    long double x = (long double)seed;
    for (unsigned r = 0; r < rounds; r++) {
        for (int i = 0; i < 12; i++)
            v[i] = _mm256_add_epi64(_mm256_slli_epi64(v[i], 1),
                                    _mm256_xor_si256(v[(i + 5) % 12], v[i]));
        x = x * 1.0000001L + r;
    }
    uint64_t sum = (uint64_t)x, lanes[4];
    for (int i = 0; i < 12; i++) {
        _mm256_storeu_si256((__m256i *)lanes, v[i]);
        sum ^= lanes[0] + lanes[1] * 3 + lanes[2] * 5 + lanes[3] * 7;
    }
    return sum;
}

static void *run(void *argument)
{
    uint64_t seed = (uint64_t)argument, expected = stir(seed, 500), wrong = 0;
    double third = 1.0 / (double)(seed + 2);
    while (!finish) {
        wrong += stir(seed, 500) != expected;
        wrong += 1.0 / (double)(seed + 2) != third;
    }
    return (void *)wrong;
}

int main(void)
{
    pthread_t id[THREADS];
    unsigned long wrong = 0;
    signal(SIGUSR1, on_signal);
    for (uint64_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, run, (void *)i);
    while (handled < SIGNALS) {
        for (int i = 0; i < THREADS; i++)
            pthread_kill(id[i], SIGUSR1);
        usleep(100);
    }
    finish = 1;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(id[i], &result);
        wrong += (unsigned long)result;
    }
    printf("%lu wrong\n", wrong);
    return 0;
}
