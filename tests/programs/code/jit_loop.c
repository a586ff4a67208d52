/* A loop that was made at run time, where code can be written: it stores, and calls code that is
 * changed after its first thousand turns. Prints what came of it, and the CPU time that the loop
 * took, in ns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* xor %eax,%eax; 1: call 2f; mov %rax,(%rsi); dec %rdi; jnz 1b; ret; 2: lea N(%rax),%rax; rol
 * $3,%rax; ret */
static const unsigned char made[] = {0x31, 0xc0, 0xe8, 0x09, 0x00, 0x00, 0x00, 0x48, 0x89,
                                     0x06, 0x48, 0xff, 0xcf, 0x75, 0xf3, 0xc3, 0x48, 0x8d,
                                     0x40, 0x01, 0x48, 0xc1, 0xc0, 0x03, 0xc3};
enum { NUMBER_AT = 19, PAGE = 4096 };

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000, last = 0;
    uint64_t (*loop)(uint64_t, uint64_t *);
    unsigned char *code =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, made, sizeof made);
    memcpy(&loop, &code, sizeof loop);
    loop(1000, &last);
    uint64_t first = last;
    code[NUMBER_AT] = 7;
    uint64_t start = cpu_ns();
    loop(turns, &last);
    uint64_t took = cpu_ns() - start;
    printf("%lx %lx\n", (unsigned long)first, (unsigned long)last);
    if (argc > 1)
        printf("%lu\n", (unsigned long)took);
    return 0;
}
