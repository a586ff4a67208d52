/* Every way that a compiled function can lay out its frame, one after another: what unwinding must
 * get right at each instruction. Prints a checksum. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline))

static volatile unsigned sink;

APART static unsigned leaf(unsigned a)
{
    return a * 2654435761u + sink;
}

/* All callee-saved registers, and a frame. */
APART static unsigned wide(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        sum += leaf(a + i) ^ leaf(b + sum);
        sum += leaf(c + i) ^ leaf(d + sum);
        sum += leaf(e + i) ^ leaf(f + sum);
        a += f, b += e, c += d;
    }
    return sum;
}

/* More arguments than registers: pushed and popped around the call. */
APART static unsigned pushed(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f,
                             unsigned g, unsigned h, unsigned i)
{
    return wide(a, b, c, d, e, f) + leaf(g) + leaf(h) + leaf(i);
}

/* A frame whose size is known at run time only: rbp is the frame pointer. */
APART static unsigned dynamic(size_t n)
{
    unsigned char *bytes = alloca(n);
    memset(bytes, (int)n, n);
    return leaf(bytes[n / 2]) + pushed(1, 2, 3, 4, 5, 6, 7, 8, (unsigned)n);
}

/* A frame with an alignment that the ABI does not give: the old stack pointer goes through r10. */
APART static unsigned aligned(unsigned a, ...)
{
    _Alignas(128) volatile unsigned char bytes[256];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(a + i);
    unsigned sum = wide(bytes[1], bytes[2], bytes[3], a, bytes[5], bytes[6]);
    return sum + dynamic(bytes[7] + 64u) + leaf(bytes[9]);
}

typedef float vector __attribute__((vector_size(32)));
__attribute__((target("avx"), noinline)) static unsigned vectors(unsigned a)
{
    volatile vector x = {(float)a, 2, 3, 4, 5, 6, 7, 8}, y = {1, 2, 3};
    unsigned sum = leaf(a);
    vector z = x * y;
    return sum + (unsigned)z[0] + (unsigned)z[2];
}

/* An early way out: the frame is built only behind it. */
APART static unsigned shrink_wrapped(unsigned a)
{
    if (a < 3)
        return a;
    unsigned b = wide(a, a, a, a, a, a);
    return b + wide(b, a, b, a, b, a);
}

APART static unsigned recurse(unsigned depth)
{
    volatile unsigned char bytes[24];
    bytes[depth % 24] = (unsigned char)depth;
    if (!depth)
        return bytes[0] + shrink_wrapped(9);
    return recurse(depth - 1) + bytes[depth % 24];
}

APART static unsigned tail(unsigned a)
{
    return a & 1 ? leaf(a) : shrink_wrapped(a);
}

static jmp_buf back;
APART static void jump(unsigned depth)
{
    if (depth)
        jump(depth - 1);
    else
        longjmp(back, 1);
    sink = 0;
}

APART static unsigned jumps(unsigned a)
{
    if (setjmp(back) == 0)
        jump(a);
    return leaf(a);
}

static int compare(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    return leaf(*x) < leaf(*y) ? -1 : leaf(*x) > leaf(*y);
}

APART static unsigned sorted(void)
{
    unsigned values[12];
    for (unsigned i = 0; i < 12; i++)
        values[i] = i * 7919 % 13;
    qsort(values, 12, sizeof *values, compare);
    return values[3];
}

static void handler(int signal)
{
    sink = (unsigned)signal * 0 + (wide(1, 2, 3, 4, 5, 6) & 0);
}

APART static unsigned signalled(int flags)
{
    static char other_stack[65536];
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return leaf(5);
}

static void *thread(void *argument)
{
    unsigned *value = argument;
    *value = aligned(*value) + recurse(4);
    return argument;
}

APART static unsigned threaded(void)
{
    unsigned value = 11;
    pthread_t id;
    if (pthread_create(&id, NULL, thread, &value) != 0)
        return 0;
    pthread_join(id, NULL);
    return value;
}

int main(void)
{
    struct timespec now;
    char text[64];
    unsigned sum = pushed(1, 2, 3, 4, 5, 6, 7, 8, 9) + dynamic(100) + aligned(3) + recurse(20);
    sum += tail(3) + tail(4) + jumps(3) + sorted() + shrink_wrapped(1) + shrink_wrapped(5);
    if (__builtin_cpu_supports("avx"))
        sum += vectors(3) * 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, sizeof text, "%08x %.3f", sum, (double)(sum % 1000) / 7);
    sum += signalled(0) + signalled(SA_ONSTACK) + threaded();
    printf("%s %08x\n", text, sum);
    return 0;
}
