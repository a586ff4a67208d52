#include "agent/base/program_memory.h"

#include "walk/base/sys.h"

#include <asm/signal.h>
#include <sys/syscall.h>

struct span {
    uint64_t start, bytes;
};

static bool copy(long number, uint64_t program, uint64_t ours, uint64_t bytes)
{
    struct span local = {ours, bytes}, remote = {program, bytes};
    long pid = sys3(SYS_getpid, 0, 0, 0);
    return sys6(number, pid, (long)&local, 1, (long)&remote, 1, 0) == (long)bytes;
}

bool program_read(uint64_t from, void *to, uint64_t bytes)
{
    return copy(SYS_process_vm_readv, from, (uint64_t)to, bytes);
}

/* process_vm_writev does not make a stack grow; the kernel's own writes do. So a system call writes
 * 8 bytes to its lowest address, which are then overwritten. */
static bool stack_grow(uint64_t to, uint64_t bytes)
{
    return bytes >= 8 && sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)to, 8, 0, 0) == 0;
}

bool program_write(uint64_t to, const void *from, uint64_t bytes)
{
    return copy(SYS_process_vm_writev, to, (uint64_t)from, bytes) ||
           (stack_grow(to, bytes) && copy(SYS_process_vm_writev, to, (uint64_t)from, bytes));
}
