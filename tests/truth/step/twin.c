#include "twin.h"

#include "log.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100 };

uint64_t *twin_gpr(struct twin *twin, int number)
{
    struct user_regs_struct *r = &twin->regs;
    unsigned long long *const at[16] = {&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp,
                                        &r->rsi, &r->rdi, &r->r8,  &r->r9,  &r->r10, &r->r11,
                                        &r->r12, &r->r13, &r->r14, &r->r15};
    return (uint64_t *)at[number];
}

bool twin_read(const struct twin *twin, uint64_t at, void *into, size_t bytes)
{
    return pread(twin->memory, into, bytes, (off_t)at) == (ssize_t)bytes;
}

bool twin_write(const struct twin *twin, uint64_t at, const void *from, size_t bytes)
{
    return pwrite(twin->memory, from, bytes, (off_t)at) == (ssize_t)bytes;
}

bool twin_xsave(const struct twin *twin, uint8_t *into, size_t bytes)
{
    struct iovec area = {into, bytes};
    memset(into, 0, bytes);
    return ptrace(PTRACE_GETREGSET, twin->pid, NT_X86_XSTATE, &area) == 0;
}

void twin_set(struct twin *twin)
{
    twin->regs.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, twin->pid, NULL, &twin->regs);
}

bool twin_open(struct twin *twin, pid_t pid, const struct entry *state)
{
    char path[64];
    int status;
    *twin = (struct twin){.pid = pid};
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        return false;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    twin->memory = open(path, O_RDWR | O_CLOEXEC);
    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
    ptrace(PTRACE_GETREGS, pid, NULL, &twin->regs);
    for (int i = 0; i < 16; i++)
        *twin_gpr(twin, i) = state->gpr[i];
    twin->regs.rip = state->pc;
    twin->regs.eflags = state->flags;
    twin->regs.gs_base = 0;
    twin_set(twin);
    struct iovec area = {(void *)(uintptr_t)state->xsave, LOG_XSAVE};
    uint8_t now[LOG_XSAVE];
    struct iovec have = {now, sizeof now};
    if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &have))
        return false;
    area.iov_len = have.iov_len;
    memcpy(now, state->xsave, have.iov_len);
    memset(now + 512 + 8, 0, 56); /* of the header only the components that are in use */
    memcpy(now + 464, (uint8_t[48]){0}, 48);
    area.iov_base = now;
    return twin->memory >= 0 && ptrace(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &area) == 0;
}

void twin_close(struct twin *twin)
{
    if (!twin->pid)
        return;
    kill(twin->pid, SIGKILL);
    waitpid(twin->pid, NULL, 0);
    close(twin->memory);
    *twin = (struct twin){0};
}

static bool resume(struct twin *twin, int how)
{
    int status;
    if (ptrace(how, twin->pid, NULL, NULL) || waitpid(twin->pid, &status, 0) != twin->pid)
        return false;
    ptrace(PTRACE_GETREGS, twin->pid, NULL, &twin->regs);
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP)
        return true;
    printf("the native twin got signal %d at %llx\n", WIFSTOPPED(status) ? WSTOPSIG(status) : -1,
           twin->regs.rip);
    return false;
}

static bool decode(const struct twin *twin, uint8_t bytes[16], ZydisDecodedInstruction *ret)
{
    static ZydisDecoder decoder;
    if (decoder.machine_mode != ZYDIS_MACHINE_MODE_LONG_64 || decoder.stack_width == 0)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ssize_t n = pread(twin->memory, bytes, 16, (off_t)twin->regs.rip);
    return n > 0 &&
           ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, (ZyanUSize)n, ret));
}

bool twin_at_syscall(struct twin *twin)
{
    uint8_t bytes[2];
    return twin_read(twin, twin->regs.rip, bytes, 2) && bytes[0] == 0x0f && bytes[1] == 0x05;
}

/* The trap flag stops behind every round of it: a breakpoint behind it is faster. */
static bool run_repeated(struct twin *twin, uint64_t next)
{
    uint8_t kept, trap = 0xcc;
    if (!twin_read(twin, next, &kept, 1) || !twin_write(twin, next, &trap, 1) ||
        !resume(twin, PTRACE_CONT))
        return false;
    bool good = twin->regs.rip == next + 1;
    twin->regs.rip = next;
    twin_set(twin);
    return twin_write(twin, next, &kept, 1) && good;
}

static bool by_chance(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_RDTSC || mnemonic == ZYDIS_MNEMONIC_RDTSCP ||
           mnemonic == ZYDIS_MNEMONIC_CPUID || mnemonic == ZYDIS_MNEMONIC_RDRAND ||
           mnemonic == ZYDIS_MNEMONIC_RDSEED || mnemonic == ZYDIS_MNEMONIC_RDPID;
}

bool twin_step(struct twin *twin)
{
    uint8_t bytes[16];
    ZydisDecodedInstruction insn;
    if (!decode(twin, bytes, &insn))
        return false;
    twin->came_from = twin->regs.rip;
    twin->steps++;
    twin->chance |= by_chance(insn.mnemonic);
    if (insn.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        return run_repeated(twin, twin->regs.rip + insn.length);
    if (!resume(twin, PTRACE_SINGLESTEP))
        return false;
    if (insn.mnemonic == ZYDIS_MNEMONIC_PUSHFQ || insn.mnemonic == ZYDIS_MNEMONIC_PUSHF) {
        uint16_t low; /* it saw the trap flag that steps it */
        return twin_read(twin, twin->regs.rsp, &low, 2) &&
               twin_write(twin, twin->regs.rsp, &(uint16_t){(uint16_t)(low & ~TRAP_FLAG)}, 2);
    }
    return true;
}

long twin_call(struct twin *twin, uint64_t number, const uint64_t argument[6])
{
    struct user_regs_struct kept = twin->regs;
    static const int at[6] = {7, 6, 2, 10, 8, 9};
    twin->regs.rax = number;
    for (int i = 0; i < 6; i++)
        *twin_gpr(twin, at[i]) = argument[i];
    twin_set(twin);
    long result = resume(twin, PTRACE_SINGLESTEP) ? (long)twin->regs.rax : -EIO;
    twin->regs = kept;
    twin_set(twin);
    return result;
}
