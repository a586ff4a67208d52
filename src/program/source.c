#include "program/source.h"

#include "program/binary.h"

size_t source_frames(struct binary *binary, struct svma at, struct source_frame *ret_frames,
                     size_t room)
{
    function_id function = symbols_find(&binary->symbols, at);
    if (function == FUNCTION_NONE)
        return 0;
    struct source_frame frame = {.linkage = binary->symbols.functions.at[function].name};
    lines_find(binary_lines(binary), at, &frame.file, &frame.line);
    if (room)
        ret_frames[0] = frame;
    return 1;
}
