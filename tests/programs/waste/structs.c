/* Work on structs as C programs do it: bit fields, unions, copies of structs, libc's memset and
 * memcpy, sorting. Nothing is planted: tests/truth/waste.sh compares what is found with all
 * accesses. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct bits {
    unsigned a : 3, b : 5, c : 11, d : 13;
    uint64_t e : 40, f : 24;
};
struct rec {
    char name[24];
    double x, y;
    int n;
    short k;
};
union u {
    double d;
    uint64_t w;
    uint8_t b[8];
    float f[2];
};
static struct rec recs[64], tmp[64];
static uint64_t seed = 12345;
__attribute__((noinline)) static uint64_t rnd(void)
{
    return seed = seed * 6364136223846793005u + 1442695040888963407u;
}
__attribute__((noinline)) static uint64_t bits(struct bits *p, int n)
{
    uint64_t s = 0;
    for (int i = 0; i < n; i++) {
        p->a = i;
        p->b = i >> 1;
        p->c += p->a;
        p->d ^= p->c;
        p->e = s;
        p->f = i * 7;
        s += p->e + p->d;
    }
    return s;
}
__attribute__((noinline)) static void swap(struct rec *a, struct rec *b)
{
    struct rec t = *a;
    *a = *b;
    *b = t;
}
__attribute__((noinline)) static uint64_t uni(int n)
{
    union u u;
    uint64_t s = 0;
    for (int i = 0; i < n; i++) {
        u.d = i * 1.5;
        u.b[7] ^= 1;
        s += u.w;
        u.f[0] = i;
        s ^= u.w >> 3;
    }
    return s;
}
__attribute__((noinline)) static double sum(const struct rec *r, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += r[i].x * r[i].y + r[i].n + r[i].k + r[i].name[3];
    return s;
}
__attribute__((noinline)) static void vec(float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 2 + b[i];
}
__attribute__((noinline)) static int insertion(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        int v = a[i], j = i;
        while (j > 0 && a[j - 1] > v) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = v;
    }
    return a[n / 2];
}
int main(int argc, char **argv)
{
    int turns = argc > 2 ? atoi(argv[2]) : 3;
    struct bits b = {0};
    uint64_t s = 0;
    float fa[64], fb[64];
    int order[40];
    for (int t = 0; t < turns; t++) {
        for (int i = 0; i < 64; i++) {
            memset(&recs[i], 0, sizeof recs[i]);
            snprintf(recs[i].name, 24, "r%d", i);
            recs[i].x = i + t;
            recs[i].y = rnd() % 100;
            recs[i].n = i;
            recs[i].k = t;
            fa[i] = i;
            fb[i] = rnd() % 7;
        }
        s += bits(&b, 20) + uni(20);
        for (int i = 0; i < 32; i++)
            swap(&recs[i], &recs[63 - i]);
        memcpy(tmp, recs, sizeof tmp);
        s += sum(tmp, 64);
        vec(fa, fb, 64);
        s += fa[3];
        for (int i = 0; i < 40; i++)
            order[i] = rnd() % 1000;
        s += insertion(order, 40);
        qsort(tmp, 64, sizeof *tmp, (int (*)(const void *, const void *))memcmp);
    }
    printf("%llu\n", (unsigned long long)s);
}
