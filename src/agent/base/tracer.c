#include "agent/base/tracer.h"

#include "agent/base/descriptor.h"
#include "walk/base/sys.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>

/* Of what is asked for, Seccomp comes last: behind the name, which is short, groups, of which there
 * may be many, signals and capabilities. */
enum { STATUS_BYTES = 4096 };

/* The character that the field begins with; 0: it is not there. */
static char status_field(const char *field, size_t bytes)
{
    char status[STATUS_BYTES];
    long fd = descriptor_open(AT_FDCWD, "/proc/self/status", O_RDONLY);
    if (sys_failed(fd))
        return 0;
    long got = sys3(SYS_read, fd, (long)status, sizeof status);
    descriptor_shut(fd);
    for (long i = 0; i + (long)bytes < got; i++)
        if (__builtin_memcmp(status + i, field, bytes) == 0)
            return status[i + (long)bytes];
    return 0;
}

bool tracer_present(void)
{
    static const char field[] = "\nTracerPid:\t";
    char pid = status_field(field, sizeof field - 1);
    return pid && pid != '0';
}

bool tracer_no_filter(void)
{
    static const char field[] = "\nSeccomp:\t";
    return status_field(field, sizeof field - 1) == '0';
}
