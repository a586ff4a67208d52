/* Coroutines on stacks of 1 KiB, too small for any signal, by a program that has none: nothing may
 * be written below them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1 << 10, N = 16, SWITCHES = 6000000 };
static struct {
    unsigned char before[8192];
    char stack[STACK] __attribute__((aligned(64)));
} room[N];
static void *other[N], *back;
static uint64_t sum;

void stack_switch(void **from, void *to);
__asm__(
    ".text\nstack_switch: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop "
    "%rbx\n ret\n");
static unsigned current;

static void body(void)
{
    unsigned me = current;
    for (uint64_t i = 0;; i++) {
        for (int k = 0; k < 10; k++)
            sum = sum * 33 + i;
        stack_switch(&other[me], back);
    }
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        memset(room[i].before, 0xa5, sizeof room[i].before);
        uint64_t *top = (uint64_t *)(room[i].stack + STACK) - 8;
        top[6] = (uint64_t)body;
        other[i] = top;
    }
    for (unsigned i = 0; i < SWITCHES; i++) {
        current = i % N;
        stack_switch(&back, other[current]);
    }
    unsigned long touched = 0;
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < sizeof room[i].before; k++)
            touched += room[i].before[k] != 0xa5;
    printf("%lx, %lu bytes below touched\n", sum, touched);
    return 0;
}
