/* Code of a file that is patched in place, as tracers do it: a jump over nops becomes a call. What
 * runs then is not what the file says. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, CALL_BYTES = 5 };

uint64_t patched(uint64_t n);
extern unsigned char sled[], callee[];
__asm__(".text\n.balign 4096\n"
        "patched: xor %eax,%eax\n"
        "1:\n"
        "sled: .byte 0xeb,0x03,0x90,0x90,0x90\n" /* jmp over three nops */
        "add $1,%rax\n dec %rdi\n jnz 1b\n ret\n"
        "callee: add $1000,%rax\n ret\n.balign 4096\n");

int main(void)
{
    uintptr_t page = (uintptr_t)sled & ~(uintptr_t)(PAGE - 1);
    printf("%lu\n", patched(3000000));
    int32_t distance = (int32_t)(callee - (sled + CALL_BYTES));
    unsigned char call[CALL_BYTES] = {0xe8};
    memcpy(call + 1, &distance, sizeof distance);
    if (mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE))
        return 1;
    memcpy(sled, call, sizeof call);
    if (mprotect((void *)page, PAGE, PROT_READ | PROT_EXEC))
        return 1;
    printf("%lu\n", patched(3000000));
    return 0;
}
