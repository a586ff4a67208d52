#include "walk/cache/witness.h"

/* The sum of a line: each word times a number of its own, so that neither a changed bit nor two
 * words in each other's place go unseen. In assembly and without a stack frame, so that a fault
 * inside can be led to its end. 0: it faulted. */
__asm__(".pushsection .text\n"
        "witness_sum:\n"
        "  xor %eax,%eax\n"
        "  .set witness_word, 0\n"
        "  .irp number,0x9E3779B97F4A7C15,0xD6E8FEB86659FD93,0xA0761D6478BD642F,"
        "0xE7037ED1A0B428DB,0x8EBC6AF09C88C6E3,0x589965CC75374CC3,0x1D8E4E27C47D124F,"
        "0xEB44ACCAB455D165\n"
        "  movabs $\\number,%rdx\n"
        "  imul witness_word(%rdi),%rdx\n"
        "  add %rdx,%rax\n"
        "  .set witness_word, witness_word + 8\n"
        "  .endr\n"
        "  or $1,%rax\n"
        "  ret\n"
        "witness_sum_gone:\n"
        "  xor %eax,%eax\n"
        "  ret\n"
        ".popsection\n");
uint64_t witness_sum(uint64_t line) __attribute__((visibility("hidden")));
extern const char witness_sum_gone[] __attribute__((visibility("hidden")));

uint64_t witness_fault(uint64_t pc)
{
    uint64_t start = (uint64_t)witness_sum, gone = (uint64_t)witness_sum_gone;
    return pc >= start && pc < gone ? gone : 0;
}

bool witness_readable(uint64_t at)
{
    return witness_sum(at & ~(uint64_t)(WITNESS_LINE_BYTES - 1)) != 0;
}

static bool line_add(struct witness *witness, uint64_t at)
{
    uint32_t slot = (uint32_t)((at * UINT64_C(0x9E3779B97F4A7C15)) >> 48);
    while (witness->index[slot] && witness->lines[witness->index[slot] - 1].at != at)
        slot = (slot + 1) & (WITNESS_INDEX - 1);
    if (witness->index[slot])
        return true;
    if (witness->n == WITNESS_LINES)
        return false;
    witness->lines[witness->n] = (struct witness_line){at, witness_sum(at)};
    __atomic_store_n(&witness->n, witness->n + 1, __ATOMIC_RELEASE);
    witness->index[slot] = witness->n;
    return true;
}

bool witness_add(struct witness *witness, uint64_t start, uint64_t bytes)
{
    uint64_t at = start & ~(uint64_t)(WITNESS_LINE_BYTES - 1);
    for (; at < start + bytes; at += WITNESS_LINE_BYTES)
        if (!line_add(witness, at))
            return false;
    return true;
}

bool witness_holds(const struct witness *witness)
{
    uint32_t n = __atomic_load_n(&witness->n, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (witness_sum(witness->lines[i].at) != witness->lines[i].sum)
            return false;
    return true;
}

void witness_forget(struct witness *witness)
{
    for (uint32_t i = 0; witness->n && i < WITNESS_INDEX; i++)
        if (witness->index[i])
            witness->index[i] = 0;
    __atomic_store_n(&witness->n, 0, __ATOMIC_RELEASE);
}
