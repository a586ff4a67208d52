/* Activations that exceptions leave in the middle of their paths: with and without objects to destroy, through functions called
 * directly, by a pointer, and by the library. */
#include <cstdio>
#include <stdexcept>
#include <vector>

#define KEPT __attribute__((noinline, noclone))

static int destroyed;

struct counted {
    ~counted() { destroyed++; }
};

KEPT static int deep(int n)
{
    counted here;
    if (n == 0)
        throw std::runtime_error("deep");
    int sum = n & 1 ? n : -n;
    return deep(n - 1) + sum;
}

KEPT static int bare(int n) /* nothing to destroy: no landing */
{
    int sum = n % 3 ? n : 2;
    sum += deep(n % 4);
    return sum + 1;
}

static int (*volatile pointed)(int) = bare;

KEPT static int by_pointer(int n)
{
    int sum = n & 2 ? 3 : n;
    return pointed(n) + sum;
}

KEPT static int by_library(const std::vector<int> &numbers, unsigned n)
{
    int sum = n & 1 ? 5 : 7;
    return numbers.at(n) + sum;
}

KEPT static int way(const std::vector<int> &numbers, int n)
{
    int sum = 0;
    for (int i = 0; i < n % 5; i++) {
        try {
            sum += i & 1 ? by_pointer(n + i) : i & 2 ? bare(n) : by_library(numbers, (unsigned)n % 20);
        } catch (const std::out_of_range &) {
            sum += 2;
        } catch (const std::exception &) {
            sum++;
        }
    }
    return sum;
}

int main()
{
    std::vector<int> numbers(10, 1);
    int sum = 0;
    for (int n = 0; n < 3000; n++)
        sum += way(numbers, n);
    printf("%d %d\n", sum, destroyed);
    return 0;
}
