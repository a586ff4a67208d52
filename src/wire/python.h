/* Python frames of a sample, and the code objects that they run: what the agent reads of CPython's
 * memory at an interrupt (src/python). */
#pragma once

#include <stdint.h>

enum {
    PYTHON_FRAMES_MAX = 512,
    PYTHON_NAME_MAX = 240,
    PYTHON_FILE_MAX = 480,
    PYTHON_LINES_MAX = 8192,
};

/* `at` if the instruction is not known. */
#define PYTHON_NOWHERE UINT32_MAX

struct python_frame {
    uint64_t code; /* avma of its code object */
    /* An address in the C frame of the interpreter loop that runs it, if that loop began with this
     * frame; 0: the loop was running the frame's caller already. */
    uint64_t entered;
    uint32_t at;    /* offset in the code's instructions, in bytes */
    uint32_t print; /* of the code object: another one may lie there later */
};

/* What a code object is. Sent before the first walk that has it. */
struct event_python {
    uint32_t kind, bytes; /* EVENT_PYTHON; of this entry, a multiple of 8 */
    uint64_t code;
    uint32_t print, first_line;
    uint16_t name_bytes, file_bytes;
    uint32_t lines_bytes;
    /* The name and the path in UTF-8, then co_linetable; zero padded. */
};
