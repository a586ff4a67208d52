/* The state of both floating point units: rounding modes, flush to zero, exception flags, a full
 * x87 stack, MMX, kept through loops, calls, threads and handlers. */
#include <fenv.h>
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
/* link: -lm -frounding-math */

static volatile unsigned ticks;
static void on_tick(int signal)
{
    (void)signal;
    fesetround(FE_TOWARDZERO);
    volatile double x = 1e-300;
    x *= x;
    ticks++;
}

static uint64_t rounds(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t sum = 0, bits;
    for (int m = 0; m < 4; m++) {
        fesetround(modes[m]);
        feclearexcept(FE_ALL_EXCEPT);
        volatile double x = 0.1, y = 3;
        volatile long double z = 0.1L;
        for (int i = 0; i < 300000; i++) {
            x = x / y + 0.7;
            z = z / y + 0.7L;
        }
        double both = x;
        memcpy(&bits, &both, 8);
        sum = sum * 31 + bits;
        both = (double)z;
        memcpy(&bits, &both, 8);
        sum = sum * 31 + bits + (uint64_t)fegetround() + (uint64_t)fetestexcept(FE_ALL_EXCEPT);
    }
    fesetround(FE_TONEAREST);
    return sum;
}

/* Eight values on the x87 stack, turned round many times. */
static uint64_t x87(uint64_t n)
{
    double out;
    uint64_t bits;
    __asm__ volatile(
        "fld1\n fldpi\n fldl2e\n fldl2t\n fldlg2\n fldln2\n fld1\n fldpi\n"
        "1: fadd %%st(1),%%st\n fincstp\n fabs\n fxch %%st(3)\n fdecstp\n fmul %%st(2),%%st\n"
        "fsqrt\n fincstp\n dec %1\n jnz 1b\n"
        "faddp\n faddp\n faddp\n faddp\n faddp\n faddp\n faddp\n fstpl %0"
        : "=m"(out), "+r"(n)
        :
        : "cc", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
    memcpy(&bits, &out, 8);
    return bits;
}

static uint64_t mmx(uint64_t n)
{
    uint64_t value = 0x0102030405060708;
    __asm__ volatile("movq %0,%%mm0\n movq %%mm0,%%mm5\n1: paddb %%mm5,%%mm0\n paddw %%mm0,%%mm5\n "
                     "pxor %%mm0,%%mm5\n"
                     "dec %1\n jnz 1b\n movq %%mm0,%0\n emms"
                     : "+r"(value), "+r"(n)
                     :
                     : "cc", "mm0", "mm5");
    return value;
}

static void *run(void *unused)
{
    (void)unused;
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
    volatile float tiny = 1e-38f;
    uint64_t zeros = 0;
    for (int i = 0; i < 300000; i++)
        zeros += tiny * 0.01f == 0;
    return (void *)(zeros + rounds());
}

int main(void)
{
    struct itimerval every = {{0, 700}, {0, 700}};
    signal(SIGALRM, on_tick);
    printf("%lx %lx %lx\n", rounds(), x87(300000), mmx(300000));
    setitimer(ITIMER_REAL, &every, NULL);
    printf("%lx %lx %lx\n", rounds(), x87(2000000), mmx(2000000));
    pthread_t id;
    void *result;
    pthread_create(&id, NULL, run, NULL);
    pthread_join(id, &result);
    printf("%lx, %d\n", (uint64_t)result, fegetround() == FE_TONEAREST);
    return 0;
}
