/* Code made at run time with everything within a gigabyte around it reserved, as runtimes with
 * large heaps do, and threads that share it: copies must find a place all the same. */
/* link: -pthread */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, THREADS = 3, STEP = 1 << 20 };
static const uint64_t AROUND = (UINT64_C(1) << 30) + (UINT64_C(1) << 26);

static unsigned char *code;

/* mov %rdi,%rax; 1: lea 3(%rax),%rax; dec %rdi; jnz 1b; ret */
static const unsigned char bytes[] = {0x48, 0x89, 0xf8, 0x48, 0x8d, 0x40, 0x03,
                                      0x48, 0xff, 0xcf, 0x75, 0xf7, 0xc3};

static void *work(void *n)
{
    uint64_t (*function)(uint64_t);
    memcpy(&function, &code, sizeof function);
    return (void *)function((uint64_t)n);
}

static void crowd(void)
{
    uint64_t middle = (uint64_t)code & ~(uint64_t)(STEP - 1);
    for (uint64_t at = middle - AROUND; at < middle + AROUND; at += STEP)
        mmap((void *)at, STEP, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(void)
{
    pthread_t threads[THREADS];
    uint64_t sum = 0;
    code = mmap((void *)0x300000000000, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, bytes, sizeof bytes);
    crowd();
    for (uint64_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(10000 * (i + 1)));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum = sum * 31 + (uint64_t)result;
    }
    printf("%lx\n", (unsigned long)sum);
    return 0;
}
