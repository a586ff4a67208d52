#include "program/binary.h"

#include "base/err.h"
#include "program/debug_file.h"

bool binary_open(struct binary *binary, const char *path, struct err *err)
{
    struct image image;
    if (!image_open(&image, path, err))
        return false;
    *binary = (struct binary){.image = image};
    debug_file_find(&binary->image);
    symbols_build(&binary->symbols, &binary->image);
    return true;
}

void binary_close(struct binary *binary)
{
    if (binary->inlines) {
        inline_names_release(binary->names);
        inlines_release(binary->inlines);
    }
    if (binary->lines)
        lines_release(binary->lines);
    if (binary->debug)
        debug_info_close(binary->debug);
    mem_free(binary->names);
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
        binary->lines = mem_alloc(sizeof *binary->lines);
        lines_read(binary->lines, binary_debug(binary));
    }
    return binary->lines;
}

struct inlines *binary_inlines(struct binary *binary)
{
    if (!binary->inlines) {
        binary->inlines = mem_alloc(sizeof *binary->inlines);
        inlines_read(binary->inlines, binary_debug(binary));
        binary->names = mem_alloc(sizeof *binary->names);
        inline_names_init(binary->names);
    }
    return binary->inlines;
}

const char *binary_debug_missing(struct binary *binary)
{
    return debug_file_missing(&binary->image);
}

bool binary_debug_whole(const struct binary *binary, struct err *err)
{
    const struct debug_info *debug = binary->debug;
    if (!debug || !debug->damage.n)
        return true;
    return err_set(err, ERR_FORMAT, "%s: %s+0x%lx: %s (%zu such place%s)", debug->damaged_file,
                   debug->damage.section, debug->damage.offset, debug->damage.reason,
                   debug->damage.n, debug->damage.n == 1 ? "" : "s");
}
