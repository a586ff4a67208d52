#include "program/elf/image.h"

#include "base/err.h"
#include "program/elf/known.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

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
    if (!elf_file_inside(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr)))
        return err_set(err, ERR_FORMAT, "truncated: program headers lie beyond the end");
    *ret_header = header;
    return true;
}

static int segment_order(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

static bool segment_add(struct image *image, const Elf64_Phdr *program, struct err *err)
{
    if (!elf_file_inside(&image->file, program->p_offset, program->p_filesz))
        return err_set(err, ERR_FORMAT, "truncated: a load segment lies beyond the end");
    if (program->p_filesz > program->p_memsz ||
        program->p_vaddr + program->p_memsz < program->p_vaddr)
        return err_set(err, ERR_FORMAT, "corrupted: a load segment has impossible sizes");
    *vec_push(&image->segments) = (struct segment){.start = {program->p_vaddr},
                                                   .offset = {program->p_offset},
                                                   .file_bytes = program->p_filesz,
                                                   .memory_bytes = program->p_memsz,
                                                   .executable = program->p_flags & PF_X,
                                                   .writable = program->p_flags & PF_W};
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
            image->build_id_bytes = elf_file_build_id(
                &image->file, program.p_offset, program.p_filesz, program.p_align, image->build_id);
    }
    if (!image->segments.n)
        return err_set(err, ERR_FORMAT, "no load segments");
    qsort(image->segments.at, image->segments.n, sizeof *image->segments.at, segment_order);
    return true;
}

bool image_open(struct image *image, const char *path, struct err *err)
{
    struct elf_file file = {0};
    bool vdso = strcmp(path, "[vdso]") == 0;
    if (!(vdso ? elf_file_vdso(&file, err) : elf_file_map(&file, path, err)))
        return err_in(err, "%s", path);
    return image_open_memory(image, path, file, err);
}

bool image_open_memory(struct image *image, const char *path, struct elf_file file, struct err *err)
{
    struct image made = {.file = file};
    if (!headers_read(&made, err) || !elf_file_begin(&made.file, err)) {
        image_close(&made);
        return err_in(err, "%s", path);
    }
    made.path = mem_alloc(strlen(path) + 1);
    memcpy(made.path, path, strlen(path));
    *image = made;
    return true;
}

void image_close(struct image *image)
{
    if (image->known) {
        known_release(image->known);
        mem_free(image->known);
    }
    elf_file_close(&image->debug);
    elf_file_close(&image->file);
    arena_release(&image->search.arena);
    vec_release(&image->search.looked);
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

uint64_t image_code_bytes(const struct image *image)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < image->segments.n; i++)
        bytes += image->segments.at[i].executable ? image->segments.at[i].file_bytes : 0;
    return bytes;
}

bool image_executable(const struct image *image, struct svma at)
{
    const struct segment *segment = segment_find(image, at);
    return segment && segment->executable;
}

bool image_constant(const struct image *image, struct svma at)
{
    const struct segment *segment = segment_find(image, at);
    return segment && !segment->writable;
}

struct svma image_entry(const struct image *image)
{
    GElf_Ehdr header;
    return (struct svma){gelf_getehdr(image->file.elf, &header) ? header.e_entry : 0};
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
