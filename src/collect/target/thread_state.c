#include "collect/target/thread_state.h"

#include "base/scope.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_BYTES = 4096 };

bool thread_text(int pid, int tid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    if (n <= 0)
        return false;
    text[n] = 0;
    return true;
}

/* What stands behind "\nname:"; "" if there is no such line. */
static const char *field(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? at + strlen(name) : "";
}

static int last_number(const char *line)
{
    int last = 0;
    for (char *end; *line && *line != '\n'; line = end) {
        long value = strtol(line, &end, 10);
        if (end == line)
            break;
        last = (int)value;
        while (*end == '\t' || *end == ' ')
            end++;
    }
    return last;
}

bool thread_state_read(int pid, int tid, struct thread_state *ret_state)
{
    char text[STATUS_BYTES];
    if (!thread_text(pid, tid, "status", text, sizeof text))
        return false;
    const char *doing = field(text, "\nState:");
    *ret_state = (struct thread_state){.doing = doing[strspn(doing, "\t ")],
                                       .leader = atoi(field(text, "\nTgid:")),
                                       .parent = atoi(field(text, "\nPPid:")),
                                       .traced_by = atoi(field(text, "\nTracerPid:")),
                                       .seccomp = atoi(field(text, "\nSeccomp:")),
                                       .inner_tid = last_number(field(text, "\nNSpid:")),
                                       .pending = strtoull(field(text, "\nSigPnd:"), NULL, 16),
                                       .blocked = strtoull(field(text, "\nSigBlk:"), NULL, 16),
                                       .handled = strtoull(field(text, "\nSigCgt:"), NULL, 16)};
    if (!ret_state->inner_tid)
        ret_state->inner_tid = tid;
    return true;
}

long thread_state_call(int pid, int tid)
{
    char text[256];
    if (!thread_text(pid, tid, "syscall", text, sizeof text) || text[0] < '0' || text[0] > '9')
        return -1;
    return strtol(text, NULL, 10);
}

/* "NUMBER ARGUMENTS... SP PC", "-1 SP PC" outside of calls, or "running". */
bool thread_state_pc(int pid, int tid, uint64_t *ret_pc)
{
    char text[256];
    if (!thread_text(pid, tid, "syscall", text, sizeof text) || text[0] == 'r')
        return false;
    const char *last = strrchr(text, ' ');
    *ret_pc = last ? strtoull(last, NULL, 16) : 0;
    return *ret_pc != 0;
}
