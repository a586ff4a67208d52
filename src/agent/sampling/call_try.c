#include "agent/sampling/call_try.h"

#include "walk/base/context.h"
#include "walk/base/sys.h"

#include <sys/syscall.h>

enum {
    NOT_WAITING = 8,       /* RWF_NOWAIT */
    NEVER_WAITS = 0x40,    /* MSG_DONTWAIT */
    WAITS_FOR_ALL = 0x100, /* MSG_WAITALL */
    PIPE_WHOLE = 4096,     /* PIPE_BUF: written whole or not at all */
    LEVEL_SOCKET = 1,      /* SOL_SOCKET */
    OPTION_LOW_WATER = 18, /* SO_RCVLOWAT */
    ERROR_PERMISSION = 1,  /* EPERM and so on */
    ERROR_AGAIN = 11,
    ERROR_ACCESS = 13,
    ERROR_INVALID = 22,
    ERROR_SYSTEM = 38,
    ERROR_NOT_SUPPORTED = 95,
};

struct span {
    uint64_t start, bytes;
};

/* False: it would have waited, or the kernel, the descriptor or a filter refuses the form that does
 * not. Other errors are the call's own: a socket reports each only once. */
static bool happened(long result)
{
    switch (-result) {
    case ERROR_PERMISSION:
    case ERROR_AGAIN:
    case ERROR_ACCESS:
    case ERROR_INVALID:
    case ERROR_SYSTEM:
    case ERROR_NOT_SUPPORTED: return false;
    default: return true;
    }
}

/* A socket may be told to wait for more than the first byte. */
static bool waits_for_first_byte(int fd)
{
    int32_t least = 0, bytes = sizeof least;
    long result =
        sys6(SYS_getsockopt, fd, LEVEL_SOCKET, OPTION_LOW_WATER, (long)&least, (long)&bytes, 0);
    return !sys_failed(result) && least == 1;
}

/* A socket may take part of what is written to it, so only pipes are tried. */
static bool suits(const uint64_t *gpr, bool socket)
{
    switch (gpr[RAX]) {
    case SYS_read:
    case SYS_readv: return !socket || waits_for_first_byte((int)gpr[RDI]);
    case SYS_write: return !socket && gpr[RDX] <= PIPE_WHOLE;
    default: return false;
    }
}

bool call_try_stream(const uint64_t *gpr, bool socket, long *ret_result)
{
    struct span one = {gpr[RSI], gpr[RDX]};
    bool many = gpr[RAX] == SYS_readv;
    if (!suits(gpr, socket))
        return false;
    *ret_result =
        sys6(gpr[RAX] == SYS_write ? SYS_pwritev2 : SYS_preadv2, (long)gpr[RDI],
             many ? (long)gpr[RSI] : (long)&one, many ? (long)gpr[RDX] : 1, -1, -1, NOT_WAITING);
    return happened(*ret_result);
}

bool call_try_receive(const uint64_t *gpr, long *ret_result)
{
    bool message = gpr[RAX] == SYS_recvmsg;
    uint64_t flags = message ? gpr[RDX] : gpr[R10];
    if ((!message && gpr[RAX] != SYS_recvfrom) || flags & WAITS_FOR_ALL ||
        !waits_for_first_byte((int)gpr[RDI]))
        return false;
    flags |= NEVER_WAITS;
    *ret_result = message ? sys3(SYS_recvmsg, (long)gpr[RDI], (long)gpr[RSI], (long)flags)
                          : sys6(SYS_recvfrom, (long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX],
                                 (long)flags, (long)gpr[R8], (long)gpr[R9]);
    return happened(*ret_result);
}

bool call_try_poll(const uint64_t *gpr, long *ret_result)
{
    bool many = gpr[RAX] == SYS_epoll_wait || gpr[RAX] == SYS_epoll_pwait;
    bool only_asks =
        gpr[RAX] == SYS_poll ? !(int)gpr[RDX] : gpr[RAX] == SYS_epoll_wait && !(int)gpr[R10];
    *ret_result =
        many ? sys6(SYS_epoll_wait, (long)gpr[RDI], (long)gpr[RSI], (long)gpr[RDX], 0, 0, 0)
             : sys3(SYS_poll, (long)gpr[RDI], (long)gpr[RSI], 0);
    return *ret_result > 0 || (*ret_result == 0 && only_asks);
}
