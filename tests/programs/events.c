/* A loop in which every value follows from a sequence of numbers: tests/truth/events.sh knows them
 * all. Instructions that it looks at have names; what is recorded at each can be told from the last
 * number. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t event_table[1024];
uint8_t event_buffer[64];
uint64_t event_loop(uint64_t n, uint64_t seed);

#define NAMED(name, code) ".globl event_" name "\nevent_" name ": " code "\n"
__asm__(
    ".text\nevent_loop: push %rbx\n push %r12\n mov %rdi,%rbx\n mov %rsi,%r12\n"
    "movabs $6364136223846793005,%r9\n movabs $1442695040888963407,%r8\n lea "
    "event_table(%rip),%r10\n"
    "1: " NAMED("mul", "imul %r9,%r12") NAMED("add", "add %r8,%r12") /* the next number */
    "mov %r12,%r11\n" NAMED("index", "shr $54,%r11")
    /* into the table and back, %r10 and %r11 in the address */
    NAMED("store", "mov %r12,(%r10,%r11,8)") NAMED("load", "mov (%r10,%r11,8),%rax")
        NAMED("exchange", "xadd %rax,(%r10,%r11,8)") NAMED("test", "cmp %rax,event_table+8(%rip)")
            NAMED("push", "push %r12") NAMED("pop", "pop %rcx") NAMED("call", "call 2f")
                NAMED("thread", "mov %fs:0x28,%rdx")
    /* both halves of a vector, and what is in them afterwards */
    NAMED("move", "movq %r12,%xmm9") NAMED("vector", "punpcklqdq %xmm9,%xmm9")
        NAMED("bits", "movmskpd %xmm9,%ecx")
    /* as many bytes as the number says */
    "mov %r12d,%ecx\n and $31,%ecx\n lea event_buffer(%rip),%rdi\n mov %cl,%al\n" NAMED("fill",
                                                                                        "rep stosb")
    /* divided by its top bits */
    "or $1,%r11\n mov %r12,%rax\n xor %edx,%edx\n" NAMED(
        "divide", "div %r11") "dec %rbx\n jnz 1b\n mov %r12,%rax\n pop %r12\n pop %rbx\n ret\n"
                              "2: " NAMED("return", "ret") "\n");

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
    printf("%lx\n", event_loop(n, 1));
    return 0;
}
