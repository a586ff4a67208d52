/* Branches that compilers do not make: returns to pushed addresses, return addresses popped and
 * changed, calls through the stack pointer, loop and jrcxz, jump tables on the stack, deep
 * recursion and an unbalanced return. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t odd_branches(uint64_t n);
__asm__(".text\nodd_branches: push %rbx\n push %rbp\n mov %rdi,%rbx\n xor %eax,%eax\n"
        "1: lea 2f(%rip),%rcx\n push %rcx\n ret\n ud2\n"    /* a return that is a jump */
        "2: call 3f\n3: pop %rdx\n add $7,%rax\n"           /* where am I */
        "call 4f\n ud2\n jmp 5f\n4: addq $2,(%rsp)\n ret\n" /* returns past the ud2 */
        "5: lea 6f(%rip),%rcx\n push %rcx\n call *(%rsp)\n add $8,%rsp\n" /* through the stack */
        "mov $3,%ecx\n7: lea 1(%rax,%rax,2),%rax\n loop 7b\n"
        "jrcxz 8f\n ud2\n8: mov %ebx,%ecx\n and $7,%ecx\n jrcxz 9f\n 10: rol $3,%rax\n loopne 10b\n"
        "9: push %rax\n push %rax\n call 11f\n" /* the callee takes its arguments */
        "mov %rsp,%rbp\n enter $32,$0\n mov %rax,-8(%rbp)\n leave\n"
        "dec %rbx\n jnz 1b\n pop %rbp\n pop %rbx\n ret\n"
        "6: xor $5,%rax\n ret\n"
        "11: mov 8(%rsp),%rdx\n add 16(%rsp),%rdx\n xor %rdx,%rax\n ret $16\n");

static uint64_t deep(uint64_t n)
{
    volatile uint64_t here = n;
    return n ? deep(n - 1) * 31 + here : 1;
}

static uint64_t (*volatile chosen[8])(uint64_t);
static uint64_t f0(uint64_t x)
{
    return x + 1;
}
static uint64_t f1(uint64_t x)
{
    return x * 3;
}
static uint64_t f2(uint64_t x)
{
    return x ^ x >> 7;
}
static uint64_t f3(uint64_t x)
{
    return chosen[x & 1](x) - 5;
}

int main(void)
{
    printf("%lx\n", odd_branches(200000));
    uint64_t sum = 0;
    for (int i = 0; i < 40; i++)
        sum += deep(2000);
    printf("%lx\n", sum);
    chosen[0] = f0, chosen[1] = f1, chosen[2] = f2, chosen[3] = f3;
    for (uint64_t i = 0; i < 2000000; i++)
        sum = chosen[(sum ^ i) & 3](sum);
    printf("%lx\n", sum);
    return 0;
}
