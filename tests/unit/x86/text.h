/* The code of an ELF file of this machine, for tests that want real instructions. */
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct text {
    const uint8_t *bytes;
    size_t size;
    void *map;
    size_t map_bytes;
};

static inline bool text_find(struct text *text)
{
    const uint8_t *base = text->map;
    const Elf64_Ehdr *header = text->map;
    if (text->map_bytes < sizeof *header || memcmp(base, ELFMAG, SELFMAG) != 0)
        return false;
    const Elf64_Shdr *sections = (const void *)(base + header->e_shoff);
    const char *names = (const char *)base + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, ".text") == 0) {
            text->bytes = base + sections[i].sh_offset;
            text->size = sections[i].sh_size;
            return true;
        }
    return false;
}

static inline bool text_open(struct text *text, const char *path)
{
    *text = (struct text){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size == 0) {
        close(fd);
        return false;
    }
    text->map_bytes = (size_t)status.st_size;
    text->map = mmap(NULL, text->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return text->map != MAP_FAILED && text_find(text);
}

static inline void text_close(struct text *text)
{
    munmap(text->map, text->map_bytes);
}

static inline int text_match_libc(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (strstr(info->dlpi_name, "/libc.so.6") == NULL)
        return 0;
    snprintf(path, 4096, "%s", info->dlpi_name);
    return 1;
}

/* The libc of this process, wherever the machine keeps it. */
static inline bool text_open_libc(struct text *text)
{
    char path[4096] = "";
    dl_iterate_phdr(text_match_libc, path);
    return text_open(text, path);
}
