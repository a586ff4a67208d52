/* AMX tiles: a signal frame takes 8 KiB more while they are in use. Handlers run on an alternate
 * stack with room for one frame, and the tiles hold what they held. Where there are no tiles it
 * says so, and that is all. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { TICKS = 300, PAGE = 4096, HANDLER_BYTES = 512, REQUEST = 0x1023, TILE_DATA = 18 };

static volatile int ticks;
static volatile uint64_t sum;
static uint8_t in[2][16][64], out[16][64];

static void toil(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 5 + 1;
}

static void on_tick(int signal)
{
    (void)signal;
    toil(20000);
    ticks++;
}

static void tiles_set(void)
{
    struct {
        uint8_t palette, row, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } config = {.palette = 1, .bytes = {64, 64}, .rows = {16, 16}};
    __asm__ volatile("ldtilecfg %0" : : "m"(config));
}

static int tiles_held(void)
{
    __asm__ volatile("tileloadd (%0,%2,1),%%tmm0\n tileloadd (%1,%2,1),%%tmm1"
                     :
                     : "r"(in[0]), "r"(in[1]), "r"(64L)
                     : "memory");
    toil(200000);
    __asm__ volatile("tilestored %%tmm1,(%0,%1,1)" : : "r"(out), "r"(64L) : "memory");
    return memcmp(out, in[1], sizeof out) == 0;
}

int main(void)
{
    size_t bytes = getauxval(AT_MINSIGSTKSZ) + HANDLER_BYTES,
           whole = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (syscall(SYS_arch_prctl, REQUEST, TILE_DATA)) {
        puts("no tiles");
        return 0;
    }
    for (size_t i = 0; i < sizeof in; i++)
        in[i / 1024][i / 64 % 16][i % 64] = (uint8_t)(i * 7 + i / 256);
    char *at = mmap(NULL, PAGE + whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at, PAGE, PROT_NONE);
    stack_t small = {.ss_sp = at + PAGE, .ss_size = 8192};
    printf("too small: %d\n", sigaltstack(&small, NULL));
    stack_t stack = {.ss_sp = at + PAGE + whole - bytes, .ss_size = bytes};
    printf("set: %d\n", sigaltstack(&stack, NULL));
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_ONSTACK};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 400}, {0, 400}}, NULL);
    int lost = 0;
    tiles_set();
    while (ticks < TICKS)
        lost += !tiles_held();
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    __asm__ volatile("tilerelease");
    printf("lost: %d\n", lost);
    return 0;
}
