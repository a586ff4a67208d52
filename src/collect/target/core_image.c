#include "collect/target/core_image.h"

#include "base/err.h"
#include "base/memory.h"

#include <elf.h>
#include <string.h>

/* The build puts it here; tools/check-image has looked at it. What is wrong with it is a bug of
 * ours. */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl core_image_begin, core_image_end\n"
        "core_image_begin: .incbin \"" CORE_IMAGE "\"\n"
        "core_image_end:\n"
        ".popsection\n");
extern const uint8_t core_image_begin[], core_image_end[];

enum { PAGE = 4096 };

static uint64_t page_up(uint64_t n)
{
    return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static Elf64_Ehdr header(void)
{
    Elf64_Ehdr header;
    memcpy(&header, core_image_begin, sizeof header);
    ASSERT(memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
    return header;
}

static Elf64_Phdr program_at(const Elf64_Ehdr *header, size_t i)
{
    Elf64_Phdr program;
    memcpy(&program, core_image_begin + header->e_phoff + i * sizeof program, sizeof program);
    return program;
}

uint64_t core_image_span(void)
{
    Elf64_Ehdr of = header();
    uint64_t span = 0;
    for (size_t i = 0; i < of.e_phnum; i++) {
        Elf64_Phdr program = program_at(&of, i);
        uint64_t end = page_up(program.p_vaddr + program.p_memsz);
        if (program.p_type == PT_LOAD && end > span)
            span = end;
    }
    return span;
}

static void segment_place(struct core_image *image, const Elf64_Phdr *program)
{
    if (program->p_flags & PF_X) {
        image->text_start = program->p_vaddr;
        image->text_end = program->p_vaddr + program->p_memsz;
    }
    if (program->p_flags & PF_W) {
        image->fixed = program->p_vaddr & ~(uint64_t)(PAGE - 1);
        ASSERT(image->fixed >= image->n);
    } else {
        ASSERT(!image->fixed);
    }
}

static void bytes_take(struct core_image *image, const Elf64_Phdr *program)
{
    ASSERT(program->p_offset + program->p_filesz <= (size_t)(core_image_end - core_image_begin));
    memcpy(image->bytes + program->p_vaddr, core_image_begin + program->p_offset,
           program->p_filesz);
    if (program->p_vaddr + program->p_filesz > image->n)
        image->n = program->p_vaddr + program->p_filesz;
}

/* The table of relocations that the dynamic section names; all are of the kind "base + addend". */
static void relocate(struct core_image *image, const Elf64_Phdr *dynamic, uint64_t base)
{
    uint64_t table = 0, bytes = 0;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, image->bytes + dynamic->p_vaddr + at, sizeof entry);
        if (entry.d_tag == DT_RELA)
            table = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELASZ)
            bytes = entry.d_un.d_val;
    }
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, image->bytes + table + at, sizeof relocation);
        ASSERT(ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE &&
               relocation.r_offset + 8 <= image->n);
        uint64_t value = base + (uint64_t)relocation.r_addend;
        memcpy(image->bytes + relocation.r_offset, &value, sizeof value);
    }
}

void core_image_lay(struct core_image *ret_image, uint64_t base)
{
    Elf64_Ehdr of = header();
    struct core_image image = {.span = core_image_span(), .entry = of.e_entry};
    Elf64_Phdr dynamic = {0};
    image.bytes = mem_alloc(image.span);
    for (size_t i = 0; i < of.e_phnum; i++) {
        Elf64_Phdr program = program_at(&of, i);
        if (program.p_type == PT_LOAD) {
            segment_place(&image, &program);
            bytes_take(&image, &program);
        } else if (program.p_type == PT_DYNAMIC) {
            dynamic = program;
        }
    }
    relocate(&image, &dynamic, base);
    *ret_image = image;
}

void core_image_release(struct core_image *image)
{
    mem_free(image->bytes);
    *image = (struct core_image){0};
}
