#include "program/image.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/scope.h"

#include <elf.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- bytes */

static bool file_map(struct elf_file *file, const char *path, struct err *err)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
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
static bool file_vdso(struct elf_file *file, struct err *err)
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
    *file = (struct elf_file){.bytes = mem_alloc(end), .n_bytes = end};
    memcpy(file->bytes, at, end);
    return true;
}

static void file_close(struct elf_file *file)
{
    if (file->elf)
        elf_end(file->elf);
    if (file->mapped)
        munmap(file->bytes, file->n_bytes);
    else
        mem_free(file->bytes);
    *file = (struct elf_file){0};
}

static bool file_inside(const struct elf_file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->n_bytes && bytes <= file->n_bytes - offset;
}

static bool file_begin_elf(struct elf_file *file, struct err *err)
{
    elf_version(EV_CURRENT);
    file->elf = elf_memory((char *)file->bytes, file->n_bytes);
    if (!file->elf)
        return err_set(err, ERR_FORMAT, "not a usable ELF file: %s", elf_errmsg(-1));
    return true;
}

/* ---- headers */

static bool header_check(const struct elf_file *file, Elf64_Ehdr *ret_header, struct err *err)
{
    Elf64_Ehdr header;
    memcpy(&header, file->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return err_set(err, ERR_FORMAT, "not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64)
        return err_set(err, ERR_FORMAT, "an ELF file, but not for x86-64");
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return err_set(err, ERR_FORMAT, "neither a program nor a shared object (ELF type %u)",
                       header.e_type);
    if (header.e_phentsize != sizeof(Elf64_Phdr) || !header.e_phnum)
        return err_set(err, ERR_FORMAT, "no usable program headers");
    if (!file_inside(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr)))
        return err_set(err, ERR_FORMAT, "truncated: program headers lie beyond the end");
    *ret_header = header;
    return true;
}

static void notes_read(struct image *image, uint64_t offset, uint64_t bytes, uint64_t align)
{
    if (!file_inside(&image->file, offset, bytes))
        return;
    if (align != 8)
        align = 4;
    const uint8_t *at = image->file.bytes + offset;
    while (bytes >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, at, sizeof note);
        uint64_t name = sizeof note;
        uint64_t value = (name + note.n_namesz + align - 1) & ~(align - 1);
        uint64_t next = (value + note.n_descsz + align - 1) & ~(align - 1);
        if (value > bytes || note.n_descsz > bytes - value)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at + name, "GNU", 4) == 0) {
            uint32_t n = note.n_descsz < BUILD_ID_MAX ? note.n_descsz : BUILD_ID_MAX;
            memcpy(image->build_id, at + value, n);
            image->build_id_bytes = n;
            return;
        }
        if (next >= bytes)
            return;
        at += next;
        bytes -= next;
    }
}

static int segment_order(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

static bool segment_add(struct image *image, const Elf64_Phdr *program, struct err *err)
{
    if (!file_inside(&image->file, program->p_offset, program->p_filesz))
        return err_set(err, ERR_FORMAT, "truncated: a load segment lies beyond the end");
    if (program->p_filesz > program->p_memsz ||
        program->p_vaddr + program->p_memsz < program->p_vaddr)
        return err_set(err, ERR_FORMAT, "corrupted: a load segment has impossible sizes");
    *vec_push(&image->segments) = (struct segment){.start = {program->p_vaddr},
                                                   .offset = {program->p_offset},
                                                   .file_bytes = program->p_filesz,
                                                   .memory_bytes = program->p_memsz,
                                                   .executable = program->p_flags & PF_X};
    return true;
}

static bool headers_read(struct image *image, struct err *err)
{
    Elf64_Ehdr header = {0};
    if (!header_check(&image->file, &header, err))
        return false;
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr program;
        memcpy(&program, image->file.bytes + header.e_phoff + i * sizeof program, sizeof program);
        if (program.p_type == PT_LOAD && !segment_add(image, &program, err))
            return false;
        if (program.p_type == PT_NOTE && !image->build_id_bytes)
            notes_read(image, program.p_offset, program.p_filesz, program.p_align);
    }
    if (!image->segments.n)
        return err_set(err, ERR_FORMAT, "no load segments");
    qsort(image->segments.at, image->segments.n, sizeof *image->segments.at, segment_order);
    return true;
}

/* Where Debian and others put separate debug files. Absence is the normal case. */
static void debug_open(struct image *image)
{
    char path[128] = "/usr/lib/debug/.build-id/";
    size_t used = strlen(path);
    if (image->build_id_bytes < 2)
        return;
    for (uint32_t i = 0; i < image->build_id_bytes; i++)
        used += (size_t)snprintf(path + used, sizeof path - used, i ? "%02x" : "%02x/",
                                 image->build_id[i]);
    snprintf(path + used, sizeof path - used, ".debug");
    struct err ignored;
    if (file_map(&image->debug, path, &ignored) && !file_begin_elf(&image->debug, &ignored))
        file_close(&image->debug);
}

bool image_open(struct image *image, const char *path, struct err *err)
{
    struct image made = {0};
    bool vdso = strcmp(path, "[vdso]") == 0;
    if (!(vdso ? file_vdso(&made.file, err) : file_map(&made.file, path, err)) ||
        !headers_read(&made, err) || !file_begin_elf(&made.file, err)) {
        image_close(&made);
        return err_in(err, "%s", path);
    }
    made.path = mem_alloc(strlen(path) + 1);
    memcpy(made.path, path, strlen(path));
    debug_open(&made);
    *image = made;
    return true;
}

void image_close(struct image *image)
{
    file_close(&image->debug);
    file_close(&image->file);
    vec_release(&image->segments);
    mem_free(image->path);
    *image = (struct image){0};
}

/* ---- questions */

static const struct segment *segment_find(const struct image *image, struct svma at)
{
    for (size_t i = 0; i < image->segments.n; i++) {
        const struct segment *segment = &image->segments.at[i];
        if (at.v - segment->start.v < segment->memory_bytes)
            return segment;
    }
    return NULL;
}

const uint8_t *image_bytes(const struct image *image, struct svma at, size_t *ret_room)
{
    const struct segment *segment = segment_find(image, at);
    if (!segment || at.v - segment->start.v >= segment->file_bytes)
        return NULL;
    uint64_t inside = at.v - segment->start.v;
    *ret_room = segment->file_bytes - inside;
    return image->file.bytes + segment->offset.v + inside;
}

bool image_executable(const struct image *image, struct svma at)
{
    const struct segment *segment = segment_find(image, at);
    return segment && segment->executable;
}

bool image_to_svma(const struct image *image, struct foff offset, struct svma *ret_svma)
{
    /* Segments may share a page of the file; the executable one is what an observation means. */
    const struct segment *best = NULL;
    for (size_t i = 0; i < image->segments.n; i++) {
        const struct segment *segment = &image->segments.at[i];
        if (offset.v - segment->offset.v < segment->file_bytes && (!best || segment->executable))
            best = segment;
    }
    if (!best)
        return false;
    ret_svma->v = best->start.v + (offset.v - best->offset.v);
    return true;
}

bool image_to_foff(const struct image *image, struct svma at, struct foff *ret_offset)
{
    const struct segment *segment = segment_find(image, at);
    if (!segment || at.v - segment->start.v >= segment->file_bytes)
        return false;
    ret_offset->v = segment->offset.v + (at.v - segment->start.v);
    return true;
}
