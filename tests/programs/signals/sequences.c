/* Restartable sequences: counters, one a CPU, added to without locks by sequences that the kernel
 * starts again when it interrupts them. Nothing may be lost. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>
#include <unistd.h>

enum { THREADS = 4, ADDS = 15000000, CPUS = 1024 };
static struct {
    _Alignas(64) uint64_t n;
} counters[CPUS];

static struct rseq *own(void)
{
    return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

/* Adds one to the counter of this CPU; false: it was interrupted. */
static int add(struct rseq *rseq)
{
    int done = 0;
    __asm__ volatile(".pushsection __rseq_cs, \"aw\"\n.balign 32\n"
                     "3: .long 0,0\n.quad 1f,2f-1f,4f\n.popsection\n"
                     "lea 3b(%%rip),%%rax\n mov %%rax,8(%[rseq])\n"
                     "1: mov 4(%[rseq]),%%eax\n shl $6,%%rax\n"
                     "mov (%[counters],%%rax),%%rcx\n add $1,%%rcx\n"
                     "mov %%rcx,(%[counters],%%rax)\n"
                     "2: movl $1,%[done]\n"
                     ".pushsection __rseq_failure, \"ax\"\n"
                     ".byte 0x0f,0xb9,0x3d\n.long 0x53053053\n"
                     "4: jmp 5f\n.popsection\n5:\n"
                     : [done] "+r"(done)
                     : [rseq] "r"(rseq), [counters] "r"(counters)
                     : "rax", "rcx", "memory", "cc");
    return done;
}

static void *run(void *unused)
{
    struct rseq *rseq = own();
    for (int i = 0; i < ADDS; i++)
        while (!add(rseq))
            ;
    return unused;
}

int main(void)
{
    if (__rseq_size == 0) {
        puts("no restartable sequences here");
        return 0;
    }
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    uint64_t sum = 0;
    for (int i = 0; i < CPUS; i++)
        sum += counters[i].n;
    printf("%ld lost\n", (long)THREADS * ADDS - (long)sum);
    return 0;
}
