#include "program/elf/elf_file.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/scope.h"

#include <elf.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

bool elf_file_map(struct elf_file *file, const char *path, struct err *err)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_errno(err, "cannot open");
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return err_errno(err, "cannot stat");
    if (!S_ISREG(stat.st_mode))
        return err_set(err, ERR_FORMAT, "not a regular file");
    if (stat.st_size < (off_t)sizeof(Elf64_Ehdr))
        return err_set(err, ERR_FORMAT, "not an ELF file: too short");
    /* Writable, because libelf notes in the section headers what it has decompressed. */
    void *bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return err_errno(err, "cannot map");
    *file = (struct elf_file){.bytes = bytes, .n_bytes = (size_t)stat.st_size, .mapped = true};
    return true;
}

/* The vDSO comes from our own kernel: its headers are trusted to lie inside its pages. */
bool elf_file_vdso(struct elf_file *file, struct err *err)
{
    const uint8_t *at = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    if (!at)
        return err_set(err, ERR_MISSING, "this process has no vDSO");
    Elf64_Ehdr header;
    memcpy(&header, at, sizeof header);
    size_t end = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr program;
        memcpy(&program, at + header.e_phoff + i * sizeof program, sizeof program);
        if (program.p_type == PT_LOAD && program.p_offset + program.p_filesz > end)
            end = program.p_offset + program.p_filesz;
    }
    elf_file_copy(file, at, end);
    return true;
}

void elf_file_copy(struct elf_file *file, const uint8_t *bytes, size_t n)
{
    *file = (struct elf_file){.bytes = mem_alloc(n ? n : 1), .n_bytes = n};
    if (n)
        memcpy(file->bytes, bytes, n);
}

void elf_file_close(struct elf_file *file)
{
    if (file->elf)
        elf_end(file->elf);
    if (file->mapped)
        munmap(file->bytes, file->n_bytes);
    else
        mem_free(file->bytes);
    *file = (struct elf_file){0};
}

bool elf_file_inside(const struct elf_file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->n_bytes && bytes <= file->n_bytes - offset;
}

bool elf_file_begin(struct elf_file *file, struct err *err)
{
    elf_version(EV_CURRENT);
    file->elf = elf_memory((char *)file->bytes, file->n_bytes);
    if (!file->elf)
        return err_set(err, ERR_FORMAT, "not a usable ELF file: %s", elf_errmsg(-1));
    return true;
}

uint32_t elf_file_build_id(const struct elf_file *file, uint64_t offset, uint64_t bytes,
                           uint64_t align, uint8_t ret_id[BUILD_ID_MAX])
{
    if (!elf_file_inside(file, offset, bytes))
        return 0;
    if (align != 8)
        align = 4;
    const uint8_t *at = file->bytes + offset;
    while (bytes >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, at, sizeof note);
        uint64_t name = sizeof note;
        uint64_t value = (name + note.n_namesz + align - 1) & ~(align - 1);
        uint64_t next = (value + note.n_descsz + align - 1) & ~(align - 1);
        if (value > bytes || note.n_descsz > bytes - value)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at + name, "GNU", 4) == 0) {
            uint32_t n = note.n_descsz < BUILD_ID_MAX ? note.n_descsz : BUILD_ID_MAX;
            memcpy(ret_id, at + value, n);
            return n;
        }
        if (next >= bytes)
            return 0;
        at += next;
        bytes -= next;
    }
    return 0;
}
