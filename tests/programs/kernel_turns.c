/* Two functions that run as many instructions each, at the same pace: one in a row, the other
 * between reads that keep the kernel busy ten times as long. They take turns of half a second. */
#include <fcntl.h>
#include <unistd.h>

static volatile unsigned long word;

/* Calls, so that what copies cost is not hidden behind a chain of multiplications: there counts are
 * up to twice too high (docs/PERFORMANCE.md). */
__attribute__((noipa)) static unsigned long next(unsigned long at, unsigned long i)
{
    return i & 3 ? at + i : at ^ i;
}

#define PART(name)                                                                                 \
    __attribute__((noipa, aligned(256))) static void name(int n)                                   \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            word = next(word, (unsigned long)i);                                                   \
    }
PART(alone)
PART(between)

enum { TURNS = 4, ROUNDS = 2500, N = 10000 };

static char buffer[4 << 20];

int main(void)
{
    int zeros = open("/dev/zero", O_RDONLY);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 4 * ROUNDS; i++)
            alone(N);
        for (int i = 0; i < ROUNDS; i++) {
            between(N);
            if (read(zeros, buffer, sizeof buffer) != sizeof buffer)
                return 1;
        }
    }
    return 0;
}
