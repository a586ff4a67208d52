#include "program/binary.h"

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
    lines_release(&binary->lines);
    symbols_release(&binary->symbols);
    image_close(&binary->image);
}

const struct lines *binary_lines(struct binary *binary)
{
    if (!binary->has_lines) {
        lines_read(&binary->lines, &binary->image, &binary->symbols);
        binary->has_lines = true;
    }
    return &binary->lines;
}

const char *binary_debug_missing(struct binary *binary)
{
    return debug_file_missing(&binary->image);
}
