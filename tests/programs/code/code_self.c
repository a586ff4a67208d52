/* Code that changes itself while it runs: an instruction ahead in the same straight run, an
 * immediate in a loop, in and out of writability, many times. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint64_t self_changing(uint64_t n);
/* Each round adds one to the immediate of the add that follows at once. */
__asm__(".text\n.balign 4096\nself_changing: xor %eax,%eax\n lea self_add+3(%rip),%rcx\n"
        "1: incb (%rcx)\n"
        "self_add: .byte 0x48,0x83,0xc0,0x01\n nop\n nop\n"
        "dec %rdi\n jnz 1b\n ret\n.balign 4096\n");
extern char self_add[];

int main(void)
{
    char *page = (char *)((uint64_t)self_changing & ~UINT64_C(4095));
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
        abort();
    printf("%lu\n", self_changing(100000));
    printf("%lu\n", self_changing(3));
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 20; i++) {
        mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
        sum += self_changing(i + 1);
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
    }
    printf("%lu\n", sum);
    return 0;
}
