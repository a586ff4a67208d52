/* Each handler raises the next signal, so that the frames of all of them lie on one stack: it has
 * to grow for a frame. */
#include <signal.h>
#include <stdio.h>

enum { SIGNALS = 64, ROUNDS = 20 };
static int order[SIGNALS], n;
static volatile sig_atomic_t depth, deepest;
static volatile unsigned seen;

static void on_signal(int signal)
{
    int at = depth++;
    deepest = depth > deepest ? depth : deepest;
    seen = seen * 31 + (unsigned)signal;
    if (at + 1 < n)
        raise(order[at + 1]);
    depth--;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    for (int signal = 1; signal <= SIGNALS; signal++)
        if (sigaction(signal, &action, NULL) == 0)
            order[n++] = signal;
    for (int i = 0; i < ROUNDS; i++)
        raise(order[0]);
    printf("%d signals, %d deep, %u\n", n, (int)deepest, seen);
    return 0;
}
