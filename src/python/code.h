/* What a code object says: the function's name, its file, and the lines of its instructions. */
#pragma once

#include "python/frames.h"

/* Fills in the entry (without kind) and the bytes after it; `room`: PYTHON_CODE_ROOM. Returns
 * false if it could not be read. A text that is too long is cut; of a table of lines that is too
 * long nothing is taken. */
enum {
    PYTHON_CODE_ROOM =
        sizeof(struct event_python) + PYTHON_NAME_MAX + PYTHON_FILE_MAX + PYTHON_LINES_MAX
};
bool python_code(const struct python *python, const struct python_memory *memory,
                 const struct python_frame *frame, void *to);

/* The line of an instruction; 0: not known. `lines`: co_linetable (PEP 626, as of 3.11). */
uint32_t python_line(const uint8_t *lines, uint32_t bytes, uint32_t first_line, uint32_t at);
