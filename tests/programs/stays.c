/* Functions that look at the clock until so many ticks have gone by, in two contexts each; and how
 * long that took by the same clock: "caller function ticks ticks calls", without and with those of
 * calls that took twice as long since others had the CPU. Last, how often the kernel took the CPU
 * away: "switches number". */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <x86intrin.h>

static uint64_t spent[2][3], undisturbed[2][3];

#define STAY(name, which, ticks)                                                                   \
    __attribute__((noipa)) static void name(int caller)                                            \
    {                                                                                              \
        uint64_t start = __rdtsc(), now;                                                           \
        while ((now = __rdtsc()) - start < (ticks))                                                \
            ;                                                                                      \
        spent[caller][which] += now - start;                                                       \
        undisturbed[caller][which] += now - start < 2 * (ticks) ? now - start : (ticks);           \
    }
STAY(stay_short, 0, 200)
STAY(stay_medium, 1, 1000)
STAY(stay_long, 2, 5000)

__attribute__((noipa)) static void often(int n)
{
    for (int i = 0; i < n; i++) {
        stay_short(0);
        stay_medium(0);
        stay_long(0);
    }
    __asm__ volatile("");
}

__attribute__((noipa)) static void rarely(int n)
{
    for (int i = 0; i < n; i++) {
        stay_short(1);
        stay_medium(1);
        stay_long(1);
    }
    __asm__ volatile("");
}

/* With an argument it tells how long they were, which is chance. */
int main(int argc, char **argv)
{
    (void)argv;
    static const char *const callers[] = {"often", "rarely"};
    static const char *const functions[] = {"stay_short", "stay_medium", "stay_long"};
    often(20000);
    rarely(50);
    for (int i = 0; argc > 1 && i < 2; i++)
        for (int j = 0; j < 3; j++)
            printf("%s %s %llu %llu %d\n", callers[i], functions[j],
                   (unsigned long long)undisturbed[i][j], (unsigned long long)spent[i][j],
                   i ? 50 : 20000);
    struct rusage used;
    if (argc > 1 && getrusage(RUSAGE_SELF, &used) == 0)
        printf("switches %ld\n", used.ru_nivcsw);
    return 0;
}
