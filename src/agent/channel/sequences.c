#include "agent/channel/sequences.h"

#include "agent/base/descriptor.h"
#include "walk/base/probe.h"
#include "walk/base/region.h"
#include "walk/base/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>

enum { HEADERS_MAX = 64, HEADERS_AT_ONCE = 16 };

/* The kernel's struct rseq_cs, as it lies in the section of that name. */
struct sequence {
    uint32_t version, flags;
    uint64_t start, bytes, abort;
};

static bool read_at(long fd, void *to, uint64_t bytes, uint64_t offset)
{
    return sys6(SYS_pread64, fd, (long)to, (long)bytes, (long)offset, 0, 0) == (long)bytes;
}

/* How far the module is from where it was linked to be. */
static bool bias_find(long fd, const Elf64_Ehdr *elf, uint64_t start, uint64_t offset,
                      uint64_t *ret_bias)
{
    Elf64_Phdr segment;
    for (uint32_t i = 0; i < elf->e_phnum && i < HEADERS_MAX; i++) {
        if (!read_at(fd, &segment, sizeof segment, elf->e_phoff + i * sizeof segment))
            return false;
        uint64_t from = segment.p_offset & ~UINT64_C(4095);
        if (segment.p_type != PT_LOAD || offset < from ||
            offset >= segment.p_offset + segment.p_filesz)
            continue;
        *ret_bias = start - (segment.p_vaddr - segment.p_offset + offset);
        return true;
    }
    return false;
}

static bool has_name(long fd, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
    static const char wanted[] = "__rseq_cs";
    char name[sizeof wanted];
    return read_at(fd, name, sizeof name, names->sh_offset + section->sh_name) &&
           __builtin_memcmp(name, wanted, sizeof wanted) == 0;
}

/* The section of descriptors, by its name. */
static bool section_find(long fd, const Elf64_Ehdr *elf, Elf64_Shdr *ret)
{
    Elf64_Shdr names, some[HEADERS_AT_ONCE];
    uint32_t all = elf->e_shnum < HEADERS_MAX ? elf->e_shnum : HEADERS_MAX;
    if (elf->e_shentsize != sizeof names || elf->e_shstrndx >= elf->e_shnum ||
        !read_at(fd, &names, sizeof names, elf->e_shoff + elf->e_shstrndx * sizeof names))
        return false;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t at = i % HEADERS_AT_ONCE, left = all - i;
        uint64_t n = left < HEADERS_AT_ONCE ? left : HEADERS_AT_ONCE;
        if (at == 0 && !read_at(fd, some, n * sizeof *some, elf->e_shoff + i * sizeof *some))
            return false;
        *ret = some[at];
        if ((ret->sh_flags & SHF_ALLOC) && ret->sh_size &&
            ret->sh_size % sizeof(struct sequence) == 0 && has_name(fd, &names, ret))
            return true;
    }
    return false;
}

static void sequences_add(struct regions *regions, uint64_t at, uint64_t n)
{
    struct sequence sequence;
    for (uint64_t i = 0; i < n && regions->n_sequences < REGIONS_SEQUENCES; i++) {
        if (!probe_read((uint8_t *)&sequence, at + i * sizeof sequence, sizeof sequence))
            return;
        if (sequence.start && sequence.bytes)
            regions->sequences[regions->n_sequences++] =
                (struct sequence_range){sequence.start, sequence.start + sequence.bytes};
    }
}

void sequences_find(struct regions *regions, const char *path, uint64_t start, uint64_t offset)
{
    Elf64_Ehdr elf;
    Elf64_Shdr section;
    uint64_t bias;
    long fd = descriptor_open(AT_FDCWD, path, O_RDONLY);
    if (sys_failed(fd))
        return;
    if (read_at(fd, &elf, sizeof elf, 0) && __builtin_memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 &&
        section_find(fd, &elf, &section) && bias_find(fd, &elf, start, offset, &bias))
        sequences_add(regions, bias + section.sh_addr, section.sh_size / sizeof(struct sequence));
    descriptor_shut(fd);
}
