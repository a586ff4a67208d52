#include "agent/exact/successor.h"

#include "agent/base/descriptor.h"
#include "agent/base/program_memory.h"
#include "walk/base/sys.h"
#include "wire/channel.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { HEAD_BYTES = 4096, VARIABLES_MAX = 1 << 16, TEXT_MAX = 4096 };

/* Whether the text at the address has one of the names that gait gives to the agent's library
 * (collect/target/preload.h). Byte by byte, since what follows the text may not be there. */
static bool text_has_library(uint64_t text)
{
    static const char *const names[] = {"libgait.so", "/fd/"};
    unsigned matched[2] = {0};
    char byte;
    for (uint32_t i = 0; i < TEXT_MAX && program_read(text + i, &byte, 1) && byte; i++)
        for (int k = 0; k < 2; k++) {
            matched[k] = byte == names[k][matched[k]] ? matched[k] + 1 : byte == names[k][0];
            if (!names[k][matched[k]])
                return true;
        }
    return false;
}

/* Whoever clears the environment, or has a library of its own preloaded, takes the agent's place in
 * it away. */
static bool environment_has_us(uint64_t environment)
{
    static const char channel[] = CHANNEL_ENV "=", preload[] = "LD_PRELOAD=";
    bool has_channel = false, has_library = false;
    for (uint32_t i = 0; i < VARIABLES_MAX && !(has_channel && has_library); i++) {
        uint64_t variable;
        char name[sizeof channel > sizeof preload ? sizeof channel : sizeof preload];
        if (!program_read(environment + 8u * i, &variable, 8) || !variable)
            return false;
        if (program_read(variable, name, sizeof channel - 1) &&
            __builtin_memcmp(name, channel, sizeof channel - 1) == 0)
            has_channel = true;
        if (program_read(variable, name, sizeof preload - 1) &&
            __builtin_memcmp(name, preload, sizeof preload - 1) == 0)
            has_library |= text_has_library(variable + sizeof preload - 1);
    }
    return has_channel && has_library;
}

/* Another user's rights: the loader preloads nothing. */
static bool rights_change(const struct stat *file)
{
    uint32_t user = (uint32_t)sys3(SYS_geteuid, 0, 0, 0),
             group = (uint32_t)sys3(SYS_getegid, 0, 0, 0);
    return (file->st_mode & S_ISUID && file->st_uid != user) ||
           (file->st_mode & S_ISGID && file->st_gid != group);
}

/* Only what a loader starts has libraries. */
static bool head_has_loader(const uint8_t *head, uint64_t bytes)
{
    Elf64_Ehdr file;
    if (bytes < sizeof file || __builtin_memcmp(head, ELFMAG, SELFMAG) != 0)
        return true; /* a script */
    __builtin_memcpy(&file, head, sizeof file);
    if (file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_machine != EM_X86_64)
        return false;
    for (uint32_t i = 0; i < file.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = file.e_phoff + (uint64_t)i * sizeof segment;
        if (at > bytes - sizeof segment)
            return true;
        __builtin_memcpy(&segment, head + at, sizeof segment);
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

bool successor_follows(int folder, uint64_t path, uint64_t environment)
{
    uint8_t head[HEAD_BYTES];
    struct stat file;
    long fd = descriptor_open(folder, (const char *)path, O_RDONLY | O_NONBLOCK);
    if (sys_failed(fd))
        return true;
    long got = sys3(SYS_read, fd, (long)head, sizeof head);
    bool known = got > 0 && !sys_failed(sys3(SYS_fstat, fd, (long)&file, 0));
    descriptor_shut(fd);
    return !known || (!rights_change(&file) && head_has_loader(head, (uint64_t)got) &&
                      environment_has_us(environment));
}
