/* Works in one function for about 20 ms, by calls that are long, and waits 100 ms in another, called once: the clock goes on, the CPU time does not. */
#include <stdint.h>
#include <time.h>

__attribute__((noipa)) static uint64_t works(uint64_t x)
{
    for (uint64_t i = 1; i <= 20000; i++)
        __asm__ volatile("xor %%edx, %%edx\n div %1" : "+a"(x) : "r"(i | 3) : "rdx", "cc");
    return x;
}

__attribute__((noipa)) static void idles(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

int main(void)
{
    uint64_t x = 1;
    for (int i = 0; i < 100; i++) {
        x = works(x | UINT64_C(1) << 62);
        if (i == 50)
            idles();
    }
    return x == 42;
}
