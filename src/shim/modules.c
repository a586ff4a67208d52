/* The list of loaded libraries, as a program without the agent would find it.
 *
 * AddressSanitizer's runtime ends a program in which any library stands before it on that list,
 * since its allocator may then be passed by. The agent replaces no allocator, and everything that
 * it wraps calls the next library's function: it may come last. */
#include "shim/libc.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

typedef int visit_fn(struct dl_phdr_info *, size_t, void *);
typedef int dl_iterate_phdr_fn(visit_fn *, void *);

/* Set by the linker: the first byte of libgait.so. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

struct visits {
    visit_fn *visit;
    void *data;
    struct dl_phdr_info own;
    size_t own_bytes;
    bool own_seen;
};

static int visit_others(struct dl_phdr_info *info, size_t bytes, void *data)
{
    struct visits *visits = data;
    if (info->dlpi_addr != (uintptr_t)__ehdr_start || visits->own_seen)
        return visits->visit(info, bytes, visits->data);
    visits->own_bytes = bytes < sizeof visits->own ? bytes : sizeof visits->own;
    memcpy(&visits->own, info, visits->own_bytes);
    visits->own_seen = true;
    return 0;
}

EXPORT int dl_iterate_phdr(visit_fn *visit, void *data)
{
    static dl_iterate_phdr_fn *next;
    struct visits visits = {.visit = visit, .data = data};
    libc_function(&next, "dl_iterate_phdr");
    int result = next(visit_others, &visits);
    if (result == 0 && visits.own_seen)
        result = visit(&visits.own, visits.own_bytes, data);
    return result;
}
