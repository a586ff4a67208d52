#include "walk/base/probe.h"

/* In assembly and without a stack frame, so that a fault inside can be led to the end.
 *
 * probe_compare: %rdi the program's bytes, %rsi ours, %rdx how many: 1 if they are the same.
 * probe_copy: %rdi ours, %rsi the program's: 1 if they could be read.
 * probe_sum: each word times a number of its own, so that neither a changed bit nor two swapped
 * words go unseen. */
__asm__(".pushsection .text\n"
        "probe_compare:\n"
        "1: cmp $8,%rdx\n  jb 2f\n"
        "  mov (%rdi),%rax\n  cmp (%rsi),%rax\n  jne probe_gone\n"
        "  add $8,%rdi\n  add $8,%rsi\n  sub $8,%rdx\n  jmp 1b\n"
        "2: test %rdx,%rdx\n  jz 3f\n"
        "  movzbl (%rdi),%eax\n  cmp (%rsi),%al\n  jne probe_gone\n"
        "  inc %rdi\n  inc %rsi\n  dec %rdx\n  jmp 2b\n"
        "probe_copy:\n"
        "  mov %rdx,%rcx\n  rep movsb\n"
        "3: mov $1,%eax\n  ret\n"
        ".globl probe_sum\n.hidden probe_sum\n.type probe_sum,@function\n"
        "probe_sum:\n"
        "  xor %eax,%eax\n"
        "  .set probe_word, 0\n"
        "  .irp number,0x9E3779B97F4A7C15,0xD6E8FEB86659FD93,0xA0761D6478BD642F,"
        "0xE7037ED1A0B428DB,0x8EBC6AF09C88C6E3,0x589965CC75374CC3,0x1D8E4E27C47D124F,"
        "0xEB44ACCAB455D165\n"
        "  movabs $\\number,%rdx\n"
        "  imul probe_word(%rdi),%rdx\n"
        "  add %rdx,%rax\n"
        "  .set probe_word, probe_word + 8\n"
        "  .endr\n"
        "  or $1,%rax\n"
        "  ret\n"
        "probe_gone:\n"
        "  xor %eax,%eax\n  ret\n"
        ".popsection\n");
uint32_t probe_compare(uint64_t program, const uint8_t *ours, uint64_t bytes)
    __attribute__((visibility("hidden")));
uint32_t probe_copy(uint8_t *ours, uint64_t program, uint64_t bytes)
    __attribute__((visibility("hidden")));
extern const char probe_gone[] __attribute__((visibility("hidden")));

uint64_t probe_fault(uint64_t pc)
{
    uint64_t start = (uint64_t)probe_compare, gone = (uint64_t)probe_gone;
    return pc >= start && pc < gone ? gone : 0;
}

bool probe_read(uint8_t *to, uint64_t from, uint64_t bytes)
{
    return probe_copy(to, from, bytes);
}

bool probe_same(uint64_t from, const uint8_t *ours, uint64_t bytes)
{
    return probe_compare(from, ours, bytes);
}

bool probe_readable(uint64_t at)
{
    return probe_sum(at & ~(uint64_t)(PROBE_LINE_BYTES - 1)) != 0;
}
