/* The agent's descriptors are not the program's. They are in no list of open files, asking for one
 * is an error as if it were not open, and when the program puts a file in the place of one, ours
 * moves out of the way. */
#include "agent/base/descriptor.h"
#include "agent/threads/trigger.h"
#include "shim/libc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

typedef int close_fn(int);
typedef int stat_fn(int, struct stat *);
typedef int stat64_fn(int, struct stat64 *);
typedef int fcntl_fn(int, int, ...);
typedef struct dirent *readdir_fn(DIR *);
typedef struct dirent64 *readdir64_fn(DIR *);
typedef int range_fn(unsigned, unsigned, int);
typedef int dup2_fn(int, int);
typedef int dup3_fn(int, int, int);

static bool ours(int fd)
{
    if (fd < DESCRIPTOR_MIN || !trigger_owns(fd))
        return false;
    errno = EBADF;
    return true;
}

EXPORT int close(int fd)
{
    static close_fn *next;
    libc_function(&next, "close");
    return ours(fd) ? -1 : next(fd);
}

EXPORT int fstat(int fd, struct stat *ret)
{
    static stat_fn *next;
    libc_function(&next, "fstat");
    return ours(fd) ? -1 : next(fd, ret);
}

EXPORT int fstat64(int fd, struct stat64 *ret)
{
    static stat64_fn *next;
    libc_function(&next, "fstat64");
    return ours(fd) ? -1 : next(fd, ret);
}

/* All commands take at most one argument of a word. */
EXPORT int fcntl(int fd, int command, ...)
{
    static fcntl_fn *next;
    va_list list;
    va_start(list, command);
    unsigned long argument = va_arg(list, unsigned long);
    va_end(list);
    libc_function(&next, "fcntl");
    return ours(fd) ? -1 : next(fd, command, argument);
}

EXPORT int fcntl64(int fd, int command, ...)
{
    static fcntl_fn *next;
    va_list list;
    va_start(list, command);
    unsigned long argument = va_arg(list, unsigned long);
    va_end(list);
    libc_function(&next, "fcntl64");
    return ours(fd) ? -1 : next(fd, command, argument);
}

/* Whether a name in a directory is that of a descriptor of ours: in /proc/PID/fd, that is. */
static bool is_ours(DIR *directory, const char *name)
{
    int fd = 0;
    struct statfs system;
    for (const char *c = name; *c; c++) {
        if (*c < '0' || *c > '9' || fd > INT_MAX / 10 - 1)
            return false;
        fd = fd * 10 + (*c - '0');
    }
    return fd >= DESCRIPTOR_MIN && trigger_owns(fd) && fstatfs(dirfd(directory), &system) == 0 &&
           system.f_type == PROC_SUPER_MAGIC;
}

EXPORT struct dirent *readdir(DIR *directory)
{
    static readdir_fn *next;
    struct dirent *entry;
    libc_function(&next, "readdir");
    do
        entry = next(directory);
    while (entry && is_ours(directory, entry->d_name));
    return entry;
}

EXPORT struct dirent64 *readdir64(DIR *directory)
{
    static readdir64_fn *next;
    struct dirent64 *entry;
    libc_function(&next, "readdir64");
    do
        entry = next(directory);
    while (entry && is_ours(directory, entry->d_name));
    return entry;
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
    for (int own; (own = first_of_ours(first, last)) != INT_MAX; first = (unsigned)own + 1) {
        int result = (unsigned)own > first ? next(first, (unsigned)own - 1, flags) : 0;
        if (result || (unsigned)own == last)
            return result;
    }
    return next(first, last, flags);
}

EXPORT void closefrom(int lowest)
{
    close_range((unsigned)(lowest < 0 ? 0 : lowest), UINT_MAX, 0);
}

/* Where a new descriptor of ours has the low number that the program wants, it moves away first. */
EXPORT int dup2(int from, int to)
{
    static dup2_fn *next;
    libc_function(&next, "dup2");
    descriptor_program_begin();
    if (to >= DESCRIPTOR_MIN && to != from)
        trigger_move(to);
    int result = next(from, to);
    descriptor_program_end();
    return result;
}

EXPORT int dup3(int from, int to, int flags)
{
    static dup3_fn *next;
    libc_function(&next, "dup3");
    descriptor_program_begin();
    if (to >= DESCRIPTOR_MIN && to != from)
        trigger_move(to);
    int result = next(from, to, flags);
    descriptor_program_end();
    return result;
}
