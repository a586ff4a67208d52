#include "collect/target/remote.h"

#include "base/err.h"
#include "base/memory.h"
#include "collect/perf/perf_record.h"
#include "collect/perf/proc.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

enum { SEARCH_BYTES = 1 << 20 };

/* The far end as the kernel takes it: a pointer that must not be followed here. */
static struct iovec far_end(uint64_t at, size_t n)
{
    struct iovec vector = {.iov_len = n};
    memcpy(&vector.iov_base, &at, sizeof at);
    return vector;
}

bool remote_read(int pid, uint64_t at, void *ret_bytes, size_t n, struct err *err)
{
    struct iovec near = {ret_bytes, n}, far = far_end(at, n);
    ssize_t got = process_vm_readv(pid, &near, 1, &far, 1, 0);
    if (got >= 0 && (size_t)got < n)
        errno = EFAULT;
    return got == (ssize_t)n || err_errno(err, "cannot read memory of process %d", pid);
}

bool remote_write(int pid, uint64_t at, const void *bytes, size_t n, struct err *err)
{
    struct iovec near = {.iov_len = n}, far = far_end(at, n);
    memcpy(&near.iov_base, &bytes, sizeof bytes);
    ssize_t put = process_vm_writev(pid, &near, 1, &far, 1, 0);
    if (put >= 0 && (size_t)put < n)
        errno = EFAULT;
    return put == (ssize_t)n || err_errno(err, "cannot write memory of process %d", pid);
}

struct search {
    int pid;
    uint64_t found;
    bool vdso; /* there only */
};

static void search_mapping(void *closure, const struct perf_mapping *mapping)
{
    static const uint8_t instruction[] = {0x0f, 0x05};
    struct search *search = closure;
    struct err unread;
    size_t n = mapping->bytes < SEARCH_BYTES ? mapping->bytes : SEARCH_BYTES;
    if (search->found || search->vdso != (strcmp(mapping->path, "[vdso]") == 0))
        return;
    uint8_t *bytes = mem_alloc(n);
    const uint8_t *at = remote_read(search->pid, mapping->start, bytes, n, &unread)
                            ? memmem(bytes, n, instruction, sizeof instruction)
                            : NULL;
    if (at)
        search->found = mapping->start + (uint64_t)(at - bytes);
    mem_free(bytes);
}

bool remote_find_syscall(int pid, uint64_t *ret_at, struct err *err)
{
    struct search search = {.pid = pid, .vdso = true};
    proc_read_maps(pid, search_mapping, &search);
    search.vdso = false;
    if (!search.found)
        proc_read_maps(pid, search_mapping, &search);
    if (!search.found)
        return err_set(err, ERR_MISSING, "process %d has no code that calls the system", pid);
    *ret_at = search.found;
    return true;
}
