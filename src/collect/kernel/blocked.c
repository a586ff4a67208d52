#include "collect/kernel/blocked.h"

#include "collect/kernel/samples.h"
#include "collect/target/thread_state.h"
#include "profile/profile.h"
#include "profile/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 13 };

/* What a descriptor leads to. */
static enum wait_file file_kind(uint32_t pid, uint64_t fd)
{
    char path[64], to[32] = "";
    struct stat status;
    snprintf(path, sizeof path, "/proc/%u/fd/%u", pid, (uint32_t)fd);
    if (stat(path, &status) == 0 && !S_ISCHR(status.st_mode) && status.st_mode & S_IFMT)
        return S_ISFIFO(status.st_mode)   ? WAIT_PIPE
               : S_ISSOCK(status.st_mode) ? WAIT_SOCKET
                                          : WAIT_FILE;
    ssize_t n = readlink(path, to, sizeof to - 1);
    to[n < 0 ? 0 : n] = 0;
    if (strncmp(to, "/dev/pts/", 9) == 0 || strncmp(to, "/dev/tty", 8) == 0)
        return WAIT_TERMINAL;
    return strstr(to, "eventfd") ? WAIT_EVENT : strstr(to, "timerfd") ? WAIT_TIMER : WAIT_FILE_NONE;
}

/* A mutex of glibc has its owner eight bytes after the word that threads wait for, which is 2
 * meanwhile. Other locks have something else there: a number that is no thread of the process. */
static uint64_t holder_of(uint32_t pid, uint32_t tid, uint64_t futex)
{
    uint32_t words[3] = {0};
    char path[64];
    struct iovec to = {words, sizeof words};
    struct iovec from = {(void *)(uintptr_t)futex, sizeof words};
    if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) != sizeof words || words[0] != 2 ||
        !words[2] || words[2] == tid)
        return 0;
    snprintf(path, sizeof path, "/proc/%u/task/%u", pid, words[2]);
    return access(path, F_OK) == 0 ? words[2] : 0;
}

bool blocked_read(uint32_t pid, uint32_t tid, struct blocked *ret_blocked)
{
    char text[256];
    long long number;
    uint64_t args[6];
    if (!thread_text((int)pid, (int)tid, "syscall", text, sizeof text) ||
        sscanf(text, "%lld", &number) != 1)
        return false;
    if (number < 0) { /* in no system call */
        ret_blocked->call = WAIT_NO_CALL;
        return sscanf(text, "%*d %" SCNx64 " %" SCNx64, &ret_blocked->sp, &ret_blocked->pc) == 2;
    }
    if (sscanf(text,
               "%*d %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
               " %" SCNx64 " %" SCNx64,
               &args[0], &args[1], &args[2], &args[3], &args[4], &args[5], &ret_blocked->sp,
               &ret_blocked->pc) != 8)
        return false;
    ret_blocked->call = (uint64_t)number;
    if (number == SYS_futex)
        ret_blocked->call |= holder_of(pid, tid, args[0]) << WAIT_HOLDER_SHIFT;
    if (wait_call_has_file((uint64_t)number))
        ret_blocked->call |= (uint64_t)file_kind(pid, args[0]) << WAIT_FILE_SHIFT;
    return true;
}

uint32_t blocked_node(struct samples *stacks, uint32_t pid, uint32_t tid,
                      const struct blocked *blocked)
{
    enum { SP = 7, IP = 8 };
    uint8_t memory[STACK_BYTES];
    const uint64_t registers[] = {blocked->sp, blocked->pc};
    struct iovec to = {memory, sizeof memory};
    struct iovec from = {(void *)(uintptr_t)blocked->sp, sizeof memory};
    ssize_t n = process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0);
    struct stack_sample sample = {.mask = 1u << SP | 1u << IP,
                                  .registers = registers,
                                  .bytes = memory,
                                  .n_bytes = n > 0 ? (size_t)n : 0};
    uint32_t module = profile_module(stacks->profile, WAIT_MODULE, NULL, 0);
    uint32_t node = samples_look(stacks, pid, tid, &sample);
    return stacks_node(stacks->nodes, node, module, blocked->call);
}
