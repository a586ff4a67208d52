#include "program/elf/mini_debug.h"

#include "base/err.h"
#include "base/memory.h"
#include "program/elf/elf_file.h"
#include "program/elf/elf_sections.h"

#include <dlfcn.h>

typedef int decode_function(uint64_t *memory_limit, uint32_t flags, const void *allocator,
                            const uint8_t *in, size_t *in_at, size_t in_bytes, uint8_t *out,
                            size_t *out_at, size_t out_bytes);
/* As in debuginfod.c. */
union entry {
    void *data;
    decode_function *decode;
};

/* Of liblzma: all is well; there is not enough room. */
enum { LZMA_DONE = 0, LZMA_MORE_ROOM = 10 };
/* What is unpacked is a table of symbols, which does not shrink much further than this; and no more
 * memory than this for the unpacking. */
enum { INFLATION_MAX = 64, UNPACKING_BYTES = 128 << 20 };

static bool unpack(struct elf_file *ret_file, const uint8_t *packed, size_t bytes)
{
    void *library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
    union entry entry = {library ? dlsym(library, "lzma_stream_buffer_decode") : NULL};
    int status = entry.data ? LZMA_MORE_ROOM : LZMA_DONE;
    bool unpacked = false;
    for (size_t inflation = 4; status == LZMA_MORE_ROOM && inflation <= INFLATION_MAX;
         inflation *= 2) {
        uint64_t limit = UNPACKING_BYTES;
        size_t in_at = 0, out_at = 0;
        uint8_t *out = mem_resize(NULL, bytes * inflation);
        status =
            entry.decode(&limit, 0, NULL, packed, &in_at, bytes, out, &out_at, bytes * inflation);
        unpacked = status == LZMA_DONE;
        if (unpacked)
            elf_file_copy(ret_file, out, out_at);
        mem_free(out);
    }
    if (library)
        dlclose(library);
    return unpacked;
}

bool mini_debug_open(struct elf_file *ret_file, const struct elf_file *file)
{
    GElf_Shdr header;
    struct elf_file unpacked;
    struct err ignored;
    if (!section_named(file->elf, ".gnu_debugdata", &header) || !header.sh_size ||
        !elf_file_inside(file, header.sh_offset, header.sh_size) ||
        !unpack(&unpacked, file->bytes + header.sh_offset, header.sh_size))
        return false;
    if (!elf_file_begin(&unpacked, &ignored) || elf_kind(unpacked.elf) != ELF_K_ELF) {
        elf_file_close(&unpacked);
        return false;
    }
    *ret_file = unpacked;
    return true;
}
