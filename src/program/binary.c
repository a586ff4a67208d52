#include "program/binary.h"

#include "base/err.h"
#include "base/parallel.h"
#include "base/phase.h"
#include "program/elf/debug_file.h"
#include "program/source.h"

static bool image_find(struct binary *binary, const char *path, struct err *err)
{
    struct image image;
    if (!image_open(&image, path, err))
        return false;
    *binary = (struct binary){.image = image};
    debug_file_find(&binary->image);
    return true;
}

bool binary_open_within(struct binary *binary, const char *path, size_t sweep_bytes,
                        struct err *err)
{
    if (!image_find(binary, path, err))
        return false;
    symbols_build_within(&binary->symbols, &binary->image, sweep_bytes);
    return true;
}

bool binary_open(struct binary *binary, const char *path, struct err *err)
{
    return binary_open_within(binary, path, SIZE_MAX, err);
}

void binary_open_image(struct binary *binary, struct image image)
{
    *binary = (struct binary){.image = image};
    symbols_build(&binary->symbols, &binary->image);
}

void binary_close(struct binary *binary)
{
    if (binary->inlines) {
        source_memory_release(binary->memory);
        inlines_release(binary->inlines);
    }
    if (binary->lines)
        lines_release(binary->lines);
    if (binary->debug)
        debug_info_close(binary->debug);
    mem_free(binary->memory);
    mem_free(binary->inlines);
    mem_free(binary->lines);
    mem_free(binary->debug);
    symbols_release(&binary->symbols);
    image_close(&binary->image);
}

static struct debug_info *binary_debug(struct binary *binary)
{
    if (!binary->debug) {
        binary->debug = mem_alloc(sizeof *binary->debug);
        debug_info_open(binary->debug, &binary->image);
    }
    return binary->debug;
}

const struct lines *binary_lines(struct binary *binary)
{
    if (!binary->lines) {
        phase_set("reading lines of", binary->image.path);
        binary->lines = mem_alloc(sizeof *binary->lines);
        lines_read(binary->lines, binary_debug(binary));
    }
    return binary->lines;
}

struct inlines *binary_inlines(struct binary *binary)
{
    if (!binary->inlines) {
        phase_set("reading debug information of", binary->image.path);
        binary->inlines = mem_alloc(sizeof *binary->inlines);
        inlines_read(binary->inlines, binary_debug(binary));
        binary->memory = mem_alloc(sizeof *binary->memory);
        source_memory_init(binary->memory);
    }
    return binary->inlines;
}

/* None needs the others, but all need the sections: those come from libelf, which is not made for
 * several threads. */
static void part_read(void *context, size_t i, unsigned worker)
{
    struct binary *binary = context;
    (void)worker;
    switch (i) {
    case 0: binary_inlines(binary); break;
    case 1: binary_lines(binary); break;
    default: symbols_build(&binary->symbols, &binary->image);
    }
}

bool binary_open_whole(struct binary *binary, const char *path, struct err *err)
{
    if (!image_find(binary, path, err))
        return false;
    binary_debug(binary);
    parallel_for(3, part_read, binary);
    return true;
}

const char *binary_debug_missing(struct binary *binary)
{
    const char *missing = debug_file_missing(&binary->image);
    return missing || !binary->debug ? missing : debug_info_missing(binary->debug);
}

const char *binary_debug_missing_brief(struct binary *binary)
{
    const char *missing = debug_file_missing_brief(&binary->image);
    return missing || !binary->debug ? missing : debug_info_missing(binary->debug);
}

bool binary_debug_whole(const struct binary *binary, struct err *err)
{
    const struct debug_info *debug = binary->debug;
    if (!debug)
        return true;
    struct dwarf_damage damage = debug->damage;
    if (binary->lines)
        damage_add(&damage, &binary->lines->damage);
    if (binary->inlines)
        damage_add(&damage, &binary->inlines->damage);
    if (!damage.n)
        return true;
    return err_set(err, ERR_FORMAT, "%s: %s+0x%lx: %s (%zu such place%s)",
                   debug->damage.n ? debug->damaged_file : debug->path, damage.section,
                   damage.offset, damage.reason, damage.n, damage.n == 1 ? "" : "s");
}
