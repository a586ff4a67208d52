#include "keep/made_module.h"

#include "profile/profile.h"

void made_module_init(struct kept_module *module, uint16_t programs)
{
    *module = (struct kept_module){.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                                          ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                                              .e_type = ET_DYN,
                                              .e_machine = EM_X86_64,
                                              .e_version = EV_CURRENT,
                                              .e_phoff = sizeof(Elf64_Ehdr),
                                              .e_ehsize = sizeof(Elf64_Ehdr),
                                              .e_phentsize = sizeof(Elf64_Phdr),
                                              .e_phnum = programs},
                                   .has_names = true,
                                   .lacking = ""};
}

void made_part_add(struct profile *profile, uint32_t module, enum kept_kind kind, uint64_t at,
                   const struct bytes *bytes)
{
    const struct kept_part part = {
        .module = module, .kind = kind, .at = at, .n = bytes->n, .bytes = bytes->at};
    if (part.n <= KEPT_BYTES_MAX)
        kept_add(&profile->kept, &profile->arena, &part);
}
