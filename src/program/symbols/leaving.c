#include "program/symbols/leaving.h"

#include "program/elf/dynamic.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/symbols/no_return.h"
#include "program/symbols/symbols.h"

#include <string.h>

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool may_throw_name(const char *name)
{
    /* operator delete never does, and nearly every function of C++ calls it. */
    if (begins(name, "_Z"))
        return !begins(name, "_Zdl") && !begins(name, "_Zda");
    return begins(name, "_Unwind_RaiseException") || begins(name, "_Unwind_Resume") ||
           begins(name, "_Unwind_ForcedUnwind") || begins(name, "__cxa_throw") ||
           begins(name, "__cxa_rethrow") || begins(name, "__cxa_bad_");
}

static unsigned leaving_by_name(const char *name)
{
    return (jumps_far_name(name) ? MODULE_JUMPS_FAR : 0u) |
           (may_throw_name(name) ? MODULE_THROWS : 0u);
}

/* Names of one table of symbols. */
static unsigned table_leaving(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool defined)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
    unsigned leaving = 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < n && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        if (!defined && symbol.st_shndx != SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        leaving |= name ? leaving_by_name(name) : 0;
    }
    return leaving;
}

unsigned module_leaving(const struct image *image)
{
    uint64_t value;
    bool whole =
        !dynamic_value(image, DT_NEEDED, &value) && !dynamic_value(image, DT_SONAME, &value);
    bool named = false;
    unsigned leaving = 0;
    GElf_Shdr header;
    Elf *elf = image->file.elf;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_DYNSYM || (whole && header.sh_type == SHT_SYMTAB))
            leaving |= table_leaving(elf, section, &header, whole);
        named |= header.sh_type == SHT_SYMTAB;
    }
    return whole && !named ? MODULE_JUMPS_FAR | MODULE_THROWS : leaving;
}

bool stub_may_throw(const struct symbols *symbols, struct svma at)
{
    function_id f = symbols_find(symbols, at);
    return f != FUNCTION_NONE && symbols->functions.at[f].start.v == at.v &&
           symbols->functions.at[f].source == FUNCTION_STUB &&
           may_throw_name(symbols->functions.at[f].name);
}
