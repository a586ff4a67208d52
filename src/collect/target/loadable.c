#include "collect/target/loadable.h"

#include "base/err.h"
#include "program/elf/dynamic.h"
#include "program/elf/image.h"

#include <elf.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

bool loadable_is_foreign(const char *path)
{
    struct elf_file file = {0};
    struct err err;
    Elf64_Ehdr header;
    if (!elf_file_map(&file, path, &err))
        return false;
    memcpy(&header, file.bytes, sizeof header);
    bool foreign = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                   (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64);
    elf_file_close(&file);
    return foreign;
}

const char *loadable_hindrance(const char *path)
{
    struct image image;
    struct err err;
    struct stat status;
    if (stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        return "it is setuid or setgid";
    if (loadable_is_foreign(path))
        return "it is not for x86-64";
    if (!image_open(&image, path, &err))
        return NULL;
    bool loaded = dynamic_loaded(&image);
    image_close(&image);
    struct rlimit space;
    if (loaded && getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        return "it may be that the limit of its memory (ulimit -v) leaves the agent no room";
    return loaded ? NULL : "it is linked statically";
}

bool loadable_is_static(const char *path)
{
    struct image image;
    struct err err;
    struct stat status;
    if (stat(path, &status) || (status.st_mode & (S_ISUID | S_ISGID)) ||
        loadable_is_foreign(path) || !image_open(&image, path, &err))
        return false;
    bool loaded = dynamic_loaded(&image);
    image_close(&image);
    return !loaded;
}
