/* Code made at run time, at addresses that are used again: written, run, unmapped or overwritten,
 * run again with another meaning; by protection changes, by new mappings, through a writable page,
 * in threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ROUNDS = 150 };

/* mov $N,%eax; 1: lea 3(%rax),%rax; dec %edi; jnz 1b; ret */
static void make(unsigned char *at, uint32_t n)
{
    static const unsigned char tail[] = {0x48, 0x8d, 0x40, 0x03, 0xff, 0xcf, 0x75, 0xf8, 0xc3};
    at[0] = 0xb8;
    memcpy(at + 1, &n, 4);
    memcpy(at + 5, tail, sizeof tail);
    at[8] = (unsigned char)(n % 100 + 1);
}

static uint64_t run(void *code, int n)
{
    uint64_t (*function)(int);
    memcpy(&function, &code, sizeof function);
    return function(n);
}

static uint64_t protected(void)
{
    uint64_t sum = 0;
    unsigned char *at =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        make(at, i * 77);
        mprotect(at, PAGE, PROT_READ | PROT_EXEC);
        sum = sum * 31 + run(at, 20000);
        mprotect(at, PAGE, PROT_READ | PROT_WRITE);
    }
    munmap(at, PAGE);
    return sum;
}

static uint64_t mapped_anew(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        unsigned char *at = mmap((void *)0x700000000, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        make(at, i * 13);
        sum = sum * 31 + run(at, 20000);
        if (i % 2)
            munmap(at, PAGE);
    }
    return sum;
}

static void *overwritten(void *seed)
{
    uint64_t sum = 0;
    unsigned char *at =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        make(at, i * 19 + (uint32_t)(uint64_t)seed);
        sum = sum * 31 + run(at, 20000);
    }
    munmap(at, PAGE);
    return (void *)sum;
}

int main(void)
{
    printf("%lx\n", protected());
    printf("%lx\n", mapped_anew());
    printf("%lx\n", (uint64_t)overwritten((void *)3));
    pthread_t id[3];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 3; i++)
        pthread_create(&id[i], NULL, overwritten, (void *)i);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum = sum * 31 + (uint64_t)result;
    }
    printf("%lx\n", sum);
    return 0;
}
