// What the linker never hears of: lambdas, static functions, an anonymous namespace and templates made for them; constructors
// and destructors; functions that are one line.
#include <stdio.h>
#include <stdlib.h>

namespace {
struct numbers_source {
    unsigned state;
    explicit numbers_source(unsigned seed) : state(seed ? seed : 1) {}
    unsigned next() { return state = state * 1103515245u + 12345u, state >> 8; }
};
struct guard {
    long *count;
    explicit guard(long *at) : count(at) {
        if (*at > 100)
            ++*count;
    }
    ~guard() {
        if (*count % 3 == 0)
            ++*count;
    }
};
struct heap {
    unsigned *at;
    unsigned n;
    template <class T> void sift(unsigned i, T less) {
        for (unsigned child; (child = 2 * i + 1) < n; i = child) {
            if (child + 1 < n && less(at[child], at[child + 1]))
                child++;
            if (!less(at[i], at[child]))
                break;
            unsigned other = at[i];
            at[i] = at[child];
            at[child] = other;
        }
    }
};
} // namespace

template <class T> static unsigned *partition(unsigned *low, unsigned *high, T before)
{
    for (;; ++low) {
        while (low < high && before(*low))
            ++low;
        do
            if (low >= --high)
                return low;
        while (!before(*high));
        unsigned other = *low;
        *low = *high;
        *high = other;
    }
}

static int sign(int x) { if (x < 0) return -1; if (x > 0) return 1; return 0; }
static unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
static unsigned collatz(unsigned n) { unsigned steps = 0; for (; n != 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2; return steps; }

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    unsigned *numbers = new unsigned[n];
    numbers_source source(7);
    long total = 0, guarded = 0;
    for (unsigned i = 0; i < n; i++)
        numbers[i] = source.next() % 10000;
    for (unsigned limit = 1000; limit < 10000; limit += 500) {
        unsigned *middle = partition(numbers, numbers + n, [=](unsigned x) { return x % 7 < 3 || x < limit; });
        total += middle - numbers;
    }
    heap all = {numbers, n};
    for (unsigned i = n; i-- > 0;)
        all.sift(i, [](unsigned a, unsigned b) { return a < b; });
    for (unsigned i = n; i-- > 0;)
        all.sift(i, [](unsigned a, unsigned b) { return a % 100 < b % 100; });
    for (unsigned i = 0; i < n; i++) {
        guard one(&guarded);
        total += sign((int)(numbers[i] % 5) - 2) + (int)gcd(numbers[i], i + 1) + (int)collatz(i + 1);
    }
    printf("%ld %ld\n", total, guarded);
    delete[] numbers;
}
