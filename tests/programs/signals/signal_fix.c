/* Faults that are mended: a handler sees the true registers of the faulting instruction, makes the
 * page accessible, or changes a register, or steps over the instruction; then the program goes on.
 * In three threads. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 600 };

uint64_t touch(volatile void *at, uint64_t a, uint64_t b);
extern char touch_load[], touch_store[], touch_after[];
/* Every register holds something known when it faults. */
__asm__(
    ".text\ntouch: push %rbx\n push %r12\n mov %rsi,%rbx\n mov %rdx,%r12\n lea (%rsi,%rdx),%r8\n"
    "imul %rdx,%r8\n mov $0x1234,%ecx\n mov %r8,%r9\n xor %rsi,%r9\n mov $0x5678,%r11d\n stc\n"
    "touch_load: mov (%rdi),%rax\n adc %r8,%rax\n xor %r9,%rax\n"
    "touch_store: mov %rax,64(%rdi)\n"
    "touch_after: add %r11,%rax\n add %rcx,%rax\n add %rbx,%rax\n sub %r12,%rax\n pop %r12\n pop "
    "%rbx\n ret\n");

static _Thread_local char *page;
static _Thread_local volatile unsigned loads, stores, wrong;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    wrong += signal != SIGSEGV || g[REG_RCX] != 0x1234 || g[REG_R11] != 0x5678 ||
             g[REG_R9] != (g[REG_R8] ^ g[REG_RBX]) || g[REG_RDI] != (greg_t)page;
    if (g[REG_RIP] == (greg_t)touch_load) {
        wrong += info->si_addr != page || !(g[REG_EFL] & 1);
        loads++;
        mprotect(page, 4096, PROT_READ);
    } else if (g[REG_RIP] == (greg_t)touch_store) {
        wrong += info->si_addr != page + 64;
        stores++;
        if (stores % 2)
            mprotect(page, 4096, PROT_READ | PROT_WRITE);
        else
            g[REG_RIP] = (greg_t)touch_after, g[REG_R11] = 1;
    } else {
        wrong += 1000;
        _exit(99);
    }
}

static void *run(void *argument)
{
    uint64_t sum = (uint64_t)argument;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        mprotect(page, 4096, PROT_NONE);
        sum = sum * 31 + touch(page, sum, i);
        if (i % 64 == 0)
            for (int k = 0; k < 20000; k++)
                sum ^= sum << 13, sum ^= sum >> 7, sum ^= sum << 17;
    }
    if (wrong)
        printf("%u wrong\n", wrong);
    return (void *)(sum + loads * 3 + stores);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    pthread_t id[3];
    uint64_t sum = (uint64_t)run((void *)1);
    for (uint64_t i = 0; i < 3; i++)
        pthread_create(&id[i], NULL, run, (void *)(i + 2));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum ^= (uint64_t)result;
    }
    printf("%lx\n", sum);
    return 0;
}
