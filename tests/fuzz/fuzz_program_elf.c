/* Any bytes as an ELF file: opened, its functions found, asked for source. */
#include "base/err.h"
#include "program/binary.h"
#include "program/probes.h"
#include "program/source.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct binary *binary)
{
    struct source_frame frames[8];
    const struct symbols *symbols = &binary->symbols;
    uint64_t end = 0;
    for (size_t i = 0; i < symbols->ranges.n; i++) {
        const struct code_range *range = &symbols->ranges.at[i];
        ASSERT(range->start.v >= end && range->bytes && range->function < symbols->functions.n);
        end = range->start.v + range->bytes;
        ASSERT(symbols_find(symbols, (struct svma){end - 1}) == range->function);
        ASSERT(source_frames(binary, range->start, frames, 8) >= 1);
    }
    source_frames(binary, (struct svma){UINT64_MAX}, frames, 8);
    struct err err;
    if (!binary_debug_whole(binary, &err))
        ASSERT(err.kind == ERR_FORMAT);
    binary_debug_missing(binary);
    struct probes probes;
    probes_read(&probes, &binary->image);
    for (size_t i = 0; i < probes.n; i++)
        ASSERT(probes.at[i].node < probes.nodes.n && probes_from(&probes, probes.at[i].at) <= i);
    for (size_t i = 0; i < probes.nodes.n; i++)
        ASSERT(probes.nodes.at[i].parent == PROBE_NODE_NONE || probes.nodes.at[i].parent < i);
    probes_release(&probes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("elf", MFD_CLOEXEC);
    ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct binary binary;
    struct err err;
    if (binary_open(&binary, path, &err)) {
        ask(&binary);
        binary_close(&binary);
    } else {
        ASSERT(err.kind != ERR_NONE);
    }
    close(fd);
    return 0;
}
