/* The agent's descriptors are not the program's: to close one is an error to it, as if it were not open, and
 * whatever it puts in the place of one, ours moves out of the way. */
#include "agent/trigger.h"

#include "shim/libc.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

typedef int close_fn(int);
typedef int range_fn(unsigned, unsigned, int);
typedef int dup2_fn(int, int);
typedef int dup3_fn(int, int, int);

EXPORT int close(int fd)
{
    static close_fn *next;
    libc_function(&next, "close");
    if (fd >= TRIGGER_DESCRIPTOR_MIN && trigger_owns(fd)) {
        errno = EBADF;
        return -1;
    }
    return next(fd);
}

/* The lowest of ours from `from` on; INT_MAX: none. */
static int first_of_ours(unsigned from, unsigned last)
{
    int first = INT_MAX;
    int fd;
    for (uint32_t i = 0; trigger_descriptor(i, &fd); i++)
        if (fd >= 0 && (unsigned)fd >= from && (unsigned)fd <= last && fd < first)
            first = fd;
    return first;
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    static range_fn *next;
    libc_function(&next, "close_range");
    for (int ours; (ours = first_of_ours(first, last)) != INT_MAX; first = (unsigned)ours + 1) {
        int result = (unsigned)ours > first ? next(first, (unsigned)ours - 1, flags) : 0;
        if (result || (unsigned)ours == last)
            return result;
    }
    return next(first, last, flags);
}

EXPORT void closefrom(int lowest)
{
    close_range((unsigned)(lowest < 0 ? 0 : lowest), UINT_MAX, 0);
}

EXPORT int dup2(int from, int to)
{
    static dup2_fn *next;
    libc_function(&next, "dup2");
    if (to >= TRIGGER_DESCRIPTOR_MIN && to != from)
        trigger_move(to);
    return next(from, to);
}

EXPORT int dup3(int from, int to, int flags)
{
    static dup3_fn *next;
    libc_function(&next, "dup3");
    if (to >= TRIGGER_DESCRIPTOR_MIN && to != from)
        trigger_move(to);
    return next(from, to, flags);
}
