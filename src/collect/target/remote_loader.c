#include "collect/target/remote_loader.h"

#include "base/err.h"
#include "base/scope.h"
#include "collect/target/remote.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>

enum { AUXV_MAX = 64, HEADERS_MAX = 64, DYNAMIC_MAX = 256 };

struct headers {
    uint64_t at, n;
};

/* Where the program's own headers are in memory, as the kernel told it at its start. */
static bool headers_find(int pid, struct headers *ret_headers)
{
    char path[32];
    Elf64_auxv_t entries[AUXV_MAX];
    struct headers headers = {0};
    snprintf(path, sizeof path, "/proc/%d/auxv", pid);
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? 0 : read(fd, entries, sizeof entries);
    for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof *entries; i++) {
        if (entries[i].a_type == AT_PHDR)
            headers.at = entries[i].a_un.a_val;
        if (entries[i].a_type == AT_PHNUM)
            headers.n = entries[i].a_un.a_val;
    }
    *ret_headers = headers;
    return headers.at && headers.n <= HEADERS_MAX;
}

static uint64_t debug_entry(int pid, uint64_t at, uint64_t bytes)
{
    struct err err;
    for (uint64_t i = 0; i < DYNAMIC_MAX && (i + 1) * sizeof(Elf64_Dyn) <= bytes; i++) {
        Elf64_Dyn entry;
        if (!remote_read(pid, at + i * sizeof entry, &entry, sizeof entry, &err) ||
            entry.d_tag == DT_NULL)
            return 0;
        if (entry.d_tag == DT_DEBUG)
            return entry.d_un.d_ptr;
    }
    return 0;
}

uint64_t remote_loader(int pid)
{
    struct headers headers;
    Elf64_Phdr programs[HEADERS_MAX];
    struct err err;
    if (!headers_find(pid, &headers) ||
        !remote_read(pid, headers.at, programs, headers.n * sizeof *programs, &err))
        return 0;
    uint64_t base = 0, dynamic = 0, bytes = 0;
    for (uint64_t i = 0; i < headers.n; i++) {
        if (programs[i].p_type == PT_PHDR)
            base = headers.at - programs[i].p_vaddr;
        if (programs[i].p_type == PT_DYNAMIC) {
            dynamic = programs[i].p_vaddr;
            bytes = programs[i].p_memsz;
        }
    }
    return dynamic ? debug_entry(pid, base + dynamic, bytes) : 0;
}
