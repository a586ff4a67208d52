/* A page of code that is written and executed in turn, as JITs do that never have both rights:
 * each round has other code there, and what may not be executed faults. Two copies of it are
 * reached in different ways, and a second page stays as it is. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ROUNDS = 3000, FAULT_EVERY = 50 };

static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void on_fault(int signal)
{
    (void)signal;
    faults++;
    siglongjmp(back, 1);
}

/* mov $value,%eax; ret */
static void code_write(unsigned char *at, uint32_t value)
{
    at[0] = 0xb8;
    memcpy(at + 1, &value, 4);
    at[5] = 0xc3;
}

static unsigned char *page_make(uint32_t value)
{
    unsigned char *at =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code_write(at, value);
    mprotect(at, PAGE, PROT_READ | PROT_EXEC);
    return at;
}

static uint32_t call(unsigned char *at)
{
    uint32_t (*function)(void);
    memcpy(&function, &at, sizeof at);
    return function();
}

int main(void)
{
    unsigned char *volatile changes = page_make(1), *volatile stays = page_make(2);
    volatile uint64_t sum = 0;
    volatile uint32_t i;
    signal(SIGSEGV, on_fault);
    for (i = 0; i < ROUNDS; i++) {
        mprotect(changes, PAGE, PROT_READ | PROT_WRITE);
        if (i % FAULT_EVERY == 0 && !sigsetjmp(back, 1))
            sum += call(changes) + 1000000; /* faults */
        code_write(changes, i % 3 ? i : 7); /* now and then what was there before */
        mprotect(changes, PAGE, PROT_READ | PROT_EXEC);
        for (int j = 0; j < 5; j++)
            sum = sum * 31 + call(changes) + call(stays);
    }
    printf("%lx, %d faults\n", (unsigned long)sum, (int)faults);
    return 0;
}
