/* What programs do rarely and rightly: they patch their own code, run code from a memfd that they
 * write elsewhere, step themselves by the trap flag, check alignment, change handlers in a vfork
 * child, and end on a breakpoint. What it prints must not depend on who is watching. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { CALLS = 5000000 };

/* Alone on its page: mov $1, %eax; ret */
int patched(void);
__asm__(".text\n.balign 4096\npatched: mov $1,%eax\n ret\n.balign 4096\n");

static uint64_t call_often(int (*function)(void))
{
    uint64_t sum = 0;
    for (int i = 0; i < CALLS; i++)
        sum += (uint64_t)function();
    return sum;
}

static void set_result(void *code, unsigned char value)
{
    memcpy((char *)code + 1, &value, 1);
}

static void patch(void)
{
    uint64_t sum = 0;
    void *code;
    int (*function)(void) = patched;
    memcpy(&code, &function, sizeof code);
    for (unsigned char value = 1; value < 5; value++) {
        mprotect(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
        set_result(code, value);
        mprotect(code, 4096, PROT_READ | PROT_EXEC);
        sum = sum * 31 + call_often(patched);
    }
    printf("patched %lu\n", sum);
}

static void double_mapped(void)
{
    static const unsigned char body[] = {0xb8, 0, 0, 0, 0, 0xc3};
    int fd = memfd_create("code", 0);
    if (fd < 0 || ftruncate(fd, 4096))
        abort();
    unsigned char *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void *runs = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    close(fd);
    memcpy(writable, body, sizeof body);
    int (*function)(void);
    memcpy(&function, &runs, sizeof runs);
    uint64_t sum = 0;
    for (unsigned char value = 1; value < 5; value++) {
        set_result(writable, value);
        sum = sum * 31 + call_often(function);
    }
    printf("double mapped %lu\n", sum);
}

static volatile unsigned long steps;

static void on_step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    steps++;
}

static void step(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 200; i++)
        __asm__ volatile("sub $256,%%rsp\n pushfq\n orl $0x100,(%%rsp)\n popfq\n nop\n nop\n nop\n"
                         "pushfq\n andl $~0x100,(%%rsp)\n popfq\n add $256,%%rsp" ::
                             : "memory", "cc");
    printf("stepped %lu\n", steps);
    signal(SIGTRAP, SIG_DFL);
}

static void check_alignment(void)
{
    uint64_t sum = 1;
    __asm__ volatile("sub $256,%%rsp\n pushfq\n orl $0x40000,(%%rsp)\n popfq\n"
                     "mov $100000000,%%ecx\n1: add %%rcx,%0\n dec %%ecx\n jnz 1b\n"
                     "pushfq\n andl $~0x40000,(%%rsp)\n popfq\n add $256,%%rsp"
                     : "+r"(sum)
                     :
                     : "rcx", "memory", "cc");
    printf("aligned %lu\n", sum);
}

static volatile int caught;

static void on_divide(int signal)
{
    caught = signal;
}

static void children(void)
{
    signal(SIGFPE, on_divide);
    for (int i = 0; i < 50; i++) {
        pid_t pid = vfork();
        if (pid == 0) {
            signal(SIGFPE, SIG_DFL);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
    raise(SIGFPE);
    printf("caught %d\n", caught);
}

int main(void)
{
    patch();
    double_mapped();
    step();
    check_alignment();
    children();
    fflush(stdout);
    __asm__ volatile("int3");
    puts("survived a breakpoint");
    return 0;
}
