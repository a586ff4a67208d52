/* Rounds of two branches and a call, in threads; tests/truth/plan.sh numbers their paths. The carry
 * lives across the edges. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t path_rounds(uint64_t n, uint64_t seed);
#define NAMED(name) ".globl path_" name "\npath_" name ": "
/* clang-format off */
__asm__(".text\n" NAMED("rounds") "mov %rdi,%rcx\n xor %eax,%eax\n" NAMED(
    "head") "imul "
            "$1103515245,%rsi,%"
            "rsi\n add "
            "$12345,%rsi\n bt "
            "$16,%rsi\n" NAMED(
                "f"
                "i"
                "r"
                "s"
                "t") "jnc path_skip\n add $1,%rax\n" NAMED("skip") "bt $17,%rsi\n" NAMED("secon"
                                                                                         "d") "jnc "
                                                                                              "path"
                                                                                              "_oth"
                                                                                              "er"
                                                                                              "\n" NAMED("on") "adc "
                                                                                                               "$2,%"
                                                                                                               "rax"
                                                                                                               "\n" NAMED("jump") "jmp path_join\n" NAMED("other") "adc $3,%rax\n" NAMED("join") "bt $18,%rsi\n" NAMED("call") "call path_callee\n" NAMED(
                                                                                                                   "behind") "adc $0,%rax\n" NAMED("last") "dec %rcx\n jnz path_head\n ret\n" NAMED("callee") "lea 5(%rax),%rax\n ret\n");
/* clang-format on */

static uint64_t rounds;

static void *run(void *number)
{
    return (void *)path_rounds(rounds, (uint64_t)number + 1);
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
    uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    pthread_t threads[16];
    for (uint64_t i = 0; i < n && i < 16; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (uint64_t i = 0; i < n && i < 16; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        printf("%lx\n", (uint64_t)sum);
    }
    return 0;
}
