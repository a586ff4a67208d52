#include "shim/go_runtime.h"

#include "agent/base/process.h"

#include <elf.h>
#include <link.h>
#include <string.h>

/* The note of that name is in everything that Go links, also by another linker. */
static bool note_is_go(const char *at, size_t bytes)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = (note.n_namesz + 3u) & ~3u,
               whole = sizeof note + name + ((note.n_descsz + 3u) & ~3u);
        if (whole > bytes)
            return false;
        if (note.n_namesz == 4 && memcmp(at + sizeof note, "Go\0", 4) == 0)
            return true;
        at += whole;
        bytes -= whole;
    }
    return false;
}

static int module_look(struct dl_phdr_info *info, size_t bytes, void *looked)
{
    (void)bytes;
    unsigned long long *adds = looked;
    if (info->dlpi_adds == *adds)
        return 1; /* nothing new */
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE &&
            note_is_go((const char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz))
            agent.go = true;
    }
    return 0;
}

static int adds_take(struct dl_phdr_info *info, size_t bytes, void *adds)
{
    (void)bytes;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

void go_runtime_find(void)
{
    static unsigned long long looked; /* modules ever loaded, at the last look */
    if (agent.go)
        return;
    dl_iterate_phdr(module_look, &looked);
    dl_iterate_phdr(adds_take, &looked);
}
