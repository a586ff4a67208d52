#include "keep/keep_jit.h"

#include "keep/kept_function.h"
#include "keep/made_module.h"
#include "profile/profile.h"
#include "program/names/jit_dump.h"
#include "program/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

struct codes {
    VEC(const struct jit_code *);
};

static int start_order(const void *a, const void *b)
{
    const struct jit_code *const *x = a, *const *y = b;
    return (*x)->start < (*y)->start ? -1 : (*x)->start > (*y)->start;
}

/* Neighbours share a segment: compilers fill memory bit by bit. The rest of the address space is in
 * none, so that the file that a view makes of the module stays small. */
static void segments_make(struct kept_module *module, const struct codes *codes)
{
    enum { NEAR = 1 << 20, SEGMENTS_MAX = 1000 };
    uint64_t offset = UINT64_C(1) << 20; /* behind all headers */
    for (size_t i = 0; i < codes->n; i++) {
        const struct jit_code *code = codes->at[i];
        size_t n = module->programs.n;
        Elf64_Phdr *last = n ? &module->programs.at[n - 1] : NULL;
        if (last && code->start - last->p_vaddr - last->p_memsz < NEAR) {
            last->p_memsz = last->p_filesz = code->start + code->bytes - last->p_vaddr;
            continue;
        }
        if (n == SEGMENTS_MAX)
            break;
        if (last)
            offset += last->p_filesz;
        *vec_push(&module->programs) = (Elf64_Phdr){.p_type = PT_LOAD,
                                                    .p_flags = PF_R | PF_X,
                                                    .p_offset = offset,
                                                    .p_vaddr = code->start,
                                                    .p_paddr = code->start,
                                                    .p_filesz = code->bytes,
                                                    .p_memsz = code->bytes,
                                                    .p_align = 1};
    }
    module->header.e_phnum = (uint16_t)module->programs.n;
}

static uint32_t file_of(struct kept_function *kept, const char *file)
{
    for (size_t i = kept->files.n; i-- > 0;)
        if (strcmp(kept->files.at[i], file) == 0)
            return (uint32_t)i + 1;
    *vec_push(&kept->files) = file;
    return (uint32_t)kept->files.n;
}

/* Rows are in the order of their addresses; what is not, or lies outside, is left out. */
static void lines_make(struct kept_function *kept, const struct jit_dump *dump,
                       const struct jit_code *code)
{
    for (size_t i = 0; i < code->n_lines; i++) {
        const struct jit_line *line = &dump->lines.at[code->first_line + i];
        uint64_t last = kept->lines.n ? kept->lines.at[kept->lines.n - 1].start : code->start;
        if (line->at < last || line->at - code->start >= code->bytes)
            continue;
        if (kept->lines.n && line->at == last)
            kept->lines.n--;
        *vec_push(&kept->lines) =
            (struct kept_line){line->at, file_of(kept, line->file), line->line, 0, 0};
    }
}

static void code_keep(struct kept_function *kept, const struct jit_dump *dump,
                      const struct jit_code *code)
{
    kept_function_clear(kept);
    kept->start = code->start;
    kept->name = code->name;
    kept->source = FUNCTION_SYMBOL;
    kept->has_code = code->code != NULL;
    *vec_push(&kept->ranges) = (struct kept_range){code->start, code->bytes, code->code};
    lines_make(kept, dump, code);
    kept->has_lines = kept->lines.n != 0;
    if (!kept->has_lines)
        return;
    *vec_push(&kept->names) = code->name;
    *vec_push(&kept->nodes) = (struct kept_node){.name = 1, .decl_line = kept->lines.at[0].line};
    *vec_push(&kept->spans) = (struct kept_span){code->start, 1};
}

void jit_codes_keep(const struct jit_dump *dump, const bool *wanted, uint32_t module,
                    struct profile *profile)
{
    struct codes codes = {0};
    struct kept_module head;
    struct kept_function kept = {0};
    struct bytes bytes = {0};
    for (size_t i = 0; i < dump->n; i++)
        if (wanted[i] && dump->at[i].bytes && dump->at[i].bytes < KEPT_BYTES_MAX)
            *vec_push(&codes) = &dump->at[i];
    if (!codes.n)
        return;
    qsort(codes.at, codes.n, sizeof *codes.at, start_order);
    made_module_init(&head, 0);
    segments_make(&head, &codes);
    kept_module_encode(&head, &bytes);
    made_part_add(profile, module, KEPT_MODULE, 0, &bytes);
    kept_module_release(&head);
    for (size_t i = 0; i < codes.n; i++) {
        code_keep(&kept, dump, codes.at[i]);
        kept_function_encode(&kept, &bytes);
        made_part_add(profile, module, KEPT_FUNCTION, codes.at[i]->start, &bytes);
    }
    kept_sort(&profile->kept);
    kept_function_release(&kept);
    vec_release(&bytes);
    vec_release(&codes);
}
