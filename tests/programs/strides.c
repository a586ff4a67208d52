/* Loops with known iterations, strides and carried values, one function each; no vectors. What each
 * shows, tests/views/loops.sh knows. The argument: how often all of them run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((noipa, optimize("no-tree-vectorize", "no-unroll-loops")))

enum { N = 1000, COLUMNS = 64 };

static int32_t a[N + 8], b[N + 8], order[N];
static int32_t table[N][COLUMNS];
static double reals[N];
static char text[N + 1];
struct node {
    struct node *next;
    int64_t value;
};
static struct node nodes[N];

OWN static void plain(void) /* nothing stops it; 1000 iterations, 4 bytes each */
{
    for (int i = 0; i < N; i++)
        a[i] = b[i] + 3;
}

OWN static void carries(void) /* a value over 4 iterations */
{
    for (int i = 0; i < N - 4; i++)
        a[i + 4] = a[i] * 3 + b[i];
}

OWN static int32_t columns(void) /* 256 bytes each */
{
    int32_t sum = 0;
    for (int i = 0; i < N; i++)
        sum += table[i][7];
    return sum;
}

OWN static int32_t gathers(void) /* in an order drawn at random */
{
    int32_t sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[order[i]];
    return sum;
}

OWN static double adds(void) /* reals, each to the same */
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += reals[i];
    return sum;
}

OWN static int64_t chases(void)
{
    int64_t sum = 0;
    for (const struct node *at = nodes; at; at = at->next)
        sum += at->value;
    return sum;
}

OWN static int32_t one(int32_t value)
{
    return value ^ 5;
}

OWN static void calls(void)
{
    for (int i = 0; i < N; i++)
        a[i] = one(b[i]);
}

OWN static int32_t two(int32_t value)
{
    return value + 7;
}

OWN static void dispatches(void) /* half of the elements have one function, half the other */
{
    int32_t (*volatile handlers[2])(int32_t) = {one, two};
    for (int i = 0; i < N; i++)
        a[i] = handlers[i & 1](b[i]);
}

OWN static int32_t decides(void) /* a branch that is taken for half of the numbers */
{
    int32_t sum = 0;
    for (int i = 0; i < N; i++)
        if (order[i] & 1) {
            __asm__ volatile("" : "+r"(sum));
            sum += b[i];
        }
    return sum;
}

OWN static int seeks(void) /* for an end that the data has */
{
    int i = 0;
    while (text[i] != 'z')
        i++;
    return i;
}

OWN static void few(void) /* three iterations, again and again */
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            a[i] += b[i + k];
            __asm__ volatile("" : "+r"(k));
        }
}

__attribute__((noipa, optimize("tree-vectorize"))) static void vectors(void)
{
    for (int i = 0; i < N; i++)
        a[i] += b[i];
}

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        order[i] = i;
        reals[i] = i;
        b[i] = i % 7;
        table[i][7] = i;
        text[i] = i == N - 1 ? 'z' : 'a';
    }
    uint32_t seed = 1;
    for (int i = N - 1; i > 0; i--) {
        seed = seed * 1664525 + 1013904223;
        int k = (int)((seed >> 8) % (uint32_t)(i + 1)), other = order[k];
        order[k] = order[i];
        order[i] = other;
    }
    for (int i = 0; i < N - 1; i++)
        nodes[order[i]].next = &nodes[order[i + 1]];
    nodes[0].next = nodes[0].next ? nodes[0].next : &nodes[1];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    double sum = 0;
    fill();
    for (int i = 0; i < rounds; i++) {
        plain();
        carries();
        sum += columns() + gathers() + adds() + (double)chases() + decides() + seeks();
        calls();
        dispatches();
        few();
        vectors();
    }
    printf("%g\n", sum);
    return 0;
}
